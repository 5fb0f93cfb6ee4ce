! SPDX-License-Identifier: BSD-3-Clause
module cases_double
    use, intrinsic :: iso_c_binding
    use tap
    use tdls
    implicit none
    private
    public :: run

    integer, parameter :: wp = c_double
    include 'generic_cases.inc'
end module
