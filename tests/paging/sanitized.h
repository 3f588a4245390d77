// A sanitizer keeps a shadow of all memory: its own pages are faulted in at any time, and its address space is full of
// them. What counts faults exactly, or asks for terabytes, is asked of the plain build alone.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FATHOM_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FATHOM_SANITIZED 1
#endif
#endif

namespace fathom::paging {
#ifdef FATHOM_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
}  // namespace fathom::paging
