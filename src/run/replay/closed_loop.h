// replay_loop=closed: a request starts when all requests have ended that had ended before it in the trace, and after the
// recorded pause since the last of them. So two requests are in flight together only if they were in the trace.
//
// Problem: the loop waits for times, and this time is known only when a request ends. Choice: the loop gets one request
// at a time, whose time is io::kHeld_ns until the completion that sets it. While a loop waits it reaps, so it needs no
// other path. Every request has a time of its own, so that a completion is found by it.
#pragma once
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "io/request.h"
#include "trace/event.h"

namespace fathom::run::replay {

// What a request waits for, beyond what the requests before it wait for. Requests have numbers from 0.
struct Hold {
  std::uint32_t ended = 0;     // so many more requests
  std::uint64_t pause_ns = 0;  // from the last end on
};

// Which requests had ended before which in the trace. Thread rule: the thread that reads the trace.
class RecordedEnds {
 public:
  static constexpr std::size_t kMost = 65'536;  // in flight in the trace; above, the first ones count as ended

  // Of the next event in the trace, that became `requests`: the numbers of those that ended before it, but after the
  // event before it. Valid until the next call.
  const std::vector<std::uint64_t>& before(const trace::Event& event, std::uint32_t requests);
  // From the last end before that event to the event; without one, since the trace began.
  std::uint64_t pause_ns() const { return pause_ns_; }

 private:
  struct End {
    std::uint64_t at_ns, first;
    std::uint32_t requests;
    bool operator>(const End& other) const { return at_ns > other.at_ns; }
  };
  void end_first(std::uint64_t at_ns);

  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<std::uint64_t> ended_;
  std::uint64_t requests_ = 0, last_end_ns_ = 0, pause_ns_ = 0;
};

// Thread rule: the worker's. All times: since the job began.
class ClosedLoop {
 public:
  ClosedLoop() : slots_(kSlots) {}

  // A request that the next one waits for; call before hold().
  void wait_for(std::uint64_t number);
  // `next` stays where it is until it has started.
  void hold(io::Request& next, std::uint64_t pause_ns);
  void ended(const io::Request& request, std::uint64_t at_ns);
  // No completion will come, even if one was not reported (the clock stepped back).
  void nothing_in_flight();

 private:
  static constexpr std::size_t kSlots = 2 * RecordedEnds::kMost;
  struct Slot {  // of the latest requests
    std::uint64_t due_ns, end_ns;
    bool has_ended;
    std::uint32_t waited_in;  // the wait that needs its end; 0: none
  };
  Slot& slot(std::uint64_t number) { return slots_[number % kSlots]; }
  bool is_remembered(std::uint64_t number) const { return number < held_ && number + kSlots > held_; }
  bool is_missing(const Slot& of) const { return of.waited_in == wait_ && !of.has_ended; }
  void set();

  std::vector<Slot> slots_;
  std::uint64_t held_ = 0;     // requests so far; the last one is `next_`
  std::uint64_t missing_ = 0;  // waited for, and not ended
  std::uint32_t wait_ = 1;     // ends when nothing_in_flight() gives up
  std::uint64_t latest_end_ns_ = 0, latest_due_ns_ = 0, pause_ns_ = 0;
  io::Request* next_ = nullptr;
};

}  // namespace fathom::run::replay
