// bare_null sequential|random SECONDS: I/Os that cost nothing, with the stamps and the histograms of fathom's loop over
// the null engine and nothing else. sequential: depth 1, two stamps an I/O, each start chained to the last completion;
// clat and lat. random: depth 128 in batches of one, a stamp a submission and one a reap; slat, clat and lat; the
// offset from the same generator.
#include <memory>

#include "bare.h"
#include "clock/sources/source.h"
#include "stats/histogram.h"

namespace {

constexpr unsigned kDepth = 128;

std::uint64_t ticks() { return fathom::clock::sources::CpuClock::now().v; }

std::uint64_t ns_per_tick_32() {
  const double begin = bare::now_s();
  const std::uint64_t first = ticks();
  while (bare::now_s() < begin + 0.02) continue;
  return static_cast<std::uint64_t>((bare::now_s() - begin) * 1e9 / static_cast<double>(ticks() - first) *
                                    4294967296.0);
}

struct Stats {
  std::uint64_t mult = ns_per_tick_32();
  fathom::stats::RawHistogram slat{}, clat{}, lat{};
  std::uint64_t ns(std::uint64_t t) const {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(t) * mult) >> 32);
  }
};

std::uint64_t sequential(Stats& stats, volatile sig_atomic_t& stop) {
  std::uint64_t ios = 0, offset = 0, last = ticks();
  while (!stop) {
    const std::uint64_t start = last, issue = ticks();
    asm volatile("" : : "r"(offset) : "memory");  // the I/O
    last = ticks();
    stats.clat.add(stats.ns(last - issue));
    stats.lat.add(stats.ns(last - start));
    offset += bare::kBlock;
    ++ios;
  }
  return ios;
}

struct Slot {
  std::uint64_t offset, start, issue;
};

std::uint64_t random(Stats& stats, volatile sig_atomic_t& stop) {
  fathom::base::Prng prng(1);
  Slot ring[kDepth];
  std::uint64_t ios = 0, posted = 0, last = ticks();
  while (!stop) {
    Slot& in = ring[posted++ % kDepth];
    in = {prng.below((1ull << 40) / bare::kBlock) * bare::kBlock, last, 0};
    in.issue = last = ticks();
    asm volatile("" : : "r"(in.offset) : "memory");  // the I/O
    ++ios;
    if (posted < kDepth) continue;
    const Slot& out = ring[posted % kDepth];
    last = ticks();
    stats.slat.add(stats.ns(out.issue - out.start));
    stats.clat.add(stats.ns(last - out.issue));
    stats.lat.add(stats.ns(last - out.start));
  }
  return ios;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto stats = std::make_unique<Stats>();
  const bool in_order = std::strcmp(argv[1], "sequential") == 0;
  return bare::measure(std::atof(argv[2]), [&](volatile sig_atomic_t& stop) {
    return in_order ? sequential(*stats, stop) : random(*stats, stop);
  });
}
