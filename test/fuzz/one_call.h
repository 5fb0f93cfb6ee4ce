/* SPDX-License-Identifier: BSD-3-Clause */
/* One call of the library, made up from bytes, and what must come of it. */
#ifndef TDLS_TEST_ONE_CALL_H
#define TDLS_TEST_ONE_CALL_H

#include "support.h"

/* Makes up settings, arguments and matrices from the bytes, calls a routine, and ends the program
 * unless what came back is either -i of the first illegal argument with nothing touched, or the
 * bits of the plain loop with guards untouched and no floating-point flag that the loop does not
 * raise. */
void one_call(const uint8_t *bytes, size_t count);

/* Calls so far that were legal, illegal, and had systems without a pivot. */
struct calls {
    long legal, illegal, singular;
};
extern struct calls calls_so_far;

/* Destroys the handles that are kept from call to call. */
void forget_handles(void);

#endif
