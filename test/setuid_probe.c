/* SPDX-License-Identifier: BSD-3-Clause */
/* Asks for a device module and says whether the program was set-uid. Run by check_setuid.sh; linked
 * statically, since set-uid programs look for no library in a build folder. */
#include <stdio.h>

#include <sys/auxv.h>

#include <tdls/tdls.h>

int main(void)
{
    tdls_handle_t handle;
    const tdls_status_t status = tdls_create(TDLS_BACKEND_CUDA, 0, &handle);
    printf("secure=%lu status=%d %s\n", getauxval(AT_SECURE), status, tdls_last_error(NULL));
    return 0;
}
