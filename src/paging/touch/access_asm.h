// One 4-byte load or store between two stamps, as one asm statement: the compiler cannot move anything between the
// stamps and the access. Problem: pmbench's first rdtscp is not followed by a fence, so the load may start before its
// stamp is taken. Choice: lfence; rdtsc; lfence; access; rdtscp; lfence. The first fence keeps older instructions out
// of the pair. The second keeps the access from starting before the stamp. rdtscp waits for a load to have its value,
// and the last fence keeps younger instructions out. A store is over when it is in the store buffer: its fault is in
// the pair, its way to memory is not. The halves of the first stamp are combined after the access starts, in parallel
// with it, at no cost.
// Sources: Intel SDM vol. 2, LFENCE, RDTSC, RDTSCP; Arm ARM, CNTVCT_EL0, DSB, ISB. Every statement has a mark, and
// tests/paging_run/access_asm_test.py reads the instructions at the marks in the finished program. Thread rule: none.
#pragma once
#include <cstdint>

#include "base/marks.h"
#include "clock/sources/source.h"
#include "paging/plan.h"

namespace fathom::paging::touch {

// update: pmbench's wrneedsrd, a load and then a store of the same word. empty: the pair alone, for its floor.
enum class Touch : std::uint8_t { load, store, update, empty };

struct TimedPair {
  std::uint64_t start = 0, ticks = 0;
  std::uint64_t end() const { return start + ticks; }
};

// timed(word, value): start and duration of the pair. A store writes value; a load leaves it unchanged.
template <Stamps S, Touch T>
struct TimedAccess;

// The access alone (mode touch, warm-up).
template <Touch T>
struct PlainAccess;

#if defined(__x86_64__)

#define FATHOM_LOAD "movl %[word],%[scratch]\n\t"
#define FATHOM_STORE "movl %[value],%[word]\n\t"
#define FATHOM_KEEP_START "shlq $32,%%rdx\n\tleaq (%%rdx,%%rax),%[start]\n\t"
#define FATHOM_SAVED(lo, hi, start) "=&a"(lo), "=&d"(hi), [start] "=&r"(start)
#define FATHOM_CLOBBERS "ecx", "cc"
#define FATHOM_TICKS(lo, hi, start) ((lo) - (start) + ((hi) << 32))

#elif defined(__aarch64__)

#define FATHOM_LOAD "ldr %w[scratch],%[word]\n\t"
#define FATHOM_STORE "str %w[value],%[word]\n\t"
#define FATHOM_KEEP_START ""
#define FATHOM_SAVED(lo, hi, start) [end] "=&r"(lo), "=&r"(hi), [start] "=&r"(start)
#define FATHOM_CLOBBERS "cc"
#define FATHOM_TICKS(lo, hi, start) ((void)(hi), (lo) - (start))

#endif

// NOLINTBEGIN(bugprone-macro-parentheses): parts of assembler text
#define FATHOM_PLAIN(touch, text, access)                                                     \
  template <>                                                                                 \
  struct PlainAccess<Touch::touch> {                                                          \
    [[gnu::always_inline]] static void touch_word(std::uint32_t& word, std::uint32_t value) { \
      std::uint32_t scratch = 0;                                                              \
      asm volatile(FATHOM_MARK_TEXT("paging.access.plain." text) access                       \
                   : [word] "+m"(word), [scratch] "=&r"(scratch)                              \
                   : [value] "r"(value));                                                     \
    }                                                                                         \
  };

#define FATHOM_TIMED(stamps, touch, text, first, access, second)                                 \
  template <>                                                                                    \
  struct TimedAccess<Stamps::stamps, Touch::touch> {                                             \
    [[gnu::always_inline]] static TimedPair timed(std::uint32_t& word, std::uint32_t value) {    \
      std::uint64_t lo, hi = 0, start;                                                           \
      std::uint32_t scratch;                                                                     \
      asm volatile(FATHOM_MARK_TEXT("paging.access." text) first access FATHOM_KEEP_START second \
                   : FATHOM_SAVED(lo, hi, start), [word] "+m"(word), [scratch] "=&r"(scratch)    \
                   : [value] "r"(value)                                                          \
                   : FATHOM_CLOBBERS);                                                           \
      return {start, FATHOM_TICKS(lo, hi, start)};                                               \
    }                                                                                            \
  };

#define FATHOM_TIMED_ALL(stamps, first, second)                                            \
  FATHOM_TIMED(stamps, load, #stamps ".load", first, FATHOM_LOAD, second)                  \
  FATHOM_TIMED(stamps, store, #stamps ".store", first, FATHOM_STORE, second)               \
  FATHOM_TIMED(stamps, update, #stamps ".update", first, FATHOM_LOAD FATHOM_STORE, second) \
  FATHOM_TIMED(stamps, empty, #stamps ".empty", first, "", second)

#if defined(__x86_64__)
FATHOM_TIMED_ALL(fenced, "lfence\n\trdtsc\n\tlfence\n\t", "rdtscp\n\tlfence")
FATHOM_TIMED_ALL(rdtscp, "rdtscp\n\t", "rdtscp")
FATHOM_TIMED_ALL(rdtsc, "rdtsc\n\t", "rdtsc")
#elif defined(__aarch64__)
// dsb waits for the access itself, isb for everything before it.
FATHOM_TIMED_ALL(fenced, "isb\n\tmrs %[start],cntvct_el0\n\tisb\n\t", "dsb ish\n\tisb\n\tmrs %[end],cntvct_el0\n\tisb")
FATHOM_TIMED_ALL(rdtscp, "isb\n\tmrs %[start],cntvct_el0\n\t", "isb\n\tmrs %[end],cntvct_el0")
FATHOM_TIMED_ALL(rdtsc, "mrs %[start],cntvct_el0\n\t", "mrs %[end],cntvct_el0")
#endif

FATHOM_PLAIN(load, "load", FATHOM_LOAD)
FATHOM_PLAIN(store, "store", FATHOM_STORE)
FATHOM_PLAIN(update, "update", FATHOM_LOAD FATHOM_STORE)
FATHOM_PLAIN(empty, "empty", "")

// Two clock calls: the kernel's clock, for machines without a suitable CPU clock.
template <Touch T>
struct TimedAccess<Stamps::clock_gettime, T> {
  [[gnu::always_inline]] static TimedPair timed(std::uint32_t& word, std::uint32_t value) {
    const std::uint64_t start = clock::sources::MonotonicClock::now().v;
    PlainAccess<T>::touch_word(word, value);
    return {start, clock::sources::MonotonicClock::now().v - start};
  }
};

// NOLINTEND(bugprone-macro-parentheses)
#undef FATHOM_PLAIN
#undef FATHOM_TIMED
#undef FATHOM_TIMED_ALL
#undef FATHOM_LOAD
#undef FATHOM_STORE
#undef FATHOM_KEEP_START
#undef FATHOM_SAVED
#undef FATHOM_CLOBBERS
#undef FATHOM_TICKS

// The current time of the clock that these stamps read, without a fence: for deadlines and delays.
template <Stamps S>
[[gnu::always_inline]] inline std::uint64_t stamp_now() {
  if constexpr (S == Stamps::clock_gettime)
    return clock::sources::MonotonicClock::now().v;
  else
    return clock::sources::CpuClock::now().v;
}

}  // namespace fathom::paging::touch
