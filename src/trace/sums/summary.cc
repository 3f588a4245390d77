// Adds up a trace.
#include "trace/sums/summary.h"

#include <algorithm>

namespace fathom::trace::sums {

void Summary::add(const Event& event) {
  if (!is_io(event.action)) return;
  auto& kind = kinds_[static_cast<std::size_t>(event.action)];
  ++kind.ios;
  add_time(event.time_ns);
  if (event.response_ns != kNotKnown) {
    responses_.add(event.response_ns);
    depth_.add(event);
  }
  if (!moves_bytes(event.action)) return;
  kind.bytes += event.length_bytes;
  flushes_ += event.flush_first ? 1 : 0;
  fua_ += event.forced_unit_access ? 1 : 0;
  const auto lane = event.file * std::size_t{3} + static_cast<std::size_t>(event.action);
  if (ends_.size() <= lane) ends_.resize(lane + 1, kNotKnown);
  kind.sequential += ends_[lane] == event.offset_bytes ? 1 : 0;
  ends_[lane] = event.offset_bytes + event.length_bytes;
  if (event.action != Action::trim && !footprint_.add(event.file, event.offset_bytes, event.length_bytes)) ++large_;
  add_size(event);
}

void Summary::add_time(std::uint64_t time_ns) {
  constexpr std::uint64_t kSecond_ns = 1'000'000'000;
  if (ios_++ == 0) {
    first_ns_ = last_ns_ = time_ns;
  } else {
    gaps_.add(time_ns > previous_ns_ ? time_ns - previous_ns_ : 0);
  }
  previous_ns_ = time_ns;
  first_ns_ = std::min(first_ns_, time_ns);
  last_ns_ = std::max(last_ns_, time_ns);
  const auto second = time_ns / kSecond_ns;
  if (second != second_) second_ = second, in_second_ = 0;
  busiest_ = std::max(busiest_, ++in_second_);
}

void Summary::add_size(const Event& event) {
  auto& of_action = sizes_[static_cast<std::size_t>(event.action)];
  if (const auto found = of_action.find(event.length_bytes); found != of_action.end()) {
    ++found->second;
  } else if (of_action.size() < kMostSizes) {
    of_action.emplace(event.length_bytes, 1);
  } else {
    ++other_sizes_;
  }
}

std::uint64_t Summary::bytes() const {
  return kind(Action::read).bytes + kind(Action::write).bytes + kind(Action::trim).bytes;
}

std::vector<SizeCount> Summary::sizes(Action action) const {
  std::vector<SizeCount> all;
  for (const auto& [bytes, ios] : sizes_[static_cast<std::size_t>(action)]) all.push_back({bytes, ios});
  std::sort(all.begin(), all.end(),
            [](const SizeCount& a, const SizeCount& b) { return a.ios != b.ios ? a.ios > b.ios : a.bytes < b.bytes; });
  return all;
}

}  // namespace fathom::trace::sums
