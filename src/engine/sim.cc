// The simulated device; see the header.
#include "engine/sim.h"

#include <algorithm>
#include <cerrno>
#include <functional>

#include "io/options/sim.h"

namespace fathom::engine {

base::Expected<void> SimEngine::open(const Setup& setup) {
  const auto& own = setup.options.of<io::SimOptions>();
  auto latency = SimLatency::parse(own.latency);
  if (!latency) return latency.error();
  latency_ = *latency;
  prng_ = base::Prng(own.seed);
  fail_every_ = until_failure_ = own.fail_every;
  free_ns_.assign(own.servers, 0);
  plain_ = fail_every_ == 0 && free_ns_.empty();
  submitted_ = 0;
  posted_.clear();
  in_flight_.clear();
  posted_.reserve(setup.depth);
  in_flight_.reserve(setup.depth);
  return {};
}

// The server that is free first takes the I/O. It is free again when the I/O finishes.
std::uint64_t SimEngine::served_ns(std::uint64_t latency_ns) {
  std::pop_heap(free_ns_.begin(), free_ns_.end(), std::greater<>{});
  free_ns_.back() = std::max(clock_.now_ns(), free_ns_.back()) + latency_ns;
  const std::uint64_t finish_ns = free_ns_.back();
  std::push_heap(free_ns_.begin(), free_ns_.end(), std::greater<>{});
  return finish_ns;
}

// plain: no I/O fails, and none waits for another.
template <bool plain>
int SimEngine::begin_posted() {
  for (io::Completion completion : posted_) {
    if (!plain && fail_every_ != 0 && --until_failure_ == 0) {
      until_failure_ = fail_every_;
      completion.result = -EIO;
    }
    const std::uint64_t latency_ns = latency_.sample_ns(prng_);
    const bool waits = !plain && !free_ns_.empty();
    in_flight_.push_back({waits ? served_ns(latency_ns) : clock_.now_ns() + latency_ns, submitted_++, completion});
    std::push_heap(in_flight_.begin(), in_flight_.end(), Later{});
  }
  const int n = static_cast<int>(posted_.size());
  posted_.clear();
  return n;
}

int SimEngine::ring(unsigned /*wait_for*/) { return plain_ ? begin_posted<true>() : begin_posted<false>(); }

int SimEngine::reap(unsigned min, std::span<io::Completion> out) {
  std::size_t n = 0;
  while (n < out.size() && !in_flight_.empty()) {
    if (in_flight_.front().finish_ns > clock_.now_ns()) {
      if (n >= min) break;
      clock_.advance_to(in_flight_.front().finish_ns);
    }
    out[n++] = in_flight_.front().completion;
    std::pop_heap(in_flight_.begin(), in_flight_.end(), Later{});
    in_flight_.pop_back();
  }
  return static_cast<int>(n);
}

}  // namespace fathom::engine
