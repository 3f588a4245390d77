// Requests of a queue that have ended, until reap() takes them. Memory is allocated once.
#pragma once
#include <fathom_engine.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fathom::plugins {

class Ended {
 public:
  // No more than `depth` requests are kept.
  explicit Ended(std::uint32_t depth) : kept_(depth) {}

  std::uint32_t count() const { return end_ - first_; }

  void add(std::uint32_t slot, std::int32_t result) {
    if (end_ == kept_.size()) move_to_front();
    kept_[end_++] = {slot, result};
  }

  // reap() of an engine. wait(milliseconds) returns when something ended, or the time is over: 0, or -errno.
  template <class Wait>
  int reap(std::uint32_t min, fathom_completion* out, std::uint32_t most, const std::uint32_t& in_flight, Wait wait) {
    constexpr int kLook_ms = 100;  // interval between looks at *stop while no answer arrives
    const std::uint32_t wanted = std::min(min, most);
    if (count() == 0 || count() < wanted) {
      do {
        if (in_flight == 0) break;
        if (const int rc = wait(wanted == 0 ? 0 : kLook_ms); rc != 0) return rc;
      } while (count() < wanted);
    }
    return static_cast<int>(take(out, most));
  }

 private:
  std::uint32_t take(fathom_completion* out, std::uint32_t most) {
    const std::uint32_t taken = std::min(count(), most);
    std::copy_n(kept_.begin() + first_, taken, out);
    first_ += taken;
    if (first_ == end_) first_ = end_ = 0;
    return taken;
  }

  void move_to_front() {
    std::copy(kept_.begin() + first_, kept_.begin() + end_, kept_.begin());
    end_ -= first_;
    first_ = 0;
  }

  std::vector<fathom_completion> kept_;  // from first_ to end_
  std::uint32_t first_ = 0, end_ = 0;
};

// True if the job must return from its waits.
inline bool must_stop(const std::uint32_t* stop) {
  return stop != nullptr && __atomic_load_n(stop, __ATOMIC_RELAXED) >= 2;
}

}  // namespace fathom::plugins
