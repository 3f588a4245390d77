// What a trace consists of, added up event by event in bounded memory. Thread rule: one owner.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "stats/histogram.h"
#include "stats/moments.h"
#include "trace/depth_meter.h"
#include "trace/event.h"
#include "trace/sums/footprint.h"

namespace fathom::trace::sums {

// Times of a kind: buckets, and exact limits.
struct Times {
  Times() : buckets(std::make_unique<stats::RawHistogram>()) {}
  void add(std::uint64_t ns) { buckets->add(ns), seen.add(ns); }
  std::unique_ptr<stats::RawHistogram> buckets;
  stats::Moments seen;
};

struct SizeCount {
  std::uint64_t bytes = 0, ios = 0;
};

class Summary {
 public:
  static constexpr std::size_t kActions = 5;       // of is_io()
  static constexpr std::size_t kMostSizes = 4096;  // different sizes; I/Os of further ones are in other_sizes()

  struct Kind {
    std::uint64_t ios = 0, bytes = 0, sequential = 0;  // sequential: begins where the one before on this file ended
  };

  // Of Reader::next(), in order.
  void add(const Event& event);

  const Kind& kind(Action action) const { return kinds_[static_cast<std::size_t>(action)]; }
  std::uint64_t ios() const { return ios_; }
  std::uint64_t bytes() const;                                                        // read, written, trimmed
  std::uint64_t duration_ns() const { return ios_ == 0 ? 0 : last_ns_ - first_ns_; }  // of the first to the last I/O
  std::uint64_t busiest_second() const { return busiest_; }                           // I/Os
  std::uint64_t flushes() const { return flushes_; }                                  // in front of writes
  std::uint64_t fua() const { return fua_; }
  const Times& gaps() const { return gaps_; }            // from an I/O to the next, 0 where time goes back
  const Times& responses() const { return responses_; }  // empty: not known
  const DepthMeter& depth() const { return depth_; }
  const Footprint& footprint() const { return footprint_; }
  std::uint64_t large() const { return large_; }  // I/Os that are too large for the footprint
  // The most frequent first.
  std::vector<SizeCount> sizes(Action action) const;
  std::uint64_t other_sizes() const { return other_sizes_; }

 private:
  void add_size(const Event& event);
  void add_time(std::uint64_t time_ns);

  std::array<Kind, kActions> kinds_;
  std::array<std::unordered_map<std::uint64_t, std::uint64_t>, 3> sizes_;
  std::vector<std::uint64_t> ends_;  // by file and direction
  Times gaps_, responses_;
  DepthMeter depth_;
  Footprint footprint_;
  std::uint64_t ios_ = 0, first_ns_ = 0, last_ns_ = 0, previous_ns_ = 0, flushes_ = 0, fua_ = 0, large_ = 0;
  std::uint64_t second_ = 0, in_second_ = 0, busiest_ = 0, other_sizes_ = 0;
};

}  // namespace fathom::trace::sums
