// SPDX-License-Identifier: BSD-3-Clause
// Finds and opens device modules. A module stays open until the process ends: handles may still use
// it, and runtimes of GPUs do not like to be unloaded.

#include "modules.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend_list.hpp"

namespace tdls
{

namespace
{

constexpr BackendName backends[] = TDLS_BACKEND_LIST;
constexpr std::size_t backend_count = sizeof backends / sizeof *backends;

std::mutex opened_lock;
const Backend *opened[backend_count]; // guarded by opened_lock

// The folder of the loaded libtdls.so, or "" where this code is linked statically into another
// object, which says nothing of where the modules are.
void own_folder(char *folder, std::size_t size)
{
    folder[0] = '\0';
    Dl_info where;
    if (dladdr(reinterpret_cast<const void *>(&tdls_version), &where) == 0 ||
        where.dli_fname == nullptr) {
        return;
    }
    const char *slash = std::strrchr(where.dli_fname, '/');
    if (slash == nullptr || std::strncmp(slash + 1, "libtdls.", 8) != 0) {
        return;
    }
    const auto length = static_cast<std::size_t>(slash - where.dli_fname);
    if (length < size) {
        std::memcpy(folder, where.dli_fname, length);
        folder[length] = '\0';
    }
}

void append(ErrorText &error, const char *text)
{
    const std::size_t used = std::strlen(error.text);
    std::snprintf(error.text + used, sizeof error.text - used, "%s", text);
}

// What the loader would not survive: it waits for ever at a pipe, and of a file that is shorter
// than its own headers say it maps what is not there, and the process dies of SIGBUS. Null: nothing
// of the kind; whatever else is wrong with a file the loader finds out and says.
const char *unsafe_to_load(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return nullptr;
    }
    struct stat status;
    ElfW(Ehdr) header;
    const char *reason = nullptr;
    if (fstat(file, &status) != 0 || S_ISDIR(status.st_mode)) {
        reason = nullptr;
    } else if (!S_ISREG(status.st_mode)) {
        reason = "cannot be a module: no regular file";
    } else if (pread(file, &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header) &&
               std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
               header.e_phentsize == sizeof(ElfW(Phdr))) {
        const auto size = static_cast<std::uint64_t>(status.st_size);
        for (unsigned i = 0; i < header.e_phnum && reason == nullptr; ++i) {
            ElfW(Phdr) segment;
            const std::uint64_t at = header.e_phoff + i * sizeof segment;
            if (pread(file, &segment, sizeof segment, static_cast<off_t>(at)) !=
                    static_cast<ssize_t>(sizeof segment) ||
                (segment.p_type == PT_LOAD &&
                 (segment.p_filesz > size || segment.p_offset > size - segment.p_filesz))) {
                reason = "is cut off: shorter than its own headers say";
            }
        }
    }
    close(file);
    return reason;
}

// Opens one file. Null: what was wrong has been appended to the error.
const Backend *open_file(const char *path, const BackendName &entry, ErrorText &error)
{
    append(error, "; ");
    append(error, path);
    append(error, ": ");
    if (const char *unsafe = unsafe_to_load(path)) {
        append(error, unsafe);
        return nullptr;
    }
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
        const char *reason = dlerror();
        // The reason mostly begins with the path once more.
        const std::size_t length = std::strlen(path);
        if (reason != nullptr && std::strncmp(reason, path, length) == 0 &&
            std::strncmp(reason + length, ": ", 2) == 0) {
            reason += length + 2;
        }
        append(error, reason != nullptr ? reason : "cannot be opened");
        return nullptr;
    }
    ModuleEntry table_of = nullptr;
    void *symbol = dlsym(module, TDLS_MODULE_ENTRY);
    static_assert(sizeof symbol == sizeof table_of);
    std::memcpy(&table_of, &symbol, sizeof symbol);
    const Backend *table = table_of != nullptr ? table_of() : nullptr;
    if (table == nullptr) {
        append(error, "is no module of libtdls (it has no " TDLS_MODULE_ENTRY ")");
    } else if (table->table_version != backend_table_version) {
        char text[96];
        std::snprintf(text, sizeof text,
                      "is of version %u of the backend table, this library of %u",
                      static_cast<unsigned>(table->table_version),
                      static_cast<unsigned>(backend_table_version));
        append(error, text);
        table = nullptr;
    } else if (table->id != entry.id) {
        append(error, "is the module of another backend");
        table = nullptr;
    }
    if (table == nullptr) {
        dlclose(module);
    }
    return table;
}

const Backend *open_in(const char *folder, std::size_t length, const char *below,
                       const BackendName &entry, ErrorText &error)
{
    char path[4096];
    const int needed = std::snprintf(path, sizeof path, "%.*s%s/tdls_%s.so",
                                     static_cast<int>(length), folder, below, entry.name);
    if (needed < 0 || static_cast<std::size_t>(needed) >= sizeof path) {
        append(error, "; a folder with too long a name");
        return nullptr;
    }
    return open_file(path, entry, error);
}

const Backend *search(const BackendName &entry, ErrorText &error)
{
    write_error(error, "no usable module of the %s backend was found", entry.name);
    const char *folder = secure_getenv("TDLS_MODULE_PATH");
    while (folder != nullptr && *folder != '\0') {
        const std::size_t length = std::strcspn(folder, ":");
        if (length > 0) {
            if (const Backend *table = open_in(folder, length, "", entry, error)) {
                return table;
            }
        }
        folder += length;
        folder += *folder == ':';
    }
    char own[4096];
    own_folder(own, sizeof own);
    if (own[0] != '\0') {
        return open_in(own, std::strlen(own), "/tdls", entry, error);
    }
    return open_in(TDLS_MODULE_FOLDER, std::strlen(TDLS_MODULE_FOLDER), "", entry, error);
}

} // namespace

const BackendName *find_backend(std::int32_t id)
{
    for (const BackendName &entry : backends) {
        if (entry.id == id) {
            return &entry;
        }
    }
    return nullptr;
}

const BackendName *find_backend(const char *name)
{
    for (const BackendName &entry : backends) {
        if (name != nullptr && std::strcmp(entry.name, name) == 0) {
            return &entry;
        }
    }
    return nullptr;
}

const Backend *load_backend(const BackendName &entry, ErrorText &error)
{
    if (entry.built_in != nullptr) {
        return entry.built_in;
    }
    const std::lock_guard<std::mutex> guard(opened_lock);
    const Backend *&table = opened[&entry - backends];
    if (table == nullptr) {
        table = search(entry, error);
    }
    return table;
}

} // namespace tdls
