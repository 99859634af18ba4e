// Counts every allocation in the process. For one source of a program: it replaces malloc.
#pragma once

#include <atomic>
#include <cstdlib>

namespace {
std::atomic<long> allocations{0};
}  // namespace

// The address sanitizer has a malloc of its own, and hooks to watch it.
#if defined(__SANITIZE_ADDRESS__)
#define KOPPEL_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KOPPEL_ADDRESS_SANITIZER
#endif
#endif

#if !defined(KOPPEL_ADDRESS_SANITIZER)

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);

__attribute__((visibility("default"))) void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
__attribute__((visibility("default"))) void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
__attribute__((visibility("default"))) void* realloc(void* block, std::size_t size) {
  ++allocations;
  return __libc_realloc(block, size);
}
}

#else

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void*,
                                                                           std::size_t),
                                                         void (*freed)(const volatile void*));

[[maybe_unused]] const int kHooks = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { ++allocations; }, [](const volatile void*) {});

#endif
