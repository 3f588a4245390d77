// sim: a device that exists only as a latency distribution, on a clock that moves when told. Results are known in
// advance, so a whole run can be checked against arithmetic. Submission takes no time; every I/O handed over at ring()
// finishes at now + latency, however many are in flight; with sim_servers=N it first waits, in the order of submission,
// until one of N servers is free. reap(min) moves the clock to the min-th earliest finish when
// it must; reap(0) hands out what has finished by now and never moves it. A heap by finish time: O(log depth) an I/O,
// nothing allocated after open.
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
  // usage: sim_latency does not parse.
  base::Expected<void> open(const Setup& setup);
  void post(std::uint32_t slot, const io::Request& request, std::byte*) {
    posted_.push_back({slot, static_cast<std::int32_t>(request.length)});
  }
  int ring(unsigned wait_for = 0);
  int reap(unsigned min, std::span<io::Completion> out);
  void close() {}

  clock::sources::FakeClock& clock() { return clock_; }
  // When the next I/O in flight finishes, UINT64_MAX when none is: how far an idle loop may move the clock.
  std::uint64_t next_finish_ns() const {
    return in_flight_.empty() ? std::numeric_limits<std::uint64_t>::max() : in_flight_.front().finish_ns;
  }

 private:
  struct InFlight {
    std::uint64_t finish_ns;
    std::uint64_t number;  // order of submission: breaks ties, so that a run is reproducible
    io::Completion completion;
  };
  struct Later {
    bool operator()(const InFlight& a, const InFlight& b) const {
      return a.finish_ns != b.finish_ns ? a.finish_ns > b.finish_ns : a.number > b.number;
    }
  };

  template <bool plain>
  int begin_posted();
  std::uint64_t served_ns(std::uint64_t latency_ns);  // when it finishes, of servers that are few

  bool plain_ = true;
  std::vector<io::Completion> posted_;
  std::vector<InFlight> in_flight_;     // heap, earliest first
  std::vector<std::uint64_t> free_ns_;  // heap, the earliest first: from when on each server is free; empty: no limit
  std::uint64_t submitted_ = 0;
  std::uint64_t fail_every_ = 0;
  std::uint64_t until_failure_ = 0;
  SimLatency latency_;
  base::Prng prng_;
  clock::sources::FakeClock clock_;
};

}  // namespace fathom::engine
