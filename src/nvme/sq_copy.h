// Writes a command into its slot of the submission ring, in five ways (policy.h).
// The command arrives as eight words. Most are constants, or in registers, at the point of use.
// No 64-byte object therefore needs to be built first.
// Instructions beyond the baseline are inline assembly. The caller must test at run time that the CPU has them.
// A translation unit compiled for more than the baseline would spread these instructions into shared inline functions.
//
// Ordering: the device sees plain stores in order once the doorbell is written.
// On x86, a store is not reordered with later stores. Elsewhere, the release before the doorbell orders them.
// Non-temporal stores and movdir64b are weakly ordered: they need an sfence before the doorbell (ring_barrier).
// On a CPU other than x86-64, every way is plain stores.
// Thread rule: the owner of the queue pair. No errors.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "nvme/command.h"
#include "nvme/policy.h"

namespace fathom::nvme {

// The eight 64-bit words of a command with one data pointer and no metadata. Words 1 and 2 are 0.
struct CommandWords {
  std::uint64_t head;  // CDW0 and NSID: command_head()
  std::uint64_t prp1, prp2;
  std::uint64_t cdw10_11, cdw12_13, cdw14_15;
};

constexpr std::uint64_t command_head(std::uint8_t opcode, std::uint16_t cid, std::uint32_t nsid) {
  return opcode | static_cast<std::uint64_t>(cid) << 16 | static_cast<std::uint64_t>(nsid) << 32;
}

// True if the stores need ring_barrier() before the doorbell.
constexpr bool weakly_ordered(SqCopy copy) {
  return copy == SqCopy::nontemporal || copy == SqCopy::avx512 || copy == SqCopy::movdir64b;
}

// Writes the command to `slot`, which is aligned to 64 bytes.
template <SqCopy kCopy>
[[gnu::always_inline]] inline void write_command(Command* slot, const CommandWords& w) {
  auto* to = reinterpret_cast<std::uint64_t*>(slot);
#if defined(__x86_64__)
  if constexpr (kCopy == SqCopy::nontemporal) {
    auto* t = reinterpret_cast<long long*>(to);
    _mm_stream_si64(t + 0, static_cast<long long>(w.head));
    _mm_stream_si64(t + 1, 0);
    _mm_stream_si64(t + 2, 0);
    _mm_stream_si64(t + 3, static_cast<long long>(w.prp1));
    _mm_stream_si64(t + 4, static_cast<long long>(w.prp2));
    _mm_stream_si64(t + 5, static_cast<long long>(w.cdw10_11));
    _mm_stream_si64(t + 6, static_cast<long long>(w.cdw12_13));
    _mm_stream_si64(t + 7, static_cast<long long>(w.cdw14_15));
    return;
  } else if constexpr (kCopy == SqCopy::sse2) {
    auto* t = reinterpret_cast<__m128i*>(to);
    const auto pair = [](std::uint64_t low, std::uint64_t high) {
      return _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low));
    };
    _mm_store_si128(t + 0, pair(w.head, 0));
    _mm_store_si128(t + 1, pair(0, w.prp1));
    _mm_store_si128(t + 2, pair(w.prp2, w.cdw10_11));
    _mm_store_si128(t + 3, pair(w.cdw12_13, w.cdw14_15));
    return;
  } else if constexpr (kCopy == SqCopy::avx512) {
    // Uses the upper registers: with the lower ones, later SSE code would pay for their upper halves.
    asm volatile(
        "vmovq %[head], %%xmm16\n\t"
        "vmovq %[prp1], %%xmm17\n\t"
        "vpslldq $8, %%xmm17, %%xmm17\n\t"
        "vmovq %[prp2], %%xmm18\n\t"
        "vpinsrq $1, %[lba], %%xmm18, %%xmm18\n\t"
        "vmovq %[d12], %%xmm19\n\t"
        "vpinsrq $1, %[d14], %%xmm19, %%xmm19\n\t"
        "vinserti32x4 $1, %%xmm17, %%ymm16, %%ymm16\n\t"
        "vinserti32x4 $1, %%xmm19, %%ymm18, %%ymm18\n\t"
        "vinserti64x4 $1, %%ymm18, %%zmm16, %%zmm16\n\t"
        "vmovntdq %%zmm16, (%[to])"
        :
        : [head] "r"(w.head), [prp1] "r"(w.prp1), [prp2] "r"(w.prp2), [lba] "r"(w.cdw10_11), [d12] "r"(w.cdw12_13),
          [d14] "r"(w.cdw14_15), [to] "r"(to)
        : "memory"
#if defined(__AVX512F__)
          ,
          "xmm16", "xmm17", "xmm18", "xmm19"
#endif
    );
    return;
  } else if constexpr (kCopy == SqCopy::movdir64b) {
    alignas(64) const std::uint64_t from[8] = {w.head, 0, 0, w.prp1, w.prp2, w.cdw10_11, w.cdw12_13, w.cdw14_15};
    asm volatile("movdir64b %[from], %[to]" : : [from] "m"(from), [to] "r"(to) : "memory");
    return;
  }
#endif
  to[0] = w.head;
  to[1] = 0;
  to[2] = 0;
  to[3] = w.prp1;
  to[4] = w.prp2;
  to[5] = w.cdw10_11;
  to[6] = w.cdw12_13;
  to[7] = w.cdw14_15;
}

// The barrier that weakly ordered stores need before the doorbell. For other stores the doorbell's release suffices.
template <SqCopy kCopy>
[[gnu::always_inline]] inline void ring_barrier() {
#if defined(__x86_64__)
  if constexpr (weakly_ordered(kCopy)) _mm_sfence();
#endif
}

// Writes `value` with release order: earlier writes become visible first. On x86 this is a plain store.
[[gnu::always_inline]] inline void write_doorbell(volatile std::uint32_t* doorbell, std::uint32_t value) {
  __atomic_store_n(doorbell, value, __ATOMIC_RELEASE);
}

}  // namespace fathom::nvme
