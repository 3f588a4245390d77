// The instances of the touch loop, and their table.
#include "paging/touch/touch_loop.h"

#include <array>
#include <cstddef>
#include <utility>

#include "paging/touch/access_asm.h"

namespace fathom::paging::touch {
namespace {

struct Variant {
  Stamps stamps;
  AccessMode mode;
  bool delay, update, shift;
};

template <Variant kV>
class Loop {
 public:
  static void run(sources::ThreadRecord& record) {
    if constexpr (kV.mode == AccessMode::histogram)
      timed(record);
    else
      untimed(record);
  }

 private:
  using Dir = result::AccessDir;
  static constexpr Touch kWrite = kV.update ? Touch::update : Touch::store;

  static void timed(sources::ThreadRecord& record) {
    sources::ThreadHead& head = record.head;
    std::byte* const base = head.in.base;
    for (std::uint64_t now = head.in.begin; const sources::Access* const end = next_block(record, now);) {
      std::ptrdiff_t left = head.block - end;  // counts up to 0: the end of the loop needs no comparison
      do {
        asm volatile(FATHOM_MARK_TEXT("paging.turn") : "+r"(left));  // one counter instead of a counter and a pointer
        const std::uint64_t v = end[left].v;
        const bool on = (v & 1) != 0 ? one<Dir::write, kWrite>(record, base, v, end + left)
                                     : one<Dir::read, Touch::load>(record, base, v, end + left);
        if (!on) [[unlikely]]
          return;
        if constexpr (kV.delay)
          if (!spin(head, stamp_now<kV.stamps>())) return;
      } while (++left != 0);
      now = stamp_now<kV.stamps>();
    }
  }

  // False: the run is over.
  template <Dir kDir, Touch kTouch>
  [[gnu::always_inline]] static bool one(sources::ThreadRecord& record, std::byte* base, std::uint64_t v,
                                         const sources::Access* at) {
    constexpr auto kD = static_cast<std::size_t>(kDir);
    sources::ThreadHead& head = record.head;
    // Bit 0 of v is the direction, which is known here, so no mask is needed.
    auto& word = *reinterpret_cast<std::uint32_t*>(base + v - kD);
    const TimedPair pair = TimedAccess<kV.stamps, kTouch>::timed(word, static_cast<std::uint32_t>(v));
    if (pair.ticks > head.limit_ticks[kD]) [[unlikely]]
      return slow_access(record, pair.start, pair.ticks, at);
    const std::uint64_t ns = to_ns(head.in.conversion, pair.ticks);
    head.sums[0][kD].add_quick(ns);
    count(record.histograms[0][kD].raw.counts, ns);
    return true;
  }

  // AccessCounts::add() for quick accesses, with a shorter path for values that are counted exactly.
  [[gnu::always_inline]] static void count(std::uint64_t* counts, std::uint64_t ns) {
    constexpr std::uint64_t kExact = 2u << stats::kBucketBits;
    if (ns < kExact) return void(++counts[ns]);
    const std::uint64_t msb = 63u ^ static_cast<unsigned>(__builtin_clzll(ns));
    std::uint64_t* const first = counts - (stats::kBucketBits << stats::kBucketBits);
    ++first[(msb << stats::kBucketBits) + (ns >> (msb - stats::kBucketBits))];
  }

  [[gnu::always_inline]] static std::uint64_t to_ns(const clock::sources::Conversion& conversion, std::uint64_t ticks) {
    if constexpr (kV.stamps == Stamps::clock_gettime)
      return ticks;
    else if constexpr (kV.shift)
      return conversion.to_ns({ticks}).v;
    else
      return static_cast<std::uint64_t>((static_cast<unsigned __int128>(ticks) * conversion.mult) >> 64);
  }

  static bool spin(const sources::ThreadHead& head, std::uint64_t stamp) {
    const std::uint64_t begin = clock::sources::CpuClock::now().v;
    while (clock::sources::CpuClock::now().v - begin < head.in.delay_ticks && stamp < head.in.deadline &&
           head.live.stop.load(std::memory_order_relaxed) == 0) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      stamp = stamp_now<kV.stamps>();
    }
    return stamp < head.in.deadline && head.live.stop.load(std::memory_order_relaxed) == 0;
  }

  static constexpr std::ptrdiff_t kUntimedPart = 16;  // accesses between two clock reads

  static void untimed(sources::ThreadRecord& record) {
    sources::ThreadHead& head = record.head;
    std::byte* const base = head.in.base;
    for (std::uint64_t now = head.in.begin; const sources::Access* const end = next_block(record, now);) {
      const sources::Access* at = head.block;
      while (at != end) {
        const sources::Access* const part = end - at > kUntimedPart ? at + kUntimedPart : end;
        const sources::Access* const first = at;
        std::uint64_t writes = 0;
        do {
          FATHOM_MARK("paging.turn.touch");
          touch(base, *at);
          writes += at->v & 1;
          if constexpr (kV.delay) spin(head, stamp_now<kV.stamps>());
        } while (++at != part);
        head.touched[1] += writes;
        head.touched[0] += static_cast<std::uint64_t>(part - first) - writes;
        now = stamp_now<kV.stamps>();
        if (now >= head.in.deadline || head.live.stop.load(std::memory_order_relaxed) != 0) return;
      }
    }
  }

  [[gnu::always_inline]] static void touch(std::byte* base, sources::Access access) {
    if (access.write())
      PlainAccess<kWrite>::touch_word(*reinterpret_cast<std::uint32_t*>(base + access.v - 1),
                                      static_cast<std::uint32_t>(access.v));
    else
      PlainAccess<Touch::load>::touch_word(*reinterpret_cast<std::uint32_t*>(base + access.v), 0);
  }
};

// One number per variant: stamps, mode, delay, update, shift. Variants with identical code share one instance.
constexpr Variant variant_of(std::size_t i) {
  Variant v{static_cast<Stamps>(i / 16), static_cast<AccessMode>(i / 8 % 2), i / 4 % 2 != 0, i / 2 % 2 != 0,
            i % 2 != 0};
  const bool ns = v.stamps == Stamps::clock_gettime;
  if (v.mode == AccessMode::touch && !ns) v.stamps = Stamps::rdtsc;
  if (v.mode == AccessMode::touch || ns) v.shift = false;
  return v;
}
template <std::size_t... kI>
constexpr std::array<TouchLoop, sizeof...(kI)> loops_of(std::index_sequence<kI...>) {
  return {&Loop<variant_of(kI)>::run...};
}
constexpr auto kLoops = loops_of(std::make_index_sequence<64>());

}  // namespace

TouchLoop find_touch_loop(const TouchPlan& plan, const clock::sources::Conversion& conversion) {
  const auto bit = [](bool yes) { return std::size_t{yes}; };
  return kLoops[static_cast<std::size_t>(plan.stamps) * 16 + static_cast<std::size_t>(plan.mode) * 8 +
                bit(plan.delay_ticks > kNoDelay_ticks) * 4 + bit(plan.load_before_store) * 2 +
                bit(conversion.pre_shift != 0)];
}

}  // namespace fathom::paging::touch
