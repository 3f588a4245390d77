// The order of a closed loop: recorded, and replayed.
#include "run/replay/closed_loop.h"

#include <algorithm>

namespace fathom::run::replay {

void RecordedEnds::end_first(std::uint64_t at_ns) {
  const End& end = ends_.top();
  for (std::uint32_t i = 0; i < end.requests; ++i) ended_.push_back(end.first + i);
  last_end_ns_ = std::max(last_end_ns_, at_ns);
  ends_.pop();
}

const std::vector<std::uint64_t>& RecordedEnds::before(const trace::Event& event, std::uint32_t requests) {
  ended_.clear();
  while (!ends_.empty() && ends_.top().at_ns <= event.time_ns) end_first(ends_.top().at_ns);
  if (ends_.size() >= kMost) end_first(event.time_ns);
  pause_ns_ = event.time_ns - std::min(event.time_ns, last_end_ns_);
  if (event.response_ns != trace::kNotKnown)
    ends_.push({event.time_ns + std::min(event.response_ns, ~event.time_ns), requests_, requests});
  requests_ += requests;
  return ended_;
}

void ClosedLoop::wait_for(std::uint64_t number) {
  if (!is_remembered(number)) return;
  Slot& of = slot(number);
  of.waited_in = wait_;
  if (of.has_ended)
    latest_end_ns_ = std::max(latest_end_ns_, of.end_ns);
  else
    ++missing_;
}

void ClosedLoop::hold(io::Request& next, std::uint64_t pause_ns) {
  next.due_ns = io::kHeld_ns;
  next_ = &next;
  pause_ns_ = pause_ns;
  if (held_ >= kSlots && is_missing(slot(held_))) --missing_;
  slot(held_++) = {io::kHeld_ns, 0, false, 0};
  if (missing_ == 0) set();
}

void ClosedLoop::ended(const io::Request& request, std::uint64_t at_ns) {
  std::uint64_t from = held_ - std::min<std::uint64_t>(held_, kSlots), to = held_;
  while (from < to) {
    const std::uint64_t middle = from + (to - from) / 2;
    if (slot(middle).due_ns < request.due_ns)
      from = middle + 1;
    else
      to = middle;
  }
  if (from == held_ || slot(from).due_ns != request.due_ns || slot(from).has_ended) return;
  Slot& of = slot(from);
  const bool was_missing = is_missing(of);
  of.has_ended = true;
  of.end_ns = at_ns;
  if (!was_missing) return;
  latest_end_ns_ = std::max(latest_end_ns_, at_ns);
  --missing_;
  if (missing_ == 0 && next_ != nullptr) set();
}

void ClosedLoop::nothing_in_flight() {
  if (next_ == nullptr) return;
  ++wait_;
  missing_ = 0;
  set();
}

void ClosedLoop::set() {
  const std::uint64_t pause_ns = std::min(pause_ns_, io::kHeld_ns - 1 - std::min(latest_end_ns_, io::kHeld_ns - 1));
  latest_due_ns_ = std::max(latest_end_ns_ + pause_ns, latest_due_ns_ + 1);
  slot(held_ - 1).due_ns = next_->due_ns = latest_due_ns_;
  next_ = nullptr;
}

}  // namespace fathom::run::replay
