! SPDX-License-Identifier: BSD-3-Clause
! Ten thousand systems of three unknowns, solved by one call.
program quickstart
    use, intrinsic :: iso_c_binding, only: c_double, c_int32_t
    use tdls
    implicit none

    integer, parameter :: n = 3, batch = 10000
    real(c_double) :: a(n, n, batch)
    real(c_double) :: b(n, batch)          ! right-hand sides, overwritten by the solutions
    integer(c_int32_t) :: ipiv(n, batch)   ! LAPACK's pivots
    integer(c_int32_t) :: info(batch)      ! 0, or k > 0: system s has no pivot in column k
    integer(c_int32_t) :: status
    type(tdls_handle) :: h
    integer :: i, s

    do s = 1, batch
        a(:, :, s) = 1
        do i = 1, n
            a(i, i, s) = 1 + s
        end do
        b(:, s) = 3 + s ! so that every unknown is 1
    end do

    status = tdls_create(TDLS_BACKEND_CPU, 0_c_int32_t, h)
    if (status /= TDLS_SUCCESS) error stop 'tdls_create'
    call tdls_gesv(h, a, ipiv, b, info, status)
    if (status /= TDLS_SUCCESS) error stop 'tdls_gesv'
    status = tdls_destroy(h)

    print '(a, 3f8.5, a, i0)', 'x of the last system:', b(:, batch), ', info ', info(batch)
    if (maxval(abs(b - 1)) > 1e-12_c_double) error stop 'wrong'
end program
