// How many I/Os of a trace were outstanding, from their response times. Flushes count too. Thread rule: one owner.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "trace/event.h"

namespace fathom::trace {

class DepthMeter {
 public:
  static constexpr std::size_t kMost = 65'536;  // depths above are counted as this one

  // Events in the order of the trace. One without a response time is left out.
  void add(const Event& event) {
    if (event.response_ns == kNotKnown || !is_io(event.action)) return;
    while (!ends_.empty() && ends_.top() <= event.time_ns) ends_.pop();
    if (ends_.size() >= kMost) ends_.pop();
    ends_.push(event.time_ns + std::min(event.response_ns, ~event.time_ns));
    most_ = std::max(most_, ends_.size());
    sum_ += static_cast<double>(ends_.size());
    ++count_;
  }
  std::size_t most() const { return most_; }  // 0: no response time is known
  // Seen by the I/Os at their submission, themselves included.
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

 private:
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> ends_;
  std::size_t most_ = 0;
  double sum_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace fathom::trace
