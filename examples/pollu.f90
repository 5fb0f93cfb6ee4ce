! SPDX-License-Identifier: BSD-3-Clause
! POLLU, the chemistry of an air-pollution model (20 species, 25 reactions), in each cell of a grid:
! pollu.c in Fortran, on the generic procedures of the module tdls.
!
! y' = f(y), 20 species in ppm, t in minutes, from 0 to 60. The problem is that of J. G. Verwer,
! "Gauss-Seidel iteration for stiff ODEs from chemical kinetics", SIAM J. Sci. Comput. 15 (1994), as in
! the Test Set for IVP Solvers (Univ. of Bari), whose solution is printed beside ours. Each cell has
! its own light: the photolysis rates are scaled by a factor from 1 (cell 1) down to 0.5.
!
! Time integration: the Rosenbrock method RODAS3, order 3 with an embedded solution of order 2, of
! A. Sandu, J. G. Verwer, J. G. Blom, E. J. Spee, G. R. Carmichael, F. A. Potra, "Benchmarking stiff ODE
! solvers for atmospheric chemistry problems II: Rosenbrock solvers", Atmos. Environ. 31 (1997). Every
! step factors I/(gamma h) - J of all cells by one call of tdls_getrf, and solves four stages by one
! call of tdls_getrs each; every cell takes the same steps.
!
! usage: pollu-fortran [CELLS]
! Exit status: 0 if cell 1 is within the bounds of the published solution.
module chemistry
    use, intrinsic :: iso_c_binding, only: wp => c_double
    implicit none
    private
    public :: wp, species, initial, published, derivative, stage_matrix

    integer, parameter :: species = 20, reactions = 25

    ! Rate constants; these reactions are driven by light.
    real(wp), parameter :: k(reactions) = [.35_wp, 26.6_wp, 1.23e4_wp, 8.6e-4_wp, 8.2e-4_wp, &
        1.5e4_wp, 1.3e-4_wp, 2.4e4_wp, 1.65e4_wp, 9e3_wp, .022_wp, 1.2e4_wp, 1.88_wp, 1.63e4_wp, &
        4.8e6_wp, 3.5e-4_wp, .0175_wp, 1e8_wp, 4.44e11_wp, 1.24e3_wp, 2.1_wp, 5.78_wp, .0474_wp, &
        1.78e3_wp, 3.12_wp]
    integer, parameter :: photolysis(3) = [1, 4, 16]

    ! The rate of a reaction is k y(first) y(second); second = 0: k y(first).
    integer, parameter :: first(reactions) = &
        [1, 2, 5, 7, 7, 7, 9, 9, 11, 11, 13, 10, 14, 1, 3, 4, 4, 16, 16, 17, 19, 19, 1, 19, 20]
    integer, parameter :: second(reactions) = &
        [0, 4, 2, 0, 0, 6, 0, 6, 2, 1, 0, 2, 0, 6, 0, 0, 0, 0, 0, 6, 0, 0, 4, 1, 0]

    ! What a reaction takes away from and adds to (0: nothing more; a species twice: two of it).
    integer, parameter :: lost(2, reactions) = reshape([ &
        1, 0, 2, 4, 2, 5, 7, 0, 7, 0, 6, 7, 9, 0, 6, 9, 2, 11, 1, 11, 13, 0, 2, 10, 14, 0, &
        1, 6, 3, 0, 4, 0, 4, 0, 16, 0, 16, 0, 6, 17, 19, 0, 19, 0, 1, 4, 1, 19, 20, 0], &
        [2, reactions])
    integer, parameter :: gained(3, reactions) = reshape([ &
        2, 3, 0, 1, 0, 0, 1, 6, 0, 5, 5, 8, 8, 0, 0, 5, 8, 0, 5, 8, 10, 11, 0, 0, 1, 10, 12, &
        13, 0, 0, 1, 11, 0, 1, 14, 0, 5, 7, 0, 15, 0, 0, 4, 0, 0, 16, 0, 0, 3, 0, 0, 6, 6, 0, &
        3, 0, 0, 5, 18, 0, 2, 0, 0, 1, 3, 0, 19, 0, 0, 20, 0, 0, 1, 19, 0], [3, reactions])

    real(wp), parameter :: initial(species) = [0._wp, .2_wp, 0._wp, .04_wp, 0._wp, 0._wp, .1_wp, .3_wp, &
        .01_wp, 0._wp, 0._wp, 0._wp, 0._wp, 0._wp, 0._wp, 0._wp, .007_wp, 0._wp, 0._wp, 0._wp]

    real(wp), parameter :: published(species) = [ &
        0.5646255480022769e-1_wp, 0.1342484130422339_wp, 0.4139734331099427e-8_wp, &
        0.5523140207484359e-2_wp, 0.2018977262302196e-6_wp, 0.1464541863493966e-6_wp, &
        0.7784249118997964e-1_wp, 0.3245075353396018_wp, 0.7494013383880406e-2_wp, &
        0.1622293157301561e-7_wp, 0.1135863833257075e-7_wp, 0.2230505975721359e-2_wp, &
        0.2087162882798630e-3_wp, 0.1396921016840158e-4_wp, 0.8964884856898295e-2_wp, &
        0.4352846369330103e-17_wp, 0.6899219696263405e-2_wp, 0.1007803037365946e-3_wp, &
        0.1772146513969984e-5_wp, 0.5682943292316392e-4_wp]

contains

    pure real(wp) function rate_constant(r, light)
        integer, intent(in) :: r
        real(wp), intent(in) :: light

        rate_constant = k(r)
        if (any(photolysis == r)) rate_constant = k(r) * light
    end function

    ! The second factor of a rate.
    pure real(wp) function partner(y, s)
        real(wp), intent(in) :: y(species)
        integer, intent(in) :: s

        partner = 1
        if (s > 0) partner = y(s)
    end function

    ! What a rate of reaction r does to the species.
    pure subroutine change(r, rate, f)
        integer, intent(in) :: r
        real(wp), intent(in) :: rate
        real(wp), intent(inout) :: f(species)
        integer :: i

        do i = 1, size(lost, 1)
            if (lost(i, r) > 0) f(lost(i, r)) = f(lost(i, r)) - rate
        end do
        do i = 1, size(gained, 1)
            if (gained(i, r) > 0) f(gained(i, r)) = f(gained(i, r)) + rate
        end do
    end subroutine

    ! f(y) of one cell.
    pure subroutine derivative(y, light, f)
        real(wp), intent(in) :: y(species), light
        real(wp), intent(out) :: f(species)
        real(wp) :: rate
        integer :: r

        f = 0
        do r = 1, reactions
            rate = rate_constant(r, light) * y(first(r)) * partner(y, second(r))
            call change(r, rate, f)
        end do
    end subroutine

    ! diagonal * I - df/dy of one cell.
    pure subroutine stage_matrix(y, light, diagonal, matrix)
        real(wp), intent(in) :: y(species), light, diagonal
        real(wp), intent(out) :: matrix(species, species)
        real(wp) :: rate
        integer :: i, r

        matrix = 0
        do i = 1, species
            matrix(i, i) = diagonal
        end do
        do r = 1, reactions
            rate = rate_constant(r, light)
            call change(r, -rate * partner(y, second(r)), matrix(:, first(r)))
            if (second(r) > 0) call change(r, -rate * y(first(r)), matrix(:, second(r)))
        end do
    end subroutine
end module

program pollu
    use, intrinsic :: iso_c_binding, only: c_int32_t
    use, intrinsic :: iso_fortran_env, only: error_unit
    use chemistry
    use tdls
    implicit none

    ! RODAS3: (I/(gamma h) - J) K_i = f(y + sum_j a_ij K_j) + sum_j c_ij/h K_j; the new y is
    ! y + sum_i m_i K_i, and its error estimate the last K.
    integer, parameter :: stages = 4
    real(wp), parameter :: gamma = 0.5_wp, m(stages) = [2._wp, 0._wp, 1._wp, 1._wp]
    real(wp), parameter :: a(stages, stages) = reshape([real(wp) :: 0, 0, 2, 2, 0, 0, 0, 0, &
        0, 0, 0, 1, 0, 0, 0, 0], [stages, stages])
    real(wp), parameter :: c(stages, stages) = reshape([real(wp) :: 0, 4, 1, 1, 0, 0, -1, -1, &
        0, 0, 0, -8 / 3._wp, 0, 0, 0, 0], [stages, stages])
    real(wp), parameter :: end_time = 60, tolerance = 1e-5_wp
    ! Species below `tiny_species` are compared by their absolute error.
    real(wp), parameter :: tiny_species = 1e-15_wp, absolute_bound = 1e-20_wp, relative_bound = 1e-4_wp

    type(tdls_handle) :: h
    integer :: cells, steps, rejected, cell, wrong
    real(wp) :: time, step, error
    logical :: last
    real(wp), allocatable :: light(:), y(:, :), matrix(:, :, :), stage(:, :, :)
    integer(c_int32_t), allocatable :: ipiv(:, :), info(:)
    integer(c_int32_t) :: status
    character(len=12) :: argument

    cells = 1000
    if (command_argument_count() > 0) then
        call get_command_argument(1, argument)
        read (argument, *, iostat=status) cells
        if (status /= 0 .or. cells < 1) call give_up('usage: pollu-fortran [CELLS]')
    end if
    allocate (light(cells), y(species, cells), matrix(species, species, cells), &
        stage(species, cells, stages), ipiv(species, cells), info(cells))
    do cell = 1, cells
        light(cell) = 1 - 0.5_wp * (cell - 1) / max(cells - 1, 1)
        y(:, cell) = initial
    end do

    status = tdls_create(TDLS_BACKEND_CPU, 0_c_int32_t, h)
    if (status /= TDLS_SUCCESS) call give_up(tdls_error_text())
    print '(a, i0, a, /, a)', 'POLLU in Fortran, ', cells, ' cells, 0 to 60 min', tdls_device_text(h)

    time = 0
    step = 1e-6_wp
    steps = 0
    rejected = 0
    do while (time < end_time)
        last = time + step >= end_time * (1 - 1e-12_wp)
        if (last) step = end_time - time
        call try_step()
        if (.not. error >= 0 .or. step < 1e-14_wp) call give_up('a step broke down')
        if (error <= 1) then
            do cell = 1, cells
                y(:, cell) = y(:, cell) + matmul(stage(:, cell, :), m)
            end do
            time = merge(end_time, time + step, last)
            steps = steps + 1
        else
            rejected = rejected + 1
        end if
        step = step * min(5._wp, max(0.2_wp, 0.9_wp / (error + 1e-30_wp)**(1 / 3._wp)))
    end do
    status = tdls_destroy(h)

    call compare(wrong)
    print '(i0, a, i0, a)', steps, ' steps, ', rejected, ' rejected'
    if (wrong > 0) call give_up('there are species that are not within the bounds')

contains

    ! One step from y, of which the outcome is in `stage`; `error` is the largest of a cell, 1 being
    ! tolerable.
    subroutine try_step()
        real(wp) :: f(species)
        character(len=200) :: message
        integer :: i

        do cell = 1, cells
            call stage_matrix(y(:, cell), light(cell), 1 / (gamma * step), matrix(:, :, cell))
        end do
        call tdls_getrf(h, matrix, ipiv, info, status, message)
        if (status /= TDLS_SUCCESS) call give_up(message)
        if (any(info /= 0)) call give_up('a matrix is singular')

        do i = 1, stages
            do cell = 1, cells
                call derivative(y(:, cell) + matmul(stage(:, cell, :i - 1), a(i, :i - 1)), light(cell), f)
                stage(:, cell, i) = f + matmul(stage(:, cell, :i - 1), c(i, :i - 1)) / step
            end do
            call tdls_getrs(h, matrix, ipiv, stage(:, :, i), status, message)
            if (status /= TDLS_SUCCESS) call give_up(message)
        end do

        error = 0
        do cell = 1, cells
            f = stage(:, cell, stages) / (tolerance * (1e-8_wp + abs(y(:, cell))))
            error = max(error, norm2(f) / sqrt(real(species, wp)))
        end do
    end subroutine

    ! Number of species of cell 1 that are out of bounds.
    subroutine compare(wrong)
        integer, intent(out) :: wrong
        real(wp) :: difference, bound
        integer :: i

        wrong = 0
        print '(/, a)', ' species      y(60 min), cell 1              published  difference'
        do i = 1, species
            difference = abs(y(i, 1) - published(i))
            bound = merge(absolute_bound, relative_bound * published(i), published(i) < tiny_species)
            print '(i8, 2es24.15e3, es12.2e3, a)', i, y(i, 1), published(i), difference, &
                trim(merge('                 ', '  ABOVE THE BOUND', difference <= bound))
            if (.not. difference <= bound) wrong = wrong + 1
        end do
    end subroutine

    subroutine give_up(message)
        character(len=*), intent(in) :: message

        write (error_unit, '(2a)') 'pollu-fortran: ', trim(message)
        stop 1
    end subroutine
end program
