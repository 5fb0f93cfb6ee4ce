! SPDX-License-Identifier: BSD-3-Clause
! Results of single checks, in the Test Anything Protocol.
module tap
    implicit none
    private
    public :: ok, plan, prefix

    integer :: count = 0, failures = 0
    character(len=32) :: prefix = '' ! before the name of each check

contains

    subroutine ok(passed, name)
        logical, intent(in) :: passed
        character(len=*), intent(in) :: name

        count = count + 1
        if (.not. passed) then
            failures = failures + 1
            write (*, '(a)', advance='no') 'not '
        end if
        write (*, '(a,i0,a)') 'ok ', count, ' - ' // trim(prefix) // ' ' // name
    end subroutine

    subroutine plan()
        write (*, '(a,i0)') '1..', count
        if (failures > 0) stop 1
    end subroutine
end module
