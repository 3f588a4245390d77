// Events of a format whose lines are in the order of completion, put into the order of submission.
// A bounded heap: an event that is more than kMost lines late stays late, and is counted by times_back().
// The first event that leaves is the start of the trace. Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include "trace/event.h"

namespace fathom::trace {

class Reorder {
 public:
  static constexpr std::size_t kMost = 4096;

  void push(const Event& event) { heap_.push({event, serial_++}); }
  bool is_full() const { return heap_.size() > kMost; }
  bool empty() const { return heap_.empty(); }
  // The oldest event, with its time since the start. Never when empty().
  Event pop() {
    Event event = heap_.top().event;
    heap_.pop();
    if (start_ns_ == kNotKnown) start_ns_ = event.time_ns;
    event.time_ns = event.time_ns > start_ns_ ? event.time_ns - start_ns_ : 0;
    return event;
  }

 private:
  struct Entry {
    Event event;
    std::uint64_t serial;  // events of one time keep their order
    bool operator<(const Entry& other) const {
      return event.time_ns != other.event.time_ns ? event.time_ns > other.event.time_ns : serial > other.serial;
    }
  };
  std::priority_queue<Entry> heap_;
  std::uint64_t serial_ = 0, start_ns_ = kNotKnown;
};

}  // namespace fathom::trace
