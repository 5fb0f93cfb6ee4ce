/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that is no module. */
extern int tdls_fake_empty;
int tdls_fake_empty = 1;
