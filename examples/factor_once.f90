! SPDX-License-Identifier: BSD-3-Clause
! Factor once, solve in every step: what dgetrf and dgetrs do, for 1000 systems of order 20.
program factor_once
    use, intrinsic :: iso_c_binding, only: c_double, c_int32_t
    use tdls
    implicit none

    integer, parameter :: n = 20, batch = 1000, steps = 10
    real(c_double) :: h
    real(c_double), allocatable :: a(:,:,:), x(:,:)
    integer(c_int32_t), allocatable :: ipiv(:,:), info(:)
    integer(c_int32_t) :: status
    type(tdls_handle) :: handle
    character(len=200) :: message
    integer :: i, s, step

    ! Implicit Euler steps of a chain: (I + h L) x_new = x_old, h of its own in each system.
    allocate (a(n,n,batch), x(n,batch), ipiv(n,batch), info(batch))
    a = 0
    x = 0
    x(n / 2, :) = 1
    do s = 1, batch
        h = 0.001_c_double * s
        do i = 1, n
            a(i, i, s) = 1 + 2 * h
            if (i > 1) a(i, i - 1, s) = -h
            if (i < n) a(i, i + 1, s) = -h
        end do
    end do

    status = tdls_create(TDLS_BACKEND_CPU, 0_c_int32_t, handle)
    if (status /= TDLS_SUCCESS) error stop 'tdls_create'
    call tdls_getrf(handle, a, ipiv, info, status, message)
    do step = 1, steps
        if (status == TDLS_SUCCESS) call tdls_getrs(handle, a, ipiv, x, status, message)
    end do
    if (status /= TDLS_SUCCESS) then
        print '(a)', trim(message)
        error stop 1
    end if
    status = tdls_destroy(handle)

    print '(i0, a, i0, a, es10.3)', count(info /= 0), ' singular systems, largest entry after ', &
        steps, ' steps', maxval(x)
    if (any(info /= 0) .or. maxval(x) >= 1) error stop 'wrong'
end program
