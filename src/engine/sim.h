// sim: a device that consists of a latency distribution only, on a simulated clock. Its results are known in advance,
// so a whole run can be checked against arithmetic. Submission takes no time. Every I/O submitted at ring() finishes at
// now + latency, regardless of the number in flight. With sim_servers=N it first waits, in submission order, for one of
// N servers. reap(min) advances the clock to the min-th earliest finish if necessary. reap(0) returns the I/Os finished
// by now, and never advances the clock. A heap by finish time: O(log depth) per I/O, no allocation after open.
#pragma once
#include <limits>
#include <vector>

#include "base/prng.h"
#include "clock/sources/fake.h"
#include "engine/engine.h"
#include "engine/sim_latency.h"

namespace fathom::engine {

class SimEngine {
 public:
  // usage: sim_latency is invalid.
  base::Expected<void> open(const Setup& setup);
  void post(std::uint32_t slot, const io::Request& request, std::byte*) {
    posted_.push_back({slot, static_cast<std::int32_t>(request.length)});
  }
  int ring(unsigned wait_for = 0);
  int reap(unsigned min, std::span<io::Completion> out);
  void close() {}

  clock::sources::FakeClock& clock() { return clock_; }
  // Finish time of the next I/O in flight; UINT64_MAX: none in flight. An idle loop may advance the clock to this time.
  std::uint64_t next_finish_ns() const {
    return in_flight_.empty() ? std::numeric_limits<std::uint64_t>::max() : in_flight_.front().finish_ns;
  }

 private:
  struct InFlight {
    std::uint64_t finish_ns;
    std::uint64_t number;  // submission order: breaks ties, so that a run is reproducible
    io::Completion completion;
  };
  struct Later {
    bool operator()(const InFlight& a, const InFlight& b) const {
      return a.finish_ns != b.finish_ns ? a.finish_ns > b.finish_ns : a.number > b.number;
    }
  };

  template <bool plain>
  int begin_posted();
  std::uint64_t served_ns(std::uint64_t latency_ns);  // finish time with a limited number of servers

  bool plain_ = true;
  std::vector<io::Completion> posted_;
  std::vector<InFlight> in_flight_;     // heap, earliest first
  std::vector<std::uint64_t> free_ns_;  // heap, earliest first: time when each server becomes free; empty: no limit
  std::uint64_t submitted_ = 0;
  std::uint64_t fail_every_ = 0;
  std::uint64_t until_failure_ = 0;
  SimLatency latency_;
  base::Prng prng_;
  clock::sources::FakeClock clock_;
};

}  // namespace fathom::engine
