// Sums and histograms of the parts, a class of I/Os at a time. Thread rule: one thread.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pmu/trace/split/matcher.h"
#include "result/breakdown.h"

namespace fathom::pmu::trace::split {

class SplitTally {
 public:
  void add(const SplitIo& split, std::uint64_t whole_ns);
  void add_undivided(result::Undivided why, std::uint64_t whole_ns);
  void add_other(std::uint64_t whole_ns) { all().others.add(whole_ns); }
  bool empty() const { return ios_ == 0; }  // nothing was looked at
  std::uint64_t ios() const { return ios_; }
  // job, direction and job_number are the caller's.
  result::BreakdownClass result() const;

 private:
  struct Sums {
    stats::Moments moments;
    stats::RawHistogram counts{};
    void add(std::uint64_t ns) {
      moments.add(ns);
      counts.add(ns);
    }
  };
  struct All {
    Sums parts[result::kEventParts], whole, sum, uncovered, others;
  };
  All& all();

  std::uint64_t ios_ = 0, matched_ = 0;
  result::BreakdownClass::Rest undivided_[result::kUndivided] = {};
  std::uint64_t outside_ = 0, outside_ns_ = 0, outside_max_ns_ = 0;
  std::unique_ptr<All> all_;  // 240 KB: only for classes that occur
};

}  // namespace fathom::pmu::trace::split
