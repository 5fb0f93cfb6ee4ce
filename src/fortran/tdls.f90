! SPDX-License-Identifier: BSD-3-Clause
!> libtdls from Fortran: very many very small dense linear systems, solved at once.
!>
!>     type(tdls_handle) :: h
!>     status = tdls_create(TDLS_BACKEND_CPU, 0_c_int32_t, h)
!>     call tdls_gesv(h, a, ipiv, b, info, status)      ! a(lda,n,batch), b(n,batch), ...
!>     status = tdls_destroy(h)
!>
!> The module has two layers.
!>
!> 1. The C interface as it is: each function and constant of tdls/tdls.h under its C name, the
!>    arguments under theirs. The comments of that header are the manual. Data (A, B, ipiv, info) are
!>    type(c_ptr) by value, since they may be NULL or in the memory of a device: c_loc(a) of an array
!>    with the target attribute, c_null_ptr, or what tdls_malloc gave. Pointer arrays,
!>
!>        type(c_ptr), target :: systems(batch), sides(batch)
!>        systems(s) = c_loc(a(1, 1, s)); sides(s) = c_loc(b(1, s))
!>        status = tdls_dgesv_coop_batched(h, n, 1_c_int32_t, c_loc(systems), n, c_null_ptr, &
!>            0_c_int64_t, c_loc(sides), n, c_loc(info), batch)
!>
!>    and interleaved systems, here a(batch,n,n), b(batch,n), ipiv(batch,n), the system's number first,
!>
!>        status = tdls_dgesv_coop_interleaved_batched(h, n, 1_c_int32_t, c_loc(a), n, c_loc(ipiv), &
!>            c_loc(b), n, c_loc(info), batch, batch)
!>
!>    are reached so.
!>
!> 2. Generic procedures for real(c_float) and real(c_double), on arrays of strided storage:
!>
!>        call tdls_getrf(handle, a, ipiv [, info] [, status] [, errmsg])
!>        call tdls_getrs(handle, [trans,] a, ipiv, b [, status] [, errmsg])
!>        call tdls_gesv (handle, a [, ipiv], b [, info] [, status] [, errmsg])
!>
!>    What follows an argument that is left out is given by keyword: tdls_gesv(h, a, b=b, info=info).
!>
!>    handle   type(tdls_handle)
!>    trans    integer(c_int32_t): TDLS_NO_TRANS (what its absence means), TDLS_TRANS, TDLS_CONJ_TRANS
!>    a        real a(lda,n,batch), lda >= n. getrf: the factors on return. gesv: the factors if ipiv
!>             is there, else only read. getrs: the factors, only read
!>    ipiv     integer(c_int32_t) ipiv(n,batch). gesv: left out if the factors are not wanted
!>    b        real b(ldb,nrhs,batch), ldb >= n, or b(n,batch): right-hand sides, X on return
!>    info     integer(c_int32_t) info(batch): 0, or k: no pivot in column k, and gesv left this
!>             system's b as it was. A singular system is no failure of the call
!>    status   integer(c_int32_t): TDLS_SUCCESS; -i if argument i of the Fortran call as it is written
!>             above, brackets included, is illegal (in getrs trans counts where it is given alone);
!>             or TDLS_ERR_*. Arguments are checked in order, and nothing has been touched if one is
!>             illegal. n and batch are those of a: a shape that does not fit is the -i of the array
!>             that has it. If status is left out a failure goes unnoticed; nothing stops or crashes
!>    errmsg   character(len=*): what was wrong, in words; as it was if nothing was. tdls_error_text
!>             knows failures of the C library alone, and not a shape that was refused here
!>
!>    With a handle in TDLS_ROW_MAJOR the arrays hold the transposed matrices: a(j,i,s) is element
!>    (i,j) of system s, b(k,i,s) row i of right-hand side k, of the shape (ldb,n,batch) with
!>    nrhs = ldb; b(n,batch) is as before.
!>
!>    Optional arguments may also be allocatables that are not allocated: these are not there. An
!>    array section that is not contiguous is copied by the compiler to a contiguous array and back,
!>    which is right but slow; in the memory of a device it must be contiguous.
!>
!> Memory of a device: tdls_malloc gives a c_ptr, c_f_pointer an array pointer that the generic
!> procedures take like any array. The program itself must not touch its elements, but by tdls_memcpy:
!>
!>     type(c_ptr) :: memory
!>     real(c_double), pointer, contiguous :: device_a(:,:,:)
!>     status = tdls_malloc(h, 8_c_int64_t * size(a), memory)
!>     status = tdls_memcpy(h, memory, c_loc(a), 8_c_int64_t * size(a))
!>     call c_f_pointer(memory, device_a, shape(a))
!>     call tdls_getrf(h, device_a, device_ipiv, device_info, status)
module tdls
    use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_pointer, c_float, c_int32_t, &
        c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr, c_associated, c_size_t
    use tdls_handles, only: tdls_handle, tdls_null_handle
    implicit none
    private

    public :: tdls_handle, tdls_null_handle

    ! The C interface.
    public :: tdls_version, tdls_status_string, tdls_last_error, tdls_backend_from_name, &
        tdls_backend_name, tdls_device_count, tdls_create, tdls_destroy, tdls_get_backend, &
        tdls_device_name, tdls_synchronize, tdls_malloc, tdls_free, tdls_memcpy

    public :: tdls_set_layout, tdls_get_layout, tdls_set_row_interchange, tdls_get_row_interchange, &
        tdls_set_pivot_threshold, tdls_get_pivot_threshold, tdls_set_singular_floor, &
        tdls_get_singular_floor, tdls_set_rows_per_thread, tdls_get_rows_per_thread, &
        tdls_set_num_threads, tdls_get_num_threads, tdls_set_stream, tdls_get_stream

    public :: tdls_dgetrf_coop_batched, tdls_sgetrf_coop_batched, tdls_dgetrs_coop_batched, &
        tdls_sgetrs_coop_batched, tdls_dgesv_coop_batched, tdls_sgesv_coop_batched

    public :: tdls_dgetrf_coop_strided_batched, tdls_sgetrf_coop_strided_batched, &
        tdls_dgetrs_coop_strided_batched, tdls_sgetrs_coop_strided_batched, &
        tdls_dgesv_coop_strided_batched, tdls_sgesv_coop_strided_batched

    public :: tdls_dgetrf_coop_interleaved_batched, tdls_sgetrf_coop_interleaved_batched, &
        tdls_dgetrs_coop_interleaved_batched, tdls_sgetrs_coop_interleaved_batched, &
        tdls_dgesv_coop_interleaved_batched, tdls_sgesv_coop_interleaved_batched
    ! The generic procedures, and texts as Fortran's strings.
    public :: tdls_getrf, tdls_getrs, tdls_gesv
    public :: tdls_status_text, tdls_error_text, tdls_backend_text, tdls_device_text
    public :: tdls_backend_number

    integer(c_int32_t), parameter, public :: &
        TDLS_VERSION_MAJOR = 0, TDLS_VERSION_MINOR = 1, TDLS_VERSION_PATCH = 0

    integer(c_int32_t), parameter, public :: &
        TDLS_BACKEND_CPU = 1, TDLS_BACKEND_CUDA = 2, TDLS_BACKEND_HIP = 3

    integer(c_int32_t), parameter, public :: TDLS_ROW_MAJOR = 101, TDLS_COL_MAJOR = 102

    integer(c_int32_t), parameter, public :: &
        TDLS_NO_TRANS = 111, TDLS_TRANS = 112, TDLS_CONJ_TRANS = 113

    integer(c_int32_t), parameter, public :: TDLS_INTERCHANGE_AUTO = 0, &
        TDLS_INTERCHANGE_LOGICAL = 1, TDLS_INTERCHANGE_PHYSICAL = 2

    integer(c_int32_t), parameter, public :: TDLS_SUCCESS = 0, &
        TDLS_ERR_BACKEND_UNAVAILABLE = -1001, TDLS_ERR_NO_DEVICE = -1002, TDLS_ERR_ALLOC = -1003, &
        TDLS_ERR_DEVICE = -1004, TDLS_ERR_NOT_SUPPORTED = -1005, TDLS_ERR_INTERNAL = -1006

    ! Library, handles, memory.
    interface
        subroutine tdls_version(major, minor, patch) bind(c)
            import
            integer(c_int32_t), intent(out) :: major, minor, patch
        end subroutine
        type(c_ptr) function tdls_status_string(status) bind(c)
            import
            integer(c_int32_t), value :: status
        end function
        type(c_ptr) function tdls_last_error(handle) bind(c)
            import
            type(tdls_handle), value :: handle
        end function
        integer(c_int32_t) function tdls_backend_from_name(name) bind(c)
            import
            character(kind=c_char), intent(in) :: name(*)
        end function
        type(c_ptr) function tdls_backend_name(backend) bind(c)
            import
            integer(c_int32_t), value :: backend
        end function
        integer(c_int32_t) function tdls_device_count(backend, count) bind(c)
            import
            integer(c_int32_t), value :: backend
            integer(c_int32_t), intent(out) :: count
        end function
        integer(c_int32_t) function tdls_create(backend, device, handle) bind(c)
            import
            integer(c_int32_t), value :: backend, device
            type(tdls_handle), intent(out) :: handle
        end function
        integer(c_int32_t) function tdls_destroy(handle) bind(c)
            import
            type(tdls_handle), value :: handle
        end function
        integer(c_int32_t) function tdls_get_backend(handle, backend) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), intent(out) :: backend
        end function
        integer(c_int32_t) function tdls_device_name(handle, buffer, size) bind(c)
            import
            type(tdls_handle), value :: handle
            character(kind=c_char), intent(inout) :: buffer(*)
            integer(c_int64_t), value :: size
        end function
        integer(c_int32_t) function tdls_synchronize(handle) bind(c)
            import
            type(tdls_handle), value :: handle
        end function
        integer(c_int32_t) function tdls_malloc(handle, bytes, pointer) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int64_t), value :: bytes
            type(c_ptr), intent(out) :: pointer
        end function
        integer(c_int32_t) function tdls_free(handle, pointer) bind(c)
            import
            type(tdls_handle), value :: handle
            type(c_ptr), value :: pointer
        end function
        integer(c_int32_t) function tdls_memcpy(handle, to, from, bytes) bind(c)
            import
            type(tdls_handle), value :: handle
            type(c_ptr), value :: to, from
            integer(c_int64_t), value :: bytes
        end function
    end interface

    ! Settings of a handle.
    interface
        integer(c_int32_t) function tdls_set_layout(handle, layout) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: layout
        end function
        integer(c_int32_t) function tdls_get_layout(handle, layout) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), intent(out) :: layout
        end function
        integer(c_int32_t) function tdls_set_row_interchange(handle, interchange) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: interchange
        end function
        integer(c_int32_t) function tdls_get_row_interchange(handle, interchange) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), intent(out) :: interchange
        end function
        integer(c_int32_t) function tdls_set_pivot_threshold(handle, threshold) bind(c)
            import
            type(tdls_handle), value :: handle
            real(c_double), value :: threshold
        end function
        integer(c_int32_t) function tdls_get_pivot_threshold(handle, threshold) bind(c)
            import
            type(tdls_handle), value :: handle
            real(c_double), intent(out) :: threshold
        end function
        integer(c_int32_t) function tdls_set_singular_floor(handle, floor) bind(c)
            import
            type(tdls_handle), value :: handle
            real(c_double), value :: floor
        end function
        integer(c_int32_t) function tdls_get_singular_floor(handle, floor) bind(c)
            import
            type(tdls_handle), value :: handle
            real(c_double), intent(out) :: floor
        end function
        integer(c_int32_t) function tdls_set_rows_per_thread(handle, rows) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: rows
        end function
        integer(c_int32_t) function tdls_get_rows_per_thread(handle, rows) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), intent(out) :: rows
        end function
        integer(c_int32_t) function tdls_set_num_threads(handle, threads) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: threads
        end function
        integer(c_int32_t) function tdls_get_num_threads(handle, threads) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), intent(out) :: threads
        end function
        integer(c_int32_t) function tdls_set_stream(handle, stream) bind(c)
            import
            type(tdls_handle), value :: handle
            type(c_ptr), value :: stream
        end function
        integer(c_int32_t) function tdls_get_stream(handle, stream) bind(c)
            import
            type(tdls_handle), value :: handle
            type(c_ptr), intent(out) :: stream
        end function
    end interface

    ! Pointer arrays.
    interface
        integer(c_int32_t) function tdls_dgetrf_coop_batched(handle, n, A, lda, ipiv, strideP, &
                info, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: n, lda
            type(c_ptr), value :: A, ipiv, info
            integer(c_int64_t), value :: strideP, batch
        end function
        integer(c_int32_t) function tdls_sgetrf_coop_batched(handle, n, A, lda, ipiv, strideP, &
                info, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: n, lda
            type(c_ptr), value :: A, ipiv, info
            integer(c_int64_t), value :: strideP, batch
        end function
        integer(c_int32_t) function tdls_dgetrs_coop_batched(handle, trans, n, nrhs, A, lda, &
                ipiv, strideP, B, ldb, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: trans, n, nrhs, lda, ldb
            type(c_ptr), value :: A, ipiv, B
            integer(c_int64_t), value :: strideP, batch
        end function
        integer(c_int32_t) function tdls_sgetrs_coop_batched(handle, trans, n, nrhs, A, lda, &
                ipiv, strideP, B, ldb, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: trans, n, nrhs, lda, ldb
            type(c_ptr), value :: A, ipiv, B
            integer(c_int64_t), value :: strideP, batch
        end function
        integer(c_int32_t) function tdls_dgesv_coop_batched(handle, n, nrhs, A, lda, ipiv, &
                strideP, B, ldb, info, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: n, nrhs, lda, ldb
            type(c_ptr), value :: A, ipiv, B, info
            integer(c_int64_t), value :: strideP, batch
        end function
        integer(c_int32_t) function tdls_sgesv_coop_batched(handle, n, nrhs, A, lda, ipiv, &
                strideP, B, ldb, info, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: n, nrhs, lda, ldb
            type(c_ptr), value :: A, ipiv, B, info
            integer(c_int64_t), value :: strideP, batch
        end function
    end interface

    ! Strided storage.
    interface
        integer(c_int32_t) function tdls_dgetrf_coop_strided_batched(handle, n, A, lda, strideA, &
                ipiv, strideP, info, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: n, lda
            type(c_ptr), value :: A, ipiv, info
            integer(c_int64_t), value :: strideA, strideP, batch
        end function
        integer(c_int32_t) function tdls_sgetrf_coop_strided_batched(handle, n, A, lda, strideA, &
                ipiv, strideP, info, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: n, lda
            type(c_ptr), value :: A, ipiv, info
            integer(c_int64_t), value :: strideA, strideP, batch
        end function
        integer(c_int32_t) function tdls_dgetrs_coop_strided_batched(handle, trans, n, nrhs, A, &
                lda, strideA, ipiv, strideP, B, ldb, strideB, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: trans, n, nrhs, lda, ldb
            type(c_ptr), value :: A, ipiv, B
            integer(c_int64_t), value :: strideA, strideP, strideB, batch
        end function
        integer(c_int32_t) function tdls_sgetrs_coop_strided_batched(handle, trans, n, nrhs, A, &
                lda, strideA, ipiv, strideP, B, ldb, strideB, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: trans, n, nrhs, lda, ldb
            type(c_ptr), value :: A, ipiv, B
            integer(c_int64_t), value :: strideA, strideP, strideB, batch
        end function
        integer(c_int32_t) function tdls_dgesv_coop_strided_batched(handle, n, nrhs, A, lda, &
                strideA, ipiv, strideP, B, ldb, strideB, info, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: n, nrhs, lda, ldb
            type(c_ptr), value :: A, ipiv, B, info
            integer(c_int64_t), value :: strideA, strideP, strideB, batch
        end function
        integer(c_int32_t) function tdls_sgesv_coop_strided_batched(handle, n, nrhs, A, lda, &
                strideA, ipiv, strideP, B, ldb, strideB, info, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: n, nrhs, lda, ldb
            type(c_ptr), value :: A, ipiv, B, info
            integer(c_int64_t), value :: strideA, strideP, strideB, batch
        end function
    end interface

    ! Interleaved storage.
    interface
        integer(c_int32_t) function tdls_dgetrf_coop_interleaved_batched(handle, n, A, lda, &
                ipiv, info, width, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: n, lda
            type(c_ptr), value :: A, ipiv, info
            integer(c_int64_t), value :: width, batch
        end function
        integer(c_int32_t) function tdls_sgetrf_coop_interleaved_batched(handle, n, A, lda, &
                ipiv, info, width, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: n, lda
            type(c_ptr), value :: A, ipiv, info
            integer(c_int64_t), value :: width, batch
        end function
        integer(c_int32_t) function tdls_dgetrs_coop_interleaved_batched(handle, trans, n, nrhs, &
                A, lda, ipiv, B, ldb, width, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: trans, n, nrhs, lda, ldb
            type(c_ptr), value :: A, ipiv, B
            integer(c_int64_t), value :: width, batch
        end function
        integer(c_int32_t) function tdls_sgetrs_coop_interleaved_batched(handle, trans, n, nrhs, &
                A, lda, ipiv, B, ldb, width, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: trans, n, nrhs, lda, ldb
            type(c_ptr), value :: A, ipiv, B
            integer(c_int64_t), value :: width, batch
        end function
        integer(c_int32_t) function tdls_dgesv_coop_interleaved_batched(handle, n, nrhs, A, lda, &
                ipiv, B, ldb, info, width, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: n, nrhs, lda, ldb
            type(c_ptr), value :: A, ipiv, B, info
            integer(c_int64_t), value :: width, batch
        end function
        integer(c_int32_t) function tdls_sgesv_coop_interleaved_batched(handle, n, nrhs, A, lda, &
                ipiv, B, ldb, info, width, batch) bind(c)
            import
            type(tdls_handle), value :: handle
            integer(c_int32_t), value :: n, nrhs, lda, ldb
            type(c_ptr), value :: A, ipiv, B, info
            integer(c_int64_t), value :: width, batch
        end function
    end interface

    interface
        pure integer(c_size_t) function c_strlen(string) bind(c, name='strlen')
            import
            type(c_ptr), value, intent(in) :: string
        end function
    end interface

    !> `P A = L U` of each system.
    interface tdls_getrf
        procedure dgetrf, sgetrf
    end interface

    !> `op(A) X = B` of each system, with factors of tdls_getrf, tdls_gesv or LAPACK.
    interface tdls_getrs
        procedure dgetrs_matrix, sgetrs_matrix, dgetrs_vector, sgetrs_vector
        procedure dgetrs_matrix_trans, sgetrs_matrix_trans, dgetrs_vector_trans, sgetrs_vector_trans
    end interface

    !> `A X = B` of each system.
    interface tdls_gesv
        procedure dgesv_matrix, sgesv_matrix, dgesv_vector, sgesv_vector
    end interface

    !> What the C functions are told of the arrays of a call.
    type :: extents
        integer(c_int32_t) :: n = 0, nrhs = 0, lda = 1, ldb = 1
        integer(c_int64_t) :: strideA = 0, strideP = 0, strideB = 0, batch = 0
    end type

contains

    ! ------------------------------------------------------------------------------------------
    ! Texts
    ! ------------------------------------------------------------------------------------------

    !> A status in words.
    function tdls_status_text(status) result(text)
        integer(c_int32_t), intent(in) :: status
        character(len=:), allocatable :: text

        text = text_at(tdls_status_string(status))
    end function

    !> What the C library said of the last failure on this handle, '' if nothing has failed; without a
    !> handle, of this thread's last failure in tdls_create or tdls_device_count.
    function tdls_error_text(handle) result(text)
        type(tdls_handle), intent(in), optional :: handle
        character(len=:), allocatable :: text

        if (present(handle)) then
            text = text_at(tdls_last_error(handle))
        else
            text = text_at(tdls_last_error(tdls_null_handle))
        end if
    end function

    !> Name of a backend, '' if unknown.
    function tdls_backend_text(backend) result(text)
        integer(c_int32_t), intent(in) :: backend
        character(len=:), allocatable :: text

        text = text_at(tdls_backend_name(backend))
    end function

    !> Backend of a name ('cpu', 'cuda', 'hip', trailing blanks allowed), 0 if unknown.
    function tdls_backend_number(name) result(backend)
        character(len=*), intent(in) :: name
        integer(c_int32_t) :: backend

        backend = tdls_backend_from_name(trim(name) // c_null_char)
    end function

    !> Name of the handle's device, '' if the handle is NULL.
    function tdls_device_text(handle) result(text)
        type(tdls_handle), intent(in) :: handle
        character(len=:), allocatable :: text
        character(kind=c_char), target :: buffer(256)

        buffer(1) = c_null_char
        if (tdls_device_name(handle, buffer, 256_c_int64_t) /= TDLS_SUCCESS) buffer(1) = c_null_char
        text = text_at(c_loc(buffer))
    end function

    function text_at(string) result(text)
        type(c_ptr), intent(in) :: string
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        integer :: i, length

        length = 0
        if (c_associated(string)) length = int(c_strlen(string))
        allocate (character(len=length) :: text)
        if (length == 0) return
        call c_f_pointer(string, letters, [length])
        do i = 1, length
            text(i:i) = letters(i)
        end do
    end function

    ! ------------------------------------------------------------------------------------------
    ! The generic procedures, once for all types and ranks: the C functions of float and double have
    ! the same interface here.
    ! ------------------------------------------------------------------------------------------

    subroutine getrf(routine, handle, a_shape, a, ipiv, info, status, errmsg)
        procedure(tdls_dgetrf_coop_strided_batched) :: routine
        type(tdls_handle), intent(in) :: handle
        integer(c_int64_t), intent(in) :: a_shape(:)
        type(c_ptr), intent(in) :: a
        integer(c_int32_t), intent(inout), contiguous, target :: ipiv(:, :)
        integer(c_int32_t), intent(inout), contiguous, target, optional :: info(:)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        ! Where in the Fortran call argument i of the C function comes from.
        integer(c_int32_t), parameter :: origin(9) = [1, 2, 2, 2, 2, 3, 3, 4, 2]
        type(extents) :: e
        integer(c_int32_t) :: code
        character(len=:), allocatable :: text

        call measure(handle, 2, a_shape, e, code, text, ipiv=ipiv, info=info)
        if (code == TDLS_SUCCESS) then
            code = routine(handle, e%n, a, e%lda, e%strideA, address_of_pivots(ipiv), e%strideP, &
                address_of_info(info), e%batch)
            call explain(handle, origin, code, text)
        end if
        call report(code, text, status, errmsg)
    end subroutine

    subroutine getrs(routine, handle, first, trans, a_shape, a, ipiv, b_shape, b, status, errmsg)
        procedure(tdls_dgetrs_coop_strided_batched) :: routine
        type(tdls_handle), intent(in) :: handle
        integer, intent(in) :: first ! position of a in the Fortran call
        integer(c_int32_t), intent(in) :: trans
        integer(c_int64_t), intent(in) :: a_shape(:), b_shape(:)
        type(c_ptr), intent(in) :: a, b
        integer(c_int32_t), intent(in), contiguous, target :: ipiv(:, :)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int32_t), parameter :: after_a(3:13) = [0, 2, 0, 0, 0, 1, 1, 2, 2, 2, 0]
        type(extents) :: e
        integer(c_int32_t) :: code
        character(len=:), allocatable :: text

        call measure(handle, first, a_shape, e, code, text, ipiv=ipiv, b_shape=b_shape, trans=trans)
        if (code == TDLS_SUCCESS) then
            code = routine(handle, trans, e%n, e%nrhs, a, e%lda, e%strideA, address_of_pivots(ipiv), &
                e%strideP, b, e%ldb, e%strideB, e%batch)
            call explain(handle, [1, 2, first + after_a], code, text)
        end if
        call report(code, text, status, errmsg)
    end subroutine

    subroutine gesv(routine, handle, a_shape, a, ipiv, b_shape, b, info, status, errmsg)
        procedure(tdls_dgesv_coop_strided_batched) :: routine
        type(tdls_handle), intent(in) :: handle
        integer(c_int64_t), intent(in) :: a_shape(:), b_shape(:)
        type(c_ptr), intent(in) :: a, b
        integer(c_int32_t), intent(inout), contiguous, target, optional :: ipiv(:, :), info(:)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        integer(c_int32_t), parameter :: origin(13) = [1, 2, 4, 2, 2, 2, 3, 3, 4, 4, 4, 5, 2]
        type(extents) :: e
        integer(c_int32_t) :: code
        character(len=:), allocatable :: text

        call measure(handle, 2, a_shape, e, code, text, ipiv=ipiv, b_shape=b_shape, info=info)
        if (code == TDLS_SUCCESS) then
            code = routine(handle, e%n, e%nrhs, a, e%lda, e%strideA, address_of_pivots(ipiv), &
                e%strideP, b, e%ldb, e%strideB, address_of_info(info), e%batch)
            call explain(handle, origin, code, text)
        end if
        call report(code, text, status, errmsg)
    end subroutine

    !> Checks the arguments in the order of the call, and takes the dimensions from their shapes.
    subroutine measure(handle, first, a_shape, e, code, text, ipiv, b_shape, info, trans)
        type(tdls_handle), intent(in) :: handle
        integer, intent(in) :: first ! position of a in the call; ipiv, b, info follow in this order
        integer(c_int64_t), intent(in) :: a_shape(:)
        type(extents), intent(out) :: e
        integer(c_int32_t), intent(out) :: code
        character(len=:), allocatable, intent(out) :: text
        integer(c_int32_t), intent(in), optional :: ipiv(:, :)
        integer(c_int64_t), intent(in), optional :: b_shape(:)
        integer(c_int32_t), intent(in), optional :: info(:), trans
        integer(c_int64_t), parameter :: largest = huge(e%n)
        integer(c_int64_t) :: n, expected(size(a_shape))
        integer(c_int32_t) :: layout
        integer :: position

        code = tdls_get_layout(handle, layout)
        if (code /= TDLS_SUCCESS) then
            text = 'argument 1 is illegal: the handle is null'
            return
        end if
        if (present(trans)) then
            if (trans /= TDLS_NO_TRANS .and. trans /= TDLS_TRANS .and. trans /= TDLS_CONJ_TRANS) then
                code = -2
                text = 'argument 2 is illegal: trans is ' // in_digits(int(trans, c_int64_t)) // &
                    ', not TDLS_NO_TRANS, TDLS_TRANS or TDLS_CONJ_TRANS'
                return
            end if
        end if

        n = a_shape(2)
        if (a_shape(1) < n .or. maxval(a_shape(:2)) > largest) then
            call refuse(first, 'a', a_shape, 'its first extent must be at least its second')
            return
        end if
        e%n = int(n, c_int32_t)
        e%lda = int(max(a_shape(1), 1_c_int64_t), c_int32_t)
        e%strideA = e%lda * n
        e%strideP = n
        e%batch = a_shape(3)

        position = first + 1
        if (present(ipiv)) call require(position, 'ipiv', shape(ipiv, c_int64_t), [n, e%batch])
        if (code /= TDLS_SUCCESS) return

        if (present(b_shape)) then
            position = position + 1
            if (size(b_shape) == 2) then
                ! In row-major layout a single right-hand side is a row of one element, n times.
                call require(position, 'b', b_shape, [n, e%batch])
                e%nrhs = 1
                e%ldb = 1
                if (layout == TDLS_COL_MAJOR) e%ldb = int(max(n, 1_c_int64_t), c_int32_t)
                e%strideB = n
            else
                expected = b_shape
                expected(3) = e%batch
                if (layout == TDLS_COL_MAJOR) then
                    expected(1) = max(b_shape(1), n)
                else
                    expected(2) = n
                end if
                call require(position, 'b', b_shape, expected)
                if (code == TDLS_SUCCESS .and. maxval(b_shape(:2)) > largest) &
                    call refuse(position, 'b', b_shape, 'its extents must be below 2**31')
                if (code /= TDLS_SUCCESS) return
                e%ldb = int(max(b_shape(1), 1_c_int64_t), c_int32_t)
                e%nrhs = int(merge(b_shape(2), b_shape(1), layout == TDLS_COL_MAJOR), c_int32_t)
                e%strideB = e%ldb * b_shape(2)
            end if
            if (code /= TDLS_SUCCESS) return
        end if

        if (present(info)) call require(position + 1, 'info', shape(info, c_int64_t), [e%batch])

    contains

        subroutine require(position, name, actual, expected)
            integer, intent(in) :: position
            character(len=*), intent(in) :: name
            integer(c_int64_t), intent(in) :: actual(:), expected(:)

            if (any(actual /= expected)) call refuse(position, name, actual, &
                'the shape of a asks for ' // in_brackets(expected))
        end subroutine

        subroutine refuse(position, name, actual, reason)
            integer, intent(in) :: position
            character(len=*), intent(in) :: name, reason
            integer(c_int64_t), intent(in) :: actual(:)

            code = int(-position, c_int32_t)
            text = 'argument ' // in_digits(int(position, c_int64_t)) // ' is illegal: ' // name // &
                ' has the shape ' // in_brackets(actual) // ', but ' // reason
        end subroutine
    end subroutine

    function in_digits(number) result(text)
        integer(c_int64_t), intent(in) :: number
        character(len=:), allocatable :: text
        character(len=24) :: digits

        write (digits, '(i0)') number
        text = trim(digits)
    end function

    function in_brackets(extent) result(text)
        integer(c_int64_t), intent(in) :: extent(:)
        character(len=:), allocatable :: text
        integer :: i

        text = '(' // in_digits(extent(1))
        do i = 2, size(extent)
            text = text // ',' // in_digits(extent(i))
        end do
        text = text // ')'
    end function

    ! C_LOC of an array without elements is not defined: NULL stands for it.
    function address_of_pivots(ipiv) result(address)
        integer(c_int32_t), intent(in), contiguous, target, optional :: ipiv(:, :)
        type(c_ptr) :: address

        address = c_null_ptr
        if (.not. present(ipiv)) return
        if (all(shape(ipiv) > 0)) address = c_loc(ipiv(1, 1))
    end function

    function address_of_info(info) result(address)
        integer(c_int32_t), intent(in), contiguous, target, optional :: info(:)
        type(c_ptr) :: address

        address = c_null_ptr
        if (.not. present(info)) return
        if (all(shape(info) > 0)) address = c_loc(info(1))
    end function

    !> A failure of the C function: its text, and the position of the argument in the Fortran call.
    subroutine explain(handle, origin, code, text)
        type(tdls_handle), intent(in) :: handle
        integer(c_int32_t), intent(in) :: origin(:)
        integer(c_int32_t), intent(inout) :: code
        character(len=:), allocatable, intent(inout) :: text

        if (code == TDLS_SUCCESS) return
        text = tdls_error_text(handle)
        if (code < 0 .and. code >= -size(origin)) code = -origin(-code)
    end subroutine

    subroutine report(code, text, status, errmsg)
        integer(c_int32_t), intent(in) :: code
        character(len=:), allocatable, intent(in) :: text
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg

        if (present(status)) status = code
        if (code /= TDLS_SUCCESS .and. present(errmsg)) errmsg = text
    end subroutine

    ! ------------------------------------------------------------------------------------------
    ! What the generic names stand for. ipiv and info are intent(inout), so that a call that is
    ! refused leaves them as they were, copies of array sections included.
    ! ------------------------------------------------------------------------------------------

    subroutine dgetrf(handle, a, ipiv, info, status, errmsg)
        type(tdls_handle), intent(in) :: handle
        real(c_double), intent(inout), contiguous, target :: a(:, :, :)
        integer(c_int32_t), intent(inout), contiguous, target :: ipiv(:, :)
        integer(c_int32_t), intent(inout), contiguous, target, optional :: info(:)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_a

        at_a = c_null_ptr
        if (all(shape(a) > 0)) at_a = c_loc(a(1, 1, 1))
        call getrf(tdls_dgetrf_coop_strided_batched, handle, shape(a, c_int64_t), at_a, ipiv, &
            info, status, errmsg)
    end subroutine

    subroutine sgetrf(handle, a, ipiv, info, status, errmsg)
        type(tdls_handle), intent(in) :: handle
        real(c_float), intent(inout), contiguous, target :: a(:, :, :)
        integer(c_int32_t), intent(inout), contiguous, target :: ipiv(:, :)
        integer(c_int32_t), intent(inout), contiguous, target, optional :: info(:)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_a

        at_a = c_null_ptr
        if (all(shape(a) > 0)) at_a = c_loc(a(1, 1, 1))
        call getrf(tdls_sgetrf_coop_strided_batched, handle, shape(a, c_int64_t), at_a, ipiv, &
            info, status, errmsg)
    end subroutine

    subroutine dgetrs_matrix(handle, a, ipiv, b, status, errmsg)
        type(tdls_handle), intent(in) :: handle
        real(c_double), intent(in), contiguous, target :: a(:, :, :)
        integer(c_int32_t), intent(in), contiguous, target :: ipiv(:, :)
        real(c_double), intent(inout), contiguous, target :: b(:, :, :)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_a, at_b

        at_a = c_null_ptr
        at_b = c_null_ptr
        if (all(shape(a) > 0)) at_a = c_loc(a(1, 1, 1))
        if (all(shape(b) > 0)) at_b = c_loc(b(1, 1, 1))
        call getrs(tdls_dgetrs_coop_strided_batched, handle, 2, TDLS_NO_TRANS, shape(a, c_int64_t), &
            at_a, ipiv, shape(b, c_int64_t), at_b, status, errmsg)
    end subroutine

    subroutine sgetrs_matrix(handle, a, ipiv, b, status, errmsg)
        type(tdls_handle), intent(in) :: handle
        real(c_float), intent(in), contiguous, target :: a(:, :, :)
        integer(c_int32_t), intent(in), contiguous, target :: ipiv(:, :)
        real(c_float), intent(inout), contiguous, target :: b(:, :, :)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_a, at_b

        at_a = c_null_ptr
        at_b = c_null_ptr
        if (all(shape(a) > 0)) at_a = c_loc(a(1, 1, 1))
        if (all(shape(b) > 0)) at_b = c_loc(b(1, 1, 1))
        call getrs(tdls_sgetrs_coop_strided_batched, handle, 2, TDLS_NO_TRANS, shape(a, c_int64_t), &
            at_a, ipiv, shape(b, c_int64_t), at_b, status, errmsg)
    end subroutine

    subroutine dgetrs_vector(handle, a, ipiv, b, status, errmsg)
        type(tdls_handle), intent(in) :: handle
        real(c_double), intent(in), contiguous, target :: a(:, :, :)
        integer(c_int32_t), intent(in), contiguous, target :: ipiv(:, :)
        real(c_double), intent(inout), contiguous, target :: b(:, :)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_a, at_b

        at_a = c_null_ptr
        at_b = c_null_ptr
        if (all(shape(a) > 0)) at_a = c_loc(a(1, 1, 1))
        if (all(shape(b) > 0)) at_b = c_loc(b(1, 1))
        call getrs(tdls_dgetrs_coop_strided_batched, handle, 2, TDLS_NO_TRANS, shape(a, c_int64_t), &
            at_a, ipiv, shape(b, c_int64_t), at_b, status, errmsg)
    end subroutine

    subroutine sgetrs_vector(handle, a, ipiv, b, status, errmsg)
        type(tdls_handle), intent(in) :: handle
        real(c_float), intent(in), contiguous, target :: a(:, :, :)
        integer(c_int32_t), intent(in), contiguous, target :: ipiv(:, :)
        real(c_float), intent(inout), contiguous, target :: b(:, :)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_a, at_b

        at_a = c_null_ptr
        at_b = c_null_ptr
        if (all(shape(a) > 0)) at_a = c_loc(a(1, 1, 1))
        if (all(shape(b) > 0)) at_b = c_loc(b(1, 1))
        call getrs(tdls_sgetrs_coop_strided_batched, handle, 2, TDLS_NO_TRANS, shape(a, c_int64_t), &
            at_a, ipiv, shape(b, c_int64_t), at_b, status, errmsg)
    end subroutine

    subroutine dgetrs_matrix_trans(handle, trans, a, ipiv, b, status, errmsg)
        type(tdls_handle), intent(in) :: handle
        integer(c_int32_t), intent(in) :: trans
        real(c_double), intent(in), contiguous, target :: a(:, :, :)
        integer(c_int32_t), intent(in), contiguous, target :: ipiv(:, :)
        real(c_double), intent(inout), contiguous, target :: b(:, :, :)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_a, at_b

        at_a = c_null_ptr
        at_b = c_null_ptr
        if (all(shape(a) > 0)) at_a = c_loc(a(1, 1, 1))
        if (all(shape(b) > 0)) at_b = c_loc(b(1, 1, 1))
        call getrs(tdls_dgetrs_coop_strided_batched, handle, 3, trans, shape(a, c_int64_t), &
            at_a, ipiv, shape(b, c_int64_t), at_b, status, errmsg)
    end subroutine

    subroutine sgetrs_matrix_trans(handle, trans, a, ipiv, b, status, errmsg)
        type(tdls_handle), intent(in) :: handle
        integer(c_int32_t), intent(in) :: trans
        real(c_float), intent(in), contiguous, target :: a(:, :, :)
        integer(c_int32_t), intent(in), contiguous, target :: ipiv(:, :)
        real(c_float), intent(inout), contiguous, target :: b(:, :, :)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_a, at_b

        at_a = c_null_ptr
        at_b = c_null_ptr
        if (all(shape(a) > 0)) at_a = c_loc(a(1, 1, 1))
        if (all(shape(b) > 0)) at_b = c_loc(b(1, 1, 1))
        call getrs(tdls_sgetrs_coop_strided_batched, handle, 3, trans, shape(a, c_int64_t), &
            at_a, ipiv, shape(b, c_int64_t), at_b, status, errmsg)
    end subroutine

    subroutine dgetrs_vector_trans(handle, trans, a, ipiv, b, status, errmsg)
        type(tdls_handle), intent(in) :: handle
        integer(c_int32_t), intent(in) :: trans
        real(c_double), intent(in), contiguous, target :: a(:, :, :)
        integer(c_int32_t), intent(in), contiguous, target :: ipiv(:, :)
        real(c_double), intent(inout), contiguous, target :: b(:, :)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_a, at_b

        at_a = c_null_ptr
        at_b = c_null_ptr
        if (all(shape(a) > 0)) at_a = c_loc(a(1, 1, 1))
        if (all(shape(b) > 0)) at_b = c_loc(b(1, 1))
        call getrs(tdls_dgetrs_coop_strided_batched, handle, 3, trans, shape(a, c_int64_t), &
            at_a, ipiv, shape(b, c_int64_t), at_b, status, errmsg)
    end subroutine

    subroutine sgetrs_vector_trans(handle, trans, a, ipiv, b, status, errmsg)
        type(tdls_handle), intent(in) :: handle
        integer(c_int32_t), intent(in) :: trans
        real(c_float), intent(in), contiguous, target :: a(:, :, :)
        integer(c_int32_t), intent(in), contiguous, target :: ipiv(:, :)
        real(c_float), intent(inout), contiguous, target :: b(:, :)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_a, at_b

        at_a = c_null_ptr
        at_b = c_null_ptr
        if (all(shape(a) > 0)) at_a = c_loc(a(1, 1, 1))
        if (all(shape(b) > 0)) at_b = c_loc(b(1, 1))
        call getrs(tdls_sgetrs_coop_strided_batched, handle, 3, trans, shape(a, c_int64_t), &
            at_a, ipiv, shape(b, c_int64_t), at_b, status, errmsg)
    end subroutine

    ! In gesv a has no intent: without ipiv it may be an array that the caller may only read.

    subroutine dgesv_matrix(handle, a, ipiv, b, info, status, errmsg)
        type(tdls_handle), intent(in) :: handle
        real(c_double), contiguous, target :: a(:, :, :)
        integer(c_int32_t), intent(inout), contiguous, target, optional :: ipiv(:, :)
        real(c_double), intent(inout), contiguous, target :: b(:, :, :)
        integer(c_int32_t), intent(inout), contiguous, target, optional :: info(:)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_a, at_b

        at_a = c_null_ptr
        at_b = c_null_ptr
        if (all(shape(a) > 0)) at_a = c_loc(a(1, 1, 1))
        if (all(shape(b) > 0)) at_b = c_loc(b(1, 1, 1))
        call gesv(tdls_dgesv_coop_strided_batched, handle, shape(a, c_int64_t), at_a, ipiv, &
            shape(b, c_int64_t), at_b, info, status, errmsg)
    end subroutine

    subroutine sgesv_matrix(handle, a, ipiv, b, info, status, errmsg)
        type(tdls_handle), intent(in) :: handle
        real(c_float), contiguous, target :: a(:, :, :)
        integer(c_int32_t), intent(inout), contiguous, target, optional :: ipiv(:, :)
        real(c_float), intent(inout), contiguous, target :: b(:, :, :)
        integer(c_int32_t), intent(inout), contiguous, target, optional :: info(:)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_a, at_b

        at_a = c_null_ptr
        at_b = c_null_ptr
        if (all(shape(a) > 0)) at_a = c_loc(a(1, 1, 1))
        if (all(shape(b) > 0)) at_b = c_loc(b(1, 1, 1))
        call gesv(tdls_sgesv_coop_strided_batched, handle, shape(a, c_int64_t), at_a, ipiv, &
            shape(b, c_int64_t), at_b, info, status, errmsg)
    end subroutine

    subroutine dgesv_vector(handle, a, ipiv, b, info, status, errmsg)
        type(tdls_handle), intent(in) :: handle
        real(c_double), contiguous, target :: a(:, :, :)
        integer(c_int32_t), intent(inout), contiguous, target, optional :: ipiv(:, :)
        real(c_double), intent(inout), contiguous, target :: b(:, :)
        integer(c_int32_t), intent(inout), contiguous, target, optional :: info(:)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_a, at_b

        at_a = c_null_ptr
        at_b = c_null_ptr
        if (all(shape(a) > 0)) at_a = c_loc(a(1, 1, 1))
        if (all(shape(b) > 0)) at_b = c_loc(b(1, 1))
        call gesv(tdls_dgesv_coop_strided_batched, handle, shape(a, c_int64_t), at_a, ipiv, &
            shape(b, c_int64_t), at_b, info, status, errmsg)
    end subroutine

    subroutine sgesv_vector(handle, a, ipiv, b, info, status, errmsg)
        type(tdls_handle), intent(in) :: handle
        real(c_float), contiguous, target :: a(:, :, :)
        integer(c_int32_t), intent(inout), contiguous, target, optional :: ipiv(:, :)
        real(c_float), intent(inout), contiguous, target :: b(:, :)
        integer(c_int32_t), intent(inout), contiguous, target, optional :: info(:)
        integer(c_int32_t), intent(out), optional :: status
        character(len=*), intent(inout), optional :: errmsg
        type(c_ptr) :: at_a, at_b

        at_a = c_null_ptr
        at_b = c_null_ptr
        if (all(shape(a) > 0)) at_a = c_loc(a(1, 1, 1))
        if (all(shape(b) > 0)) at_b = c_loc(b(1, 1))
        call gesv(tdls_sgesv_coop_strided_batched, handle, shape(a, c_int64_t), at_a, ipiv, &
            shape(b, c_int64_t), at_b, info, status, errmsg)
    end subroutine
end module
