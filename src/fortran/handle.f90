! SPDX-License-Identifier: BSD-3-Clause
!> The handle of libtdls as a type of its own: the C interface's `tdls_handle_t`, passed by value.
!>
!> A module by itself, because not every compiler can pass a derived type by value (flang 16 cannot, flang
!> 19 can): `handle_as_pointer.f90` then takes the place of this file, and programs stay as they are.
module tdls_handles
    use, intrinsic :: iso_c_binding, only: c_null_ptr, c_ptr
    implicit none
    private
    public :: tdls_handle, tdls_null_handle

    !> Opaque: a backend, one of its devices, settings. Made by tdls_create, released by tdls_destroy.
    type, bind(c) :: tdls_handle
        private
        type(c_ptr) :: pointer = c_null_ptr
    end type

    !> C's NULL, for example to ask tdls_last_error why tdls_create failed.
    type(tdls_handle), parameter :: tdls_null_handle = tdls_handle(c_null_ptr)
end module
