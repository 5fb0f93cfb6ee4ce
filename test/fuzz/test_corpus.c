/* SPDX-License-Identifier: BSD-3-Clause */
/* The corpus of ./dev fuzz once more, and calls made up from random bytes, with any compiler and
 * instruction set. usage: test_corpus FOLDER... */
#include "one_call.h"

#include <dirent.h>

static char **folders;
static int folder_count;

static void corpus(void **unused)
{
    (void)unused;
    static uint8_t bytes[1 << 16];
    int files = 0;
    for (int f = 0; f < folder_count; ++f) {
        DIR *folder = opendir(folders[f]);
        assert_non_null(folder);
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            if (entry->d_name[0] == '.')
                continue;
            char path[1024];
            snprintf(path, sizeof path, "%.700s/%.300s", folders[f], entry->d_name);
            FILE *file = fopen(path, "rb");
            assert_non_null(file);
            const size_t count = fread(bytes, 1, sizeof bytes, file);
            fclose(file);
            one_call(bytes, count);
            ++files;
        }
        closedir(folder);
    }
    assert_true(files > 0);
    forget_handles();
}

static void random_bytes(void **unused)
{
    (void)unused;
    static uint8_t bytes[256];
    uint64_t state = seed;
    const int rounds = getenv("TDLS_TEST_FEW") != NULL ? 50 : 2000;
    for (int i = 0; i < rounds; ++i) {
        const size_t count = (size_t)uniform(&state, 20, sizeof bytes);
        for (size_t k = 0; k < count; ++k)
            bytes[k] = (uint8_t)uniform(&state, 0, 256);
        one_call(bytes, count);
    }
    /* All kinds of calls have been among them. */
    assert_true(calls_so_far.legal > rounds / 2);
    assert_true(calls_so_far.illegal > rounds / 20);
    assert_true(calls_so_far.singular > rounds / 20);
    forget_handles();
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(corpus), cmocka_unit_test(random_bytes)};
    folders = arguments + 1;
    folder_count = count - 1;
    return run_program("corpus", tests, COUNT_OF(tests));
}
