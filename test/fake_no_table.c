/* SPDX-License-Identifier: BSD-3-Clause */
/* A module for test_modules.c: it has the entry, but no table. */
const void *tdls_backend_table(void);
const void *tdls_backend_table(void)
{
    return 0;
}
