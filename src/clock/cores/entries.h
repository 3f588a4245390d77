// What the entries of a cross-core test say, as a pure function of them. Each entry is a place in a shared sequence and
// the counter read for it; the sequence is the order in which the readings were taken, so time must not run backwards
// along it. Where the sequence passes from CPU a to CPU b, the difference of the two readings is a true gap (not
// negative) plus the offset of b's counter against a's: the smallest gap seen is an upper bound of that offset, the
// smallest one the other way gives the lower bound. All times in ticks; any thread.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "clock/cores/offset_bounds.h"

namespace fathom::clock::cores {

struct Entry {
  std::uint32_t sequence = 0;
  std::uint32_t cpu = 0;
  std::uint64_t tsc = 0;
};
static_assert(sizeof(Entry) == 16);

// Neighbours in the sequence whose time runs backwards. Equal times do not.
struct Mismatch {
  Entry earlier, later;
  std::uint64_t diff() const { return earlier.tsc - later.tsc; }
};

// The sequence passing from one CPU to another.
struct Direction {
  std::uint64_t hand_overs = 0, mismatches = 0;
  std::int64_t smallest_gap = 0;       // negative after a mismatch; only with hand_overs
  std::uint64_t largest_backward = 0;  // 0: none
};

enum class Steadiness : std::uint8_t {
  unknown,   // one direction was never seen
  steady,    // one offset explains all hand-overs
  drifts,    // no single offset does, one rate does
  unsteady,  // neither: the offset jumped, or the readings were not ordered
};
constexpr std::string_view name(Steadiness s) {
  constexpr std::string_view names[] = {"unknown", "steady", "drifts", "unsteady"};
  return names[static_cast<int>(s)];
}

struct Pair {
  unsigned a = 0, b = 0;  // CPU numbers, a < b
  Direction a_to_b, b_to_a;
  Steadiness steadiness = Steadiness::unknown;
  // b against a: positive when b is ahead. Valid unless unknown; of a drifting pair, the middle of what was seen.
  double offset = 0, offset_bound = 0;
  DriftBounds drift;  // b against a
  std::uint64_t mismatches() const { return a_to_b.mismatches + b_to_a.mismatches; }
  bool met() const { return a_to_b.hand_overs != 0 && b_to_a.hand_overs != 0; }
  std::optional<std::uint64_t> through_others;  // of an unknown pair: detectable() by way of the CPUs between them
  // The smallest offset that shows as a mismatch whichever of the two is ahead; none where nothing bounds it.
  std::optional<std::uint64_t> detectable() const;
};

struct CpuSeen {
  unsigned cpu = 0;
  std::uint64_t entries = 0;
  std::uint64_t first = 0, last = 0;  // readings
  std::uint64_t backward = 0;         // mismatches of this CPU with itself
  std::uint64_t largest_backward = 0;
  std::uint64_t handed_in = 0, handed_out = 0;  // hand-overs from and to others
};

struct Findings {
  std::vector<CpuSeen> cpus;  // as handed in
  std::vector<Pair> pairs;    // every a < b
  std::uint64_t entries = 0, mismatches = 0, largest_backward = 0;
  std::vector<Mismatch> first_mismatches;
  std::vector<unsigned> at_fault;  // never one of two that disagree with each other: which it is cannot be known
  std::uint64_t detectable = 0;    // of the worst pair; 0: there is one that nothing bounds, or no pair
  std::size_t pairs_met = 0;
  // Hand-overs in the scarcer direction of the CPU that has fewest; 0: that CPU was not compared. One CPU: 0.
  std::uint64_t fewest_hand_overs = 0;
};

// streams: one a CPU, each rising in sequence, each of one cpu number.
Findings analyse(std::span<const std::vector<Entry>> streams, std::size_t most_mismatches = 8);

// The CPUs whose mismatches explain all others: each disagrees with more than half of the remaining ones, and what is
// left agrees among itself and is the larger part. Empty where no such set exists, so always of two CPUs.
std::vector<unsigned> at_fault(std::span<const CpuSeen> cpus, std::span<const Pair> pairs);

}  // namespace fathom::clock::cores
