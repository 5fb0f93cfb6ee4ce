! SPDX-License-Identifier: BSD-3-Clause
! A stranger's program in Fortran, with interfaces written by hand from the C header.
program solve
    use, intrinsic :: iso_c_binding
    implicit none

    interface
        integer(c_int32_t) function tdls_create(backend, device, handle) bind(c)
            import
            integer(c_int32_t), value :: backend, device
            type(c_ptr), intent(out) :: handle
        end function
        integer(c_int32_t) function tdls_destroy(handle) bind(c)
            import
            type(c_ptr), value :: handle
        end function
        integer(c_int32_t) function tdls_dgesv_coop_strided_batched(handle, n, nrhs, a, lda, &
                stride_a, ipiv, stride_p, b, ldb, stride_b, info, batch) bind(c)
            import
            type(c_ptr), value :: handle
            integer(c_int32_t), value :: n, nrhs, lda, ldb
            integer(c_int64_t), value :: stride_a, stride_p, stride_b, batch
            real(c_double), intent(inout) :: a(*), b(*)
            integer(c_int32_t), intent(out) :: ipiv(*), info(*)
        end function
    end interface

    integer(c_int32_t), parameter :: n = 7
    integer(c_int64_t), parameter :: batch = 500
    real(c_double) :: a(n, n, batch), x(n, batch), b(n, batch)
    integer(c_int32_t) :: ipiv(n, batch), info(batch), s
    type(c_ptr) :: handle

    call random_number(a)
    call random_number(x)
    do s = 1, int(batch)
        b(:, s) = matmul(a(:, :, s), x(:, s))
    end do
    a(:, 3, 11) = 0
    x(:, 11) = b(:, 11)
    if (tdls_create(1_c_int32_t, 0_c_int32_t, handle) /= 0) error stop 'tdls_create'
    if (tdls_dgesv_coop_strided_batched(handle, n, 1_c_int32_t, a, n, int(n * n, c_int64_t), ipiv, &
        int(n, c_int64_t), b, n, int(n, c_int64_t), info, batch) /= 0) error stop 'tdls_dgesv'
    if (info(11) /= 3 .or. count(info /= 0) /= 1) error stop 'info'
    if (maxval(abs(b - x)) > 1e-8_c_double) error stop 'solution'
    if (tdls_destroy(handle) /= 0) error stop 'tdls_destroy'
end program
