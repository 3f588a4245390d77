// num_range=: the ranges of trims with several ranges per request. A request has space for one: it has the offset of
// the first and the total length. The ranges are stored here, each once, in the order in which requests are made and
// passed to the engine. The source of the requests writes them and the engine reads them, both in the worker's thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fathom::io {

struct Range {
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
};

class TrimRanges {
 public:
  // a_request: maximum ranges per request; waiting: maximum requests made but not yet passed to the engine.
  TrimRanges(std::size_t a_request, std::size_t waiting)
      : a_request_(a_request), ranges_(a_request * waiting), counts_(waiting) {}

  std::size_t a_request() const { return a_request_; }
  // Adds a range to the next request; full(): it has the maximum.
  void add(std::uint64_t offset, std::uint32_t length) {
    ranges_[made_ * a_request_ + counts_[made_]++] = {offset, length};
  }
  bool full() const { return counts_[made_] == a_request_; }
  void end_request() {
    made_ = after(made_);
    counts_[made_] = 0;
  }
  // The ranges of the oldest request not yet taken. Valid until `waiting` more requests were made.
  std::span<const Range> take() {
    const std::size_t at = taken_;
    taken_ = after(taken_);
    return {&ranges_[at * a_request_], counts_[at]};
  }

 private:
  std::size_t after(std::size_t i) const { return i + 1 == counts_.size() ? 0 : i + 1; }
  std::size_t a_request_;
  std::vector<Range> ranges_;
  std::vector<std::size_t> counts_;
  std::size_t made_ = 0, taken_ = 0;
};

}  // namespace fathom::io
