// Compares a counter with CLOCK_MONOTONIC_RAW. A bracket is one reading of the counter between two readings of the
// reference. Any delay (a stolen CPU, an interrupt, on either side) widens the bracket and can never make it wrong.
// The rate is therefore not fitted but bounded: it is the range of all rates with one straight line through every
// bracket. That range is both the answer and its error bound. A delayed reading constrains less and does no harm.
// A bracket that no such line can pass (the counter jumped) contradicts the others and is omitted, as long as such
// brackets are a minority. Thread rule: pure, except read_bracket and StayOnThisCpu, which affect the calling thread.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "clock/sources/source.h"

namespace fathom::clock::sources {

// The reference that a clock is compared with: RAW is not adjusted, MONOTONIC is adjusted by NTP.
enum class HeldAgainst : std::uint8_t { monotonic_raw, monotonic };
std::uint64_t read_reference_ns(HeldAgainst reference);

// The counter was `ticks` at some moment from before_ns to after_ns of the reference.
struct Bracket {
  std::uint64_t before_ns;
  std::uint64_t ticks;
  std::uint64_t after_ns;
};

struct RateRange {
  double low_hz = 0;   // the true rate is at least low_hz
  double high_hz = 0;  // and at most high_hz
  unsigned used = 0;
  unsigned left_out = 0;
  double middle_hz() const { return (low_hz + high_hz) / 2; }
  double bound_ppm() const { return (high_hz - low_hz) / (high_hz + low_hz) * 1e6; }
  bool holds(double hz) const { return hz >= low_hz && hz <= high_hz; }
  // Maximum error of hz.
  double error_ppm(double hz) const;
};

// brackets: in the order in which they were taken. Empty: too few or too close together to bound the rate, or no rate
// fits all but a minority of them.
std::optional<RateRange> rate_of(std::span<const Bracket> brackets);

// One bracket around a reading of the source's clock.
Bracket read_bracket(Source source = Source::cpu, HeldAgainst reference = HeldAgainst::monotonic_raw);
std::vector<Bracket> read_brackets(unsigned count, Source source = Source::cpu);

}  // namespace fathom::clock::sources
