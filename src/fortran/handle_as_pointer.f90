! SPDX-License-Identifier: BSD-3-Clause
!> The handle of libtdls for compilers that cannot pass a derived type by value (flang 16): c_ptr, the one
!> type that they do pass so, by another name. It takes the place of `handle.f90`.
module tdls_handles
    use, intrinsic :: iso_c_binding, only: tdls_handle => c_ptr, tdls_null_handle => c_null_ptr
    implicit none
    private
    public :: tdls_handle, tdls_null_handle
end module
