! SPDX-License-Identifier: BSD-3-Clause
program use_module
    use tdls
    implicit none
end program
