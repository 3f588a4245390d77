// A clock that moves only on request, so that results are known in advance. One tick is one nanosecond.
#pragma once
#include <cstdint>

namespace fathom::clock::sources {

class FakeClock {
 public:
  std::uint64_t now_ns() const { return now_ns_; }
  void advance_to(std::uint64_t ns) {
    if (ns > now_ns_) now_ns_ = ns;
  }

 private:
  std::uint64_t now_ns_ = 1'000'000'000;  // not zero, so that a missing timestamp shows
};

}  // namespace fathom::clock::sources
