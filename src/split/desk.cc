// Assigns slots to workers. The slots of a worker follow those of the previous worker.
#include "split/desk.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace fathom::split {

Desk::Desk(std::vector<Seat> seats) : seats_(std::move(seats)), records_(seats_.size()) {
  for (const auto& seat : seats_) {
    first_slots_.push_back(slots_);
    slots_ += seat.slots;
    taking_part_ += seat.slots > 0;
    if (seat.slots > 0) largest_io_bytes_ = std::max(largest_io_bytes_, seat.largest_io_bytes);
  }
}

bool Desk::any_by_granule() const {
  const auto reserved = [](const PlaceMap& map) { return map.any_reserved(); };
  return std::any_of(seats_.begin(), seats_.end(), [&](const Seat& seat) {
    return seat.slots > 0 && (by_granule(seat.largest_io_bytes, seat.direct) ||
                              std::any_of(seat.maps.begin(), seat.maps.end(), reserved));
  });
}

bool Desk::any_in_flight() const {
  return region_ && std::any_of(region_->lines.begin(), region_->lines.end(), [](Line& line) {
           return std::atomic_ref(line.published.generation).load(std::memory_order_relaxed) != 0;
         });
}

std::uint64_t Desk::ios(std::size_t worker) const {
  std::uint64_t ios = 0;
  for (const auto& dir : records_[worker].dirs) ios += dir.ios + dir.others.moments.n;
  return ios;
}

void Desk::give_up(std::uint32_t slice) {
  control_[0].given_up.store(slice, std::memory_order_relaxed);
  for (Line& line : region_->lines) std::atomic_ref(line.published.generation).store(0, std::memory_order_relaxed);
}

void Desk::entered() {
  if (in_fork_ && ::getpid() != opener_) in_fork_();
}

void Desk::open(const Region& region, std::int64_t clock_offset_ns, bool all, std::function<void()> in_fork) {
  if (all) watch(1);
  region_ = region;
  in_fork_ = std::move(in_fork);
  opener_ = ::getpid();
  clock_offset_ns_ = clock_offset_ns;
}

std::optional<Recorder> Desk::recorder(std::size_t worker, const clock::sources::Calibration& calibration) {
  const Seat& seat = seats_[worker];
  if (!region_ || seat.slots == 0) return std::nullopt;
  return Recorder(*region_,
                  {first_slots_[worker], seat.slots, seat.maps, &records_[worker], &control_[0], seat.direct,
                   seat.commits, static_cast<std::uint32_t>(worker), taking_part_ == 1, seat.followed},
                  MonotonicLine(calibration.source, calibration.ticks_per_second, clock_offset_ns_));
}

}  // namespace fathom::split
