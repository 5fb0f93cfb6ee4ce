/* SPDX-License-Identifier: BSD-3-Clause */
/* With traps for invalid operations and divisions by zero, as codes under -ffpe-trap have them, no
 * sound batch raises one, whatever the order, the remainder of the batch, or the storage. */
#define _GNU_SOURCE
#include "support.h"

#include <fenv.h>

static void no_traps(void **argument)
{
    const struct combination *c = *argument;
    only_on_the_cpu();
    uint64_t state = seed;
    for (int32_t n = 1; n <= 70; n += n < 34 ? 1 : 7)
        for (int64_t count = 1; count <= 17; count += n < 20 ? 1 : 5) {
            struct shape shape = c->shape;
            shape.n = n;
            shape.nrhs = 2;
            shape.batch = count;
            shape.width = 5;
            struct batch *batch = batch_create(shape);
            fill_random(batch, &state);
            struct batch *only_x = batch_copy(batch);
            only_x->keep = 0;
            tdls_handle_t handle = open_handle_for(&shape);
            assert_int_equal(tdls_set_num_threads(handle, 1), TDLS_SUCCESS);
            feclearexcept(FE_ALL_EXCEPT);
            feenableexcept(FE_INVALID | FE_DIVBYZERO);
            const tdls_status_t one = call(GESV, handle, TDLS_NO_TRANS, only_x);
            const tdls_status_t two = call(GETRF, handle, TDLS_NO_TRANS, batch);
            const tdls_status_t three = call(GETRS, handle, TDLS_NO_TRANS, batch);
            const tdls_status_t four = call(GETRS, handle, TDLS_TRANS, batch);
            fedisableexcept(FE_ALL_EXCEPT);
            assert_int_equal(one | two | three | four, TDLS_SUCCESS);
            assert_int_equal(fetestexcept(FE_INVALID | FE_DIVBYZERO), 0);
            batch_free(batch);
            batch_free(only_x);
            tdls_destroy(handle);
        }
}

int main(void)
{
    struct combination combinations[COMBINATIONS];
    struct CMUnitTest tests[COMBINATIONS];
    const size_t count = add_combinations(tests, 0, combinations, "no traps", 0, no_traps);
    return run_program("traps", tests, count);
}
