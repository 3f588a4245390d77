// null: requests without cost, which leaves only the program's own time per I/O. All posted requests complete at
// ring(), and reap() returns them in order. At iodepth=1 the loop uses do_one() only. Header only: the loop is what is
// measured, and a call would add to it.
#pragma once
#include <algorithm>
#include <bit>
#include <memory>

#include "engine/engine.h"

namespace fathom::engine {

class NullEngine {
 public:
  static constexpr bool kNeverFails = true;
  base::Expected<void> open(const Setup& setup) {
    const std::uint32_t capacity = std::bit_ceil(std::max(setup.depth, 1u));
    ring_ = std::make_unique<io::Completion[]>(capacity);
    mask_ = capacity - 1;
    taken_ = rung_ = posted_ = 0;
    return {};
  }
  void post(std::uint32_t slot, const io::Request& request, std::byte*) {
    ring_[posted_++ & mask_] = {slot, static_cast<std::int32_t>(request.length)};
  }
  int ring(unsigned /*wait_for*/ = 0) {
    const std::uint32_t n = posted_ - rung_;
    rung_ = posted_;
    return static_cast<int>(n);
  }
  std::int32_t do_one(const io::Request& request, std::byte*) { return static_cast<std::int32_t>(request.length); }
  int reap(unsigned /*min*/, std::span<io::Completion> out) {
    const std::size_t n = std::min<std::size_t>(rung_ - taken_, out.size());
    for (std::size_t i = 0; i < n; ++i) out[i] = ring_[taken_++ & mask_];
    return static_cast<int>(n);
  }
  void close() { ring_.reset(); }

 private:
  // Counters that only increase (and wrap): taken_ <= rung_ <= posted_.
  std::unique_ptr<io::Completion[]> ring_;
  std::uint32_t mask_ = 0;
  std::uint32_t taken_ = 0;
  std::uint32_t rung_ = 0;
  std::uint32_t posted_ = 0;
};

}  // namespace fathom::engine
