! SPDX-License-Identifier: BSD-3-Clause
! As Fortran codes are often built: -ffpe-trap=zero,invalid. A trap ends the program.
program fpe_traps
    use, intrinsic :: ieee_exceptions
    use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int32_t
    use tap
    use tdls
    implicit none

    type(tdls_handle) :: h
    logical :: halting(2)
    integer(c_int32_t) :: status, n, batch

    call ieee_get_halting_mode([ieee_invalid, ieee_divide_by_zero], halting)
    call ok(all(halting), 'the program is compiled with traps')
    status = tdls_create(TDLS_BACKEND_CPU, 0_c_int32_t, h)
    call ok(status == TDLS_SUCCESS, 'a handle')
    do n = 1, 50, 7
        do batch = 1, 40, 13
            call in_double(n, batch)
            call in_float(n, batch)
        end do
    end do
    status = tdls_destroy(h)
    call plan()

contains

    subroutine in_double(n, batch)
        integer(c_int32_t), intent(in) :: n, batch
        real(c_double) :: a(n, n, batch), b(n, batch)
        integer(c_int32_t) :: ipiv(n, batch), info(batch)
        integer(c_int32_t) :: status

        call random_number(a)
        call random_number(b)
        call tdls_gesv(h, a, ipiv, b, info, status)
        call ok(status == TDLS_SUCCESS .and. all(info == 0), 'double')
    end subroutine

    subroutine in_float(n, batch)
        integer(c_int32_t), intent(in) :: n, batch
        real(c_float) :: a(n, n, batch), b(n, batch)
        integer(c_int32_t) :: ipiv(n, batch), info(batch)
        integer(c_int32_t) :: status

        call random_number(a)
        call random_number(b)
        call tdls_gesv(h, a, ipiv, b, info, status)
        call ok(status == TDLS_SUCCESS .and. all(info == 0), 'float')
    end subroutine
end program
