! SPDX-License-Identifier: BSD-3-Clause
module cases_float
    use, intrinsic :: iso_c_binding
    use tap
    use tdls
    implicit none
    private
    public :: run

    integer, parameter :: wp = c_float
    include 'generic_cases.inc'
end module
