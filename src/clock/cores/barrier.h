// The barrier between reading the shared sequence and reading the counter. A CPU may read its counter before an earlier
// load has its value. A later entry of the sequence then has an earlier time although the counters agree.
// Since GCC 11, compilers implement a full barrier as `lock or`, which orders memory only. fio's test passed with it on
// Intel and failed on AMD, and it fails on the AMD machine measured in docs/reference/clock.md. The instruction is
// therefore written here, in one asm statement with the read. `builtin` is separate, to show what the compiler chose.
// tests/clock/barriers_test.py finds these instructions in the finished program by their marks.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "base/marks.h"

namespace fathom::clock::cores {

enum class Barrier : std::uint8_t { mfence, lock_or, lfence, dsb_isb, dsb_ish, dmb_ish, isb, builtin, none };

// The architecture of an instruction.
enum class Machine : std::uint8_t { x86_64, aarch64, any };
#if defined(__x86_64__)
inline constexpr Machine kMachine = Machine::x86_64;
#elif defined(__aarch64__)
inline constexpr Machine kMachine = Machine::aarch64;
#endif
constexpr std::string_view name(Machine m) {
  constexpr std::string_view names[] = {"x86_64", "aarch64", "any"};
  return names[static_cast<int>(m)];
}

struct BarrierRow {
  Barrier barrier;
  std::string_view name;         // as in --barrier and the marks
  std::string_view instruction;  // empty: the compiler's choice
  Machine machine;
  constexpr bool here() const { return machine == kMachine || machine == Machine::any; }
};

inline constexpr BarrierRow kBarriers[] = {
    {Barrier::mfence, "mfence", "mfence", Machine::x86_64},
    {Barrier::lock_or, "lock-or", "lock orq $0,(%rsp)", Machine::x86_64},
    {Barrier::lfence, "lfence", "lfence", Machine::x86_64},
    {Barrier::dsb_isb, "dsb-isb", "dsb ish; isb", Machine::aarch64},
    {Barrier::dsb_ish, "dsb-ish", "dsb ish", Machine::aarch64},
    {Barrier::dmb_ish, "dmb-ish", "dmb ish", Machine::aarch64},
    {Barrier::isb, "isb", "isb", Machine::aarch64},
    {Barrier::builtin, "builtin", "", Machine::any},
    {Barrier::none, "none", "none", Machine::any},
};
constexpr const BarrierRow& row(Barrier b) { return kBarriers[static_cast<int>(b)]; }

// The barrier for the verdict of a run. mfence is fio's fix of the published failure: with it fio's test passed on
// the AMD CPUs where it had failed, and ours passes on the AMD machine of docs/reference/clock.md.
// No manual guarantees it: Intel's requires lfence (or mfence and lfence) if rdtsc must wait for earlier loads.
// `lfence` is here for comparison. aarch64: dsb completes the load, and isb prevents an earlier read of the counter.
inline constexpr Barrier kDefaultBarrier = kMachine == Machine::x86_64 ? Barrier::mfence : Barrier::dsb_isb;

// OrderedRead<B>::now(): the barrier, then the counter.
template <Barrier B>
struct OrderedRead;

#if defined(__x86_64__)
#define FATHOM_READ_COUNTER "rdtsc"
#define FATHOM_COUNTER_REGISTERS(lo, hi) "=a"(lo), "=d"(hi)
#elif defined(__aarch64__)
#define FATHOM_READ_COUNTER "mrs %0, cntvct_el0"
#define FATHOM_COUNTER_REGISTERS(lo, hi) "=r"(lo), "=r"(hi)
#endif

#define FATHOM_ORDERED_READ(id, text, before, instruction)                              \
  template <>                                                                           \
  struct OrderedRead<Barrier::id> {                                                     \
    [[gnu::always_inline]] static std::uint64_t now() {                                 \
      std::uint64_t lo, hi = 0;                                                         \
      before;                                                                           \
      asm volatile(instruction FATHOM_MARK_TEXT("clock.read." text) FATHOM_READ_COUNTER \
                   : FATHOM_COUNTER_REGISTERS(lo, hi)                                   \
                   :                                                                    \
                   : "memory");                                                         \
      return kMachine == Machine::x86_64 ? hi << 32 | lo : lo;                          \
    }                                                                                   \
  };
#define FATHOM_ASM_BARRIER(id, text, instruction) \
  FATHOM_ORDERED_READ(id, text, (void)0, FATHOM_MARK_TEXT("clock.barrier." text) instruction "\n\t")

#if defined(__x86_64__)
FATHOM_ASM_BARRIER(mfence, "mfence", "mfence")
FATHOM_ASM_BARRIER(lock_or, "lock-or", "lock orq $0,(%%rsp)")
FATHOM_ASM_BARRIER(lfence, "lfence", "lfence")
#elif defined(__aarch64__)
FATHOM_ASM_BARRIER(dsb_isb, "dsb-isb", "dsb ish\n\tisb")
FATHOM_ASM_BARRIER(dsb_ish, "dsb-ish", "dsb ish")
FATHOM_ASM_BARRIER(dmb_ish, "dmb-ish", "dmb ish")
FATHOM_ASM_BARRIER(isb, "isb", "isb")
#endif
FATHOM_ASM_BARRIER(none, "none", "")
FATHOM_ORDERED_READ(builtin, "builtin", FATHOM_MARK("clock.barrier.builtin"); __sync_synchronize(), "")

#undef FATHOM_ASM_BARRIER
#undef FATHOM_ORDERED_READ
#undef FATHOM_COUNTER_REGISTERS
#undef FATHOM_READ_COUNTER

}  // namespace fathom::clock::cores
