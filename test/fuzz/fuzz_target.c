/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry of libFuzzer (clang): ./dev fuzz */
#include "one_call.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    one_call(data, size);
    return 0;
}
