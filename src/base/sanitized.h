// The sanitizer that this unit is compiled with: g++ defines a macro for each, clang provides __has_feature.
// FATHOM_ASAN and FATHOM_TSAN are 0 or 1.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define FATHOM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FATHOM_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define FATHOM_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FATHOM_TSAN 1
#endif
#endif
#ifndef FATHOM_ASAN
#define FATHOM_ASAN 0
#endif
#ifndef FATHOM_TSAN
#define FATHOM_TSAN 0
#endif

namespace fathom::base {

// A sanitizer keeps a shadow of all memory: it faults in its own pages at any time, and they fill its address space. It
// ends the program if an allocation fails, and at unhandled signals.
inline constexpr bool kSanitized = FATHOM_ASAN || FATHOM_TSAN;

}  // namespace fathom::base
