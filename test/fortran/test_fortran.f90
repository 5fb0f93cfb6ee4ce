! SPDX-License-Identifier: BSD-3-Clause
! The Fortran module: handles, settings, texts, and the generic procedures for both types.
program test_fortran
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int32
    use cases_double, only: run_double => run
    use cases_float, only: run_float => run
    use tap
    use tdls
    implicit none

    type(tdls_handle) :: h
    integer(c_int32_t) :: status

    prefix = 'module:'
    status = tdls_create(TDLS_BACKEND_CPU, 0_int32, h)
    call ok(status == TDLS_SUCCESS, 'tdls_create: ' // tdls_error_text())
    if (status /= TDLS_SUCCESS) then
        call plan()
        stop 1
    end if
    call ask_library()
    call set_and_get()
    call fail()
    prefix = 'double:'
    call run_double(h)
    prefix = 'float:'
    call run_float(h)
    prefix = 'module:'
    status = tdls_synchronize(h)
    call ok(status == TDLS_SUCCESS, 'tdls_synchronize')
    status = tdls_destroy(h)
    call ok(status == TDLS_SUCCESS, 'tdls_destroy')
    call ok(tdls_destroy(tdls_null_handle) == TDLS_SUCCESS, 'tdls_destroy of the null handle')
    call plan()

contains

    subroutine ask_library()
        integer(c_int32_t) :: major, minor, patch, number
        character(len=256) :: name

        call tdls_version(major, minor, patch)
        call ok(major == TDLS_VERSION_MAJOR .and. minor == TDLS_VERSION_MINOR .and. &
            patch == TDLS_VERSION_PATCH, 'the version of the module is that of the library')
        call ok(tdls_status_text(TDLS_SUCCESS) == 'success' .and. &
            tdls_status_text(TDLS_ERR_NO_DEVICE) == 'no such device' .and. &
            tdls_status_text(12345_c_int32_t) == 'unknown status', 'texts of a status')
        call ok(tdls_backend_text(TDLS_BACKEND_HIP) == 'hip' .and. &
            len(tdls_backend_text(99_c_int32_t)) == 0, 'names of backends')
        call ok(tdls_backend_number('cuda  ') == TDLS_BACKEND_CUDA .and. &
            tdls_backend_number('cud') == 0 .and. &
            tdls_backend_from_name('cpu' // c_null_char) == TDLS_BACKEND_CPU, 'backends by name')
        number = -1
        status = tdls_device_count(TDLS_BACKEND_CPU, number)
        call ok(status == TDLS_SUCCESS .and. number == 1, 'the CPU has one device')
        number = -1
        status = tdls_get_backend(h, number)
        call ok(status == TDLS_SUCCESS .and. number == TDLS_BACKEND_CPU, 'the handle is on the CPU')
        name = ''
        status = tdls_device_name(h, name, len(name, c_int64_t))
        call ok(status == TDLS_SUCCESS .and. &
            name(:index(name, c_null_char) - 1) == tdls_device_text(h) .and. &
            len(tdls_device_text(h)) > 3, 'name of the device: ' // tdls_device_text(h))
        call ok(len(tdls_device_text(tdls_null_handle)) == 0, 'no name of the null handle')
    end subroutine

    subroutine set_and_get()
        integer(c_int32_t) :: i(2), s(2)
        real(c_double) :: x
        type(c_ptr) :: stream
        integer, target :: something

        s(1) = tdls_set_layout(h, TDLS_ROW_MAJOR)
        s(2) = tdls_get_layout(h, i(1))
        call ok(all(s == TDLS_SUCCESS) .and. i(1) == TDLS_ROW_MAJOR, 'layout')
        s(1) = tdls_set_layout(h, TDLS_COL_MAJOR)
        s(1) = tdls_set_row_interchange(h, TDLS_INTERCHANGE_PHYSICAL)
        s(2) = tdls_get_row_interchange(h, i(1))
        call ok(all(s == TDLS_SUCCESS) .and. i(1) == TDLS_INTERCHANGE_PHYSICAL, 'row interchange')
        s(1) = tdls_set_pivot_threshold(h, 0.25_c_double)
        s(2) = tdls_get_pivot_threshold(h, x)
        call ok(all(s == TDLS_SUCCESS) .and. abs(x - 0.25) < epsilon(x), 'pivot threshold')
        s(1) = tdls_set_pivot_threshold(h, 1._c_double)
        s(1) = tdls_set_singular_floor(h, 1e-30_c_double)
        s(2) = tdls_get_singular_floor(h, x)
        call ok(all(s == TDLS_SUCCESS) .and. abs(x / 1e-30_c_double - 1) < epsilon(x), 'singular floor')
        s(1) = tdls_set_singular_floor(h, 0._c_double)
        s(1) = tdls_set_rows_per_thread(h, 2_c_int32_t)
        s(2) = tdls_get_rows_per_thread(h, i(1))
        call ok(all(s == TDLS_SUCCESS) .and. i(1) == 2, 'rows per thread')
        s(1) = tdls_set_num_threads(h, 2_c_int32_t)
        s(2) = tdls_get_num_threads(h, i(1))
        call ok(all(s == TDLS_SUCCESS) .and. i(1) == 2, 'number of threads')
        s(1) = tdls_set_stream(h, c_loc(something))
        s(2) = tdls_get_stream(h, stream)
        call ok(all(s == TDLS_SUCCESS) .and. c_associated(stream, c_loc(something)), 'stream')
        s(1) = tdls_set_stream(h, c_null_ptr)
    end subroutine

    subroutine fail()
        type(tdls_handle) :: none

        status = tdls_create(99_c_int32_t, 0_c_int32_t, none)
        call ok(status == -1 .and. index(tdls_error_text(), '99') > 0, &
            'tdls_create fails: ' // tdls_error_text())
        call ok(tdls_destroy(none) == TDLS_SUCCESS, 'the handle of the failure is null')
        call ok(len(tdls_error_text(h)) == 0, 'no text where nothing has failed')
        status = tdls_set_layout(h, 5_c_int32_t)
        call ok(status == -2 .and. index(tdls_error_text(h), 'argument 2') == 1, &
            'tdls_set_layout fails: ' // tdls_error_text(h))
    end subroutine
end program
