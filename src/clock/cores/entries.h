// Evaluates the entries of a cross-core test; a pure function. Each entry is a place in a shared sequence and the
// counter read for it. The sequence is the order of the readings, so time must not go backwards along it.
// When the sequence passes from CPU a to CPU b, the difference of the two readings is a true gap (not negative) plus
// the offset of b's counter relative to a's. The smallest gap seen is therefore an upper bound of that offset, and the
// smallest gap in the other direction gives the lower bound. All times in ticks; any thread.
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

// Neighbors in the sequence with time going backwards. Equal times are not a mismatch.
struct Mismatch {
  Entry earlier, later;
  std::uint64_t diff() const { return earlier.tsc - later.tsc; }
};

// The hand-overs from one CPU to another.
struct Direction {
  std::uint64_t hand_overs = 0, mismatches = 0;
  std::int64_t smallest_gap = 0;       // negative after a mismatch; valid only if hand_overs > 0
  std::uint64_t largest_backward = 0;  // 0: none
};

enum class Steadiness : std::uint8_t {
  unknown,   // one direction was never seen
  steady,    // one offset explains all hand-overs
  drifts,    // no single offset explains them, but one rate does
  unsteady,  // neither does: the offset jumped, or the readings were not ordered
};
constexpr std::string_view name(Steadiness s) {
  constexpr std::string_view names[] = {"unknown", "steady", "drifts", "unsteady"};
  return names[static_cast<int>(s)];
}

struct Pair {
  unsigned a = 0, b = 0;  // CPU numbers, a < b
  Direction a_to_b, b_to_a;
  Steadiness steadiness = Steadiness::unknown;
  // b relative to a: positive if b is ahead. Not valid if unknown. For a drifting pair: the middle of the range seen.
  double offset = 0, offset_bound = 0;
  DriftBounds drift;  // b relative to a
  std::uint64_t mismatches() const { return a_to_b.mismatches + b_to_a.mismatches; }
  bool met() const { return a_to_b.hand_overs != 0 && b_to_a.hand_overs != 0; }
  std::optional<std::uint64_t> through_others;  // for an unknown pair: detectable() through the CPUs between them
  // The smallest offset that causes a mismatch, whichever of the two is ahead. Empty: no bound.
  std::optional<std::uint64_t> detectable() const;
};

struct CpuSeen {
  unsigned cpu = 0;
  std::uint64_t entries = 0;
  std::uint64_t first = 0, last = 0;  // readings
  std::uint64_t backward = 0;         // mismatches within this CPU
  std::uint64_t largest_backward = 0;
  std::uint64_t handed_in = 0, handed_out = 0;  // hand-overs from and to others
};

struct Findings {
  std::vector<CpuSeen> cpus;  // in the order of the streams
  std::vector<Pair> pairs;    // every a < b
  std::uint64_t entries = 0, mismatches = 0, largest_backward = 0;
  std::vector<Mismatch> first_mismatches;
  std::vector<unsigned> at_fault;  // never one of two that disagree only with each other: which one is wrong is unknown
  std::uint64_t detectable = 0;    // of the worst pair; 0: some pair has no bound, or no pair
  std::size_t pairs_met = 0;
  // Hand-overs in the rarer direction, for the CPU with the fewest. 0: that CPU was not compared, or only one CPU.
  std::uint64_t fewest_hand_overs = 0;
};

// streams: one per CPU, each ascending in sequence, each with one cpu number.
Findings analyse(std::span<const std::vector<Entry>> streams, std::size_t most_mismatches = 8);

// The CPUs with mismatches that explain all others: each disagrees with at least two and more than half of
// the remaining CPUs, and those agree with each other and are the majority. Empty: no such set, so always for two CPUs.
std::vector<unsigned> at_fault(std::span<const CpuSeen> cpus, std::span<const Pair> pairs);

}  // namespace fathom::clock::cores
