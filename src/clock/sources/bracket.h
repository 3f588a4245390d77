// A counter held against CLOCK_MONOTONIC_RAW. A bracket is one reading of the counter between two looks at the
// reference: whatever delays it (a stolen CPU, an interrupt, on either side) widens the bracket and can never make it
// wrong. So the rate is not fitted but enclosed: all rates at which one straight line passes through every bracket.
// That range is the answer and its error bound in one; a disturbed reading constrains less and does no harm. What a
// bracket cannot hold (the counter jumped) contradicts the others and is left out, as long as it is a minority. Thread
// rule: pure, but for read_bracket and StayOnThisCpu, which concern the calling thread.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clock/sources/source.h"

namespace fathom::clock::sources {

// What a clock is held against: RAW is steered by nobody, MONOTONIC by NTP.
enum class HeldAgainst : std::uint8_t { monotonic_raw, monotonic };
std::uint64_t read_reference_ns(HeldAgainst reference);

// The counter read `ticks` at some moment from before_ns to after_ns of the reference.
struct Bracket {
  std::uint64_t before_ns;
  std::uint64_t ticks;
  std::uint64_t after_ns;
};

struct RateRange {
  double low_hz = 0;   // the true rate lies from low_hz
  double high_hz = 0;  // to high_hz
  unsigned used = 0;
  unsigned left_out = 0;
  double middle_hz() const { return (low_hz + high_hz) / 2; }
  double bound_ppm() const { return (high_hz - low_hz) / (high_hz + low_hz) * 1e6; }
  bool holds(double hz) const { return hz >= low_hz && hz <= high_hz; }
  // How far hz may be from the truth.
  double error_ppm(double hz) const;
};

// In the order in which they were taken. None: too few or too close together to bound the rate, or no rate fits all but
// a minority of them.
std::optional<RateRange> rate_of(std::span<const Bracket> brackets);

// One bracket around a reading of the source's clock.
Bracket read_bracket(Source source = Source::cpu, HeldAgainst reference = HeldAgainst::monotonic_raw);
std::vector<Bracket> read_brackets(unsigned count, Source source = Source::cpu);

}  // namespace fathom::clock::sources
