! SPDX-License-Identifier: BSD-3-Clause
! A stranger's program in Fortran, with the installed module.
program solve_module
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int32, real64
    use tdls
    implicit none

    integer, parameter :: n = 7, batch = 500
    real(real64) :: a(n, n, batch), x(n, batch), b(n, batch), factors(n, n, batch)
    integer(int32) :: ipiv(n, batch), info(batch), status
    integer :: s
    type(tdls_handle) :: h

    call random_number(a)
    call random_number(x)
    do s = 1, batch
        b(:, s) = matmul(a(:, :, s), x(:, s))
    end do
    a(:, 3, 11) = 0
    x(:, 11) = b(:, 11)
    factors = a

    status = tdls_create(TDLS_BACKEND_CPU, 0_int32, h)
    if (status /= TDLS_SUCCESS) error stop 'tdls_create'
    call tdls_gesv(h, factors, ipiv, b, info, status)
    if (status /= TDLS_SUCCESS) error stop 'tdls_gesv'
    if (info(11) /= 3 .or. count(info /= 0) /= 1) error stop 'info'
    if (maxval(abs(b - x)) > 1e-8_real64) error stop 'solution'
    status = tdls_destroy(h)
    if (status /= TDLS_SUCCESS .or. tdls_status_text(status) /= 'success') error stop 'tdls_destroy'
end program
