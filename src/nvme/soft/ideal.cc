// The ideal device: reads and writes move no data, so only the cost of the queues and of the measured driver remains.
// It must be faster than the driver. At 40 M commands per second, each command has 25 ns. A cache line from the other
// core takes longer. This code therefore keeps many lines in transfer at once, and requests each line only once.
//
// - A command is one line written by the driver. Three loads decide it (opcode with CID and NSID; first block; number
//   of blocks). The checks are those of any controller, combined into one branch. No command depends on the one before,
//   so the processor overlaps the misses of several. A prefetch requests the lines sixteen commands ahead. It never
//   goes beyond the tail, which would take a line from the driver that it is about to write.
// - If four completions are ready and the ring's slot begins a line, they are written as one line. The driver then
//   fetches one line for four. With AVX-512 this is one store. Otherwise each entry is one 16-byte store, in order. In
//   both cases an entry's phase tag appears together with the rest of the entry. The line after the next is requested
//   with intent to write. The first line of a batch is requested before its command is read.
// - The caller reads the doorbell once per batch. The ring's head and tail stay in registers.
// - Any command but a plain read or write within bounds ends the batch, and takes the general path (io.cc).
#include "base/sanitized.h"
#include "nvme/soft/state.h"

#if defined(__x86_64__) && !FATHOM_TSAN
#include <immintrin.h>
#define FATHOM_WHOLE_ENTRIES 1
#endif

namespace fathom::nvme::soft {
namespace {

constexpr std::uint32_t kLine = 4;    // completions of 16 bytes per cache line
constexpr std::uint32_t kAhead = 16;  // commands requested in advance

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

struct Seen {
  std::uint64_t head;   // CDW0, NSID
  std::uint64_t first;  // block
  std::uint32_t more;   // number of blocks minus one
  std::uint16_t cid() const { return static_cast<std::uint16_t>(head >> 16); }
  std::uint32_t is_write() const { return head & 1; }
  // A read or write, not fused, with PRPs. Its namespace exists, it is no longer than MDTS, and it ends within the
  // namespace.
  bool plain(const Shape& shape) const {
    const std::uint16_t opcode_and_flags = static_cast<std::uint16_t>(head);
    const auto nsid = static_cast<std::uint32_t>(head >> 32);
    return static_cast<unsigned>(static_cast<std::uint16_t>(opcode_and_flags - 1) < 2) &
           static_cast<unsigned>(nsid - 1 < shape.namespaces) & static_cast<unsigned>(more <= shape.nlb_most) &
           static_cast<unsigned>(first < shape.blocks) & static_cast<unsigned>(first + more < shape.blocks);
  }
};
static_assert(static_cast<unsigned>(NvmOpcode::write) == 1 && static_cast<unsigned>(NvmOpcode::read) == 2);

inline Seen look(const std::byte* command) {
  return {load<std::uint64_t>(command), load<std::uint64_t>(command + offsetof(Command, cdw10)),
          load<std::uint32_t>(command + offsetof(Command, cdw12)) & 0xffff};
}

#if defined(FATHOM_WHOLE_ENTRIES)
using Eight = long long __attribute__((vector_size(64)));
template <bool kWide>
[[gnu::always_inline]] inline void put_line(std::byte* line, const std::uint64_t (&words)[kLine]) {
  if constexpr (kWide) {
    *reinterpret_cast<Eight*>(line) = Eight{0, static_cast<long long>(words[0]), 0, static_cast<long long>(words[1]),
                                            0, static_cast<long long>(words[2]), 0, static_cast<long long>(words[3])};
  } else {
    for (std::uint32_t i = 0; i < kLine; ++i)
      _mm_store_si128(reinterpret_cast<__m128i*>(line) + i, _mm_set_epi64x(static_cast<long long>(words[i]), 0));
  }
  asm volatile("" : : : "memory");
}
#else
template <bool kWide>
inline void put_line(std::byte* line, const std::uint64_t (&words)[kLine]) {
  auto* to = reinterpret_cast<std::uint64_t*>(line);
  for (std::uint32_t i = 0; i < kLine; ++i) {
    __atomic_store_n(to + 2 * i, std::uint64_t{0}, __ATOMIC_RELAXED);
    __atomic_store_n(to + 2 * i + 1, words[i], __ATOMIC_RELEASE);
  }
}
#endif

struct Counts {
  std::uint64_t writes = 0, blocks = 0, blocks_written = 0;
  void add(const Seen& seen) {
    const std::uint64_t length = std::uint64_t{seen.more} + 1;
    writes += seen.is_write();
    blocks += length;
    blocks_written += length & (0 - std::uint64_t{seen.is_write()});
  }
};

// Serves four adjacent commands, answered with one line. False: one of them is not plain, and nothing was done.
template <bool kWide>
[[gnu::always_inline]] inline bool serve_line(const Shape& shape, memory::SubmissionRing& sq,
                                              memory::CompletionRing& cq, Counts& counts) {
  const std::byte* command = sq.ring + std::size_t{sq.head} * sizeof(Command);
  Seen seen[kLine];
  bool plain = true;
  for (std::uint32_t i = 0; i < kLine; ++i) {
    seen[i] = look(command + i * sizeof(Command));
    plain &= seen[i].plain(shape);
  }
  if (!plain) return false;
  sq.advance(kLine);
  std::uint64_t words[kLine];
  for (std::uint32_t i = 0; i < kLine; ++i) {
    counts.add(seen[i]);
    words[i] = memory::completion_word(sq.head, sq.id, seen[i].cid(), kSuccess, cq.phase);
  }
  std::byte* line = cq.ring + std::size_t{cq.tail} * sizeof(Completion);
  put_line<kWide>(line, words);
  cq.advance(kLine);
  const std::uint32_t soon = cq.tail + 2 * kLine < cq.entries ? cq.tail + 2 * kLine : 0;
  __builtin_prefetch(cq.ring + std::size_t{soon} * sizeof(Completion), 1);
  return true;
}

inline bool serve_one(const Shape& shape, memory::SubmissionRing& sq, memory::CompletionRing& cq, Counts& counts) {
  const Seen seen = look(sq.ring + std::size_t{sq.head} * sizeof(Command));
  if (!seen.plain(shape)) return false;
  sq.advance(1);
  counts.add(seen);
  cq.post(0, memory::completion_word(sq.head, sq.id, seen.cid(), kSuccess, cq.phase));
  return true;
}

template <bool kWide>
[[gnu::always_inline]] inline std::uint32_t serve(const Shape& shape, memory::SubmissionRing& shared_sq,
                                                  std::uint32_t count) {
  memory::SubmissionRing sq = shared_sq;
  memory::CompletionRing cq = *shared_sq.completions;
  Counts counts;
  std::uint32_t done = 0;
  __builtin_prefetch(cq.ring + std::size_t{cq.tail} * cq.entry_bytes, 1);
  while (done < count) {
    const std::uint32_t left = count - done;
    if (left >= kAhead + kLine && sq.head + kAhead + kLine <= sq.entries)
      for (std::uint32_t i = 0; i < kLine; ++i)
        __builtin_prefetch(sq.ring + std::size_t{sq.head + kAhead + i} * sizeof(Command));
    const bool line = left >= kLine && cq.tail % kLine == 0 && cq.entry_bytes == sizeof(Completion) &&
                      cq.tail + kLine <= cq.entries && sq.head + kLine <= sq.entries;
    if (line && serve_line<kWide>(shape, sq, cq, counts)) {
      done += kLine;
      continue;
    }
    if (!serve_one(shape, sq, cq, counts)) break;
    ++done;
  }
  shared_sq.head = sq.head;
  shared_sq.commands += done;
  shared_sq.writes += counts.writes;
  shared_sq.blocks += counts.blocks;
  shared_sq.blocks_written += counts.blocks_written;
  shared_sq.completions->tail = cq.tail;
  shared_sq.completions->phase = cq.phase;
  return done;
}

std::uint32_t serve_narrow(const Shape& shape, memory::SubmissionRing& sq, std::uint32_t count) {
  return serve<false>(shape, sq, count);
}
#if defined(FATHOM_WHOLE_ENTRIES)
[[gnu::target("avx512f")]] std::uint32_t serve_wide(const Shape& shape, memory::SubmissionRing& sq,
                                                    std::uint32_t count) {
  return serve<true>(shape, sq, count);
}
#endif

using Serve = std::uint32_t (*)(const Shape&, memory::SubmissionRing&, std::uint32_t);
Serve fastest() {
#if defined(FATHOM_WHOLE_ENTRIES)
  if (__builtin_cpu_supports("avx512f")) return serve_wide;
#endif
  return serve_narrow;
}
const Serve kServe = fastest();

}  // namespace

std::uint32_t serve_ideal(const Shape& shape, memory::SubmissionRing& sq, std::uint32_t count) {
  return kServe(shape, sq, count);
}

}  // namespace fathom::nvme::soft
