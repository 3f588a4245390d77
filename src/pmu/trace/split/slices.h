// When to look. An event costs its caller something (docs/breakdown.md), so on a fast job they are switched on for
// slices of time only, such that no more than a full rate of events a second are taken on average. An I/O is looked at
// when it begins in the first part of a slice; the rest of the slice is for those to end, so that long I/Os are not
// left out because they are long. The pauses are drawn, so that no load beats with them. Pure but for the random
// generator. Thread rule: one thread.
#pragma once
#include <cstdint>
#include <deque>

#include "base/prng.h"

namespace fathom::pmu::trace::split {

// Events a second; what they cost is in docs/breakdown.md.
inline constexpr double kFullSampleRate = 40'000, kFullProgramRate = 30'000;

struct SlicePlan {
  bool always = true;
  double choose_ns = 0, finish_ns = 0;  // parts of a slice
  double pause_ns = 0;                  // mean
};
// rate: samples a second while on; longest_ns: of the I/Os seen lately.
SlicePlan plan_slices(double rate, double longest_ns, double full_rate);

// Which I/Os are looked at, by their times.
class Slices {
 public:
  explicit Slices(std::uint64_t seed) : prng_(seed) {}
  struct Slice {
    std::uint64_t on_ns, chosen_until_ns, off_ns;  // the last two ~0 while they are not known
  };
  // cut: began in time and ended after the slice; off: began when nothing was switched on.
  enum class Choice { no, yes, cut, off };
  Choice choose(std::uint64_t start_ns, std::uint64_t reap_ns) const;

  void switched_on(std::uint64_t now_ns) { slices_.push_back({now_ns, ~0ull, ~0ull}); }
  void switched_off(std::uint64_t now_ns);
  const Slice& last() const { return slices_.back(); }  // there was one
  bool on() const { return !slices_.empty() && slices_.back().off_ns == ~0ull; }
  // What to do now under a plan: nothing, switch on, or off.
  enum class Step { stay, turn_on, turn_off };
  Step next(const SlicePlan& plan, std::uint64_t now_ns);

 private:
  static constexpr std::size_t kRemembered = 512;
  std::deque<Slice> slices_;
  std::uint64_t resume_ns_ = 0;
  base::Prng prng_;
};

}  // namespace fathom::pmu::trace::split
