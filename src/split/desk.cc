// Slots lie one worker after the other.
#include "split/desk.h"

#include <algorithm>
#include <utility>

namespace fathom::split {

Desk::Desk(std::vector<Seat> seats) : seats_(std::move(seats)), records_(seats_.size()) {
  for (const auto& seat : seats_) {
    first_slots_.push_back(slots_);
    slots_ += seat.slots;
    if (seat.slots > 0) largest_io_bytes_ = std::max(largest_io_bytes_, seat.largest_io_bytes);
  }
}

void Desk::open(const Region& region, std::int64_t clock_offset_ns) {
  region_ = region;
  clock_offset_ns_ = clock_offset_ns;
}

std::optional<Recorder> Desk::recorder(std::size_t worker, const clock::sources::Calibration& calibration) {
  const Seat& seat = seats_[worker];
  if (!region_ || seat.slots == 0) return std::nullopt;
  return Recorder(
      *region_,
      {first_slots_[worker], seat.slots, seat.maps, &records_[worker], seat.direct, static_cast<std::uint32_t>(worker)},
      MonotonicLine(calibration.source, calibration.ticks_per_second, clock_offset_ns_));
}

}  // namespace fathom::split
