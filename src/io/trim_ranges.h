// num_range=: the ranges of trims that have several of them in one request. A request has room for one: it carries the
// offset of the first and the length of all, and the ranges themselves lie here, in the order in which requests are made
// and handed to the engine, each once. The source of the requests writes, the engine reads, both in the worker's thread.
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
  // a_request: at most so many each; waiting: so many requests at most are made and not yet with the engine.
  TrimRanges(std::size_t a_request, std::size_t waiting)
      : a_request_(a_request), ranges_(a_request * waiting), counts_(waiting) {}

  std::size_t a_request() const { return a_request_; }
  // The ranges of the next request, one by one; full: it has as many as it may.
  void add(std::uint64_t offset, std::uint32_t length) {
    ranges_[made_ * a_request_ + counts_[made_]++] = {offset, length};
  }
  bool full() const { return counts_[made_] == a_request_; }
  void end_request() {
    made_ = after(made_);
    counts_[made_] = 0;
  }
  // Those of the oldest request that was not taken, until as many as can wait were made since.
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
