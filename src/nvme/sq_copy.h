// Writing a command into its slot of the submission ring, five ways (policy.h). The command comes as eight words, most
// of which are constants or registers at the point of use, so that no 64-byte object has to be made first. The
// instructions beyond the baseline are inline assembly: which of them may be used is asked of the CPU at run time
// (copy_choice.h), and a translation unit compiled for more than the baseline would leak it into inline functions that
// others share.
//
// Ordering: plain stores are seen in order by the device once the doorbell is written (x86: stores are not reordered
// with later stores; elsewhere the release fence before the doorbell). Non-temporal stores and movdir64b are weakly
// ordered: the doorbell needs an sfence before it (ring_barrier).
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

// The eight 64-bit words of a command that uses one data pointer and no metadata.
struct CommandWords {
  std::uint64_t head;  // CDW0 and NSID
  std::uint64_t prp1, prp2;
  std::uint64_t cdw10_11, cdw12_13, cdw14_15;
};

constexpr std::uint64_t command_head(std::uint8_t opcode, std::uint16_t cid, std::uint32_t nsid) {
  return opcode | static_cast<std::uint64_t>(cid) << 16 | static_cast<std::uint64_t>(nsid) << 32;
}

constexpr bool weakly_ordered(SqCopy copy) {
  return copy == SqCopy::nontemporal || copy == SqCopy::avx512 || copy == SqCopy::movdir64b;
}

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
    // The upper registers: the lower ones would make later SSE code pay for their upper halves.
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

// What weakly ordered stores need before the doorbell; the doorbell's own release is enough for the others.
template <SqCopy kCopy>
[[gnu::always_inline]] inline void ring_barrier() {
#if defined(__x86_64__)
  if constexpr (weakly_ordered(kCopy)) _mm_sfence();
#endif
}

// Release: what was written before is seen before it. A plain store on x86.
[[gnu::always_inline]] inline void write_doorbell(volatile std::uint32_t* doorbell, std::uint32_t value) {
  __atomic_store_n(doorbell, value, __ATOMIC_RELEASE);
}

}  // namespace fathom::nvme
