// Changes the state of zones.
#include "workload/zones/zone.h"

#include <algorithm>

namespace fathom::workload::zones {

std::uint32_t ZoneSet::index_of(std::uint64_t offset) const {
  const auto index = static_cast<std::uint32_t>(offset / shared_.zone_bytes);
  return std::min(index, shared_.count - 1);
}

std::uint32_t ZoneSet::targets_of(std::uint32_t job) const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(targets(), [&](std::uint32_t index) { return zones_[index].target_of == job; }));
}

void ZoneSet::add_target(std::uint32_t index, std::uint32_t job) {
  shared_.targets[shared_.target_count++] = index;
  zones_[index].target = true;
  zones_[index].target_of = job;
}

void ZoneSet::remove_target(std::uint32_t index) {
  if (!zones_[index].target) return;
  auto* const end = shared_.targets + shared_.target_count;
  std::copy(std::find(shared_.targets, end, index) + 1, end, std::find(shared_.targets, end, index));
  --shared_.target_count;
  zones_[index].target = false;
  zones_[index].target_of = 0;
}

void ZoneSet::begin(std::uint32_t index, std::uint32_t job) {
  zones_[index].owner = job;
  ++zones_[index].in_flight;
  ++shared_.in_flight;
}

void ZoneSet::end(std::uint32_t index) {
  Zone& zone = zones_[index];
  if (zone.in_flight == 0) return;
  --shared_.in_flight;
  if (--zone.in_flight == 0) zone.owner = 0;
}

void ZoneSet::count(std::uint32_t index, std::uint64_t wp_before, std::uint64_t wp_now) {
  if (index >= shared_.valid_first && index < shared_.valid_end) shared_.valid_bytes += wp_now - wp_before;
}

void ZoneSet::advance(std::uint32_t index, std::uint64_t wp) {
  count(index, zones_[index].wp, wp);
  zones_[index].wp = wp;
}

void ZoneSet::take_back(std::uint32_t index, std::uint64_t wp) { advance(index, wp); }

bool ZoneSet::reset(std::uint32_t index) {
  Zone& zone = zones_[index];
  const bool had_data = zone.wp != zone.start;
  advance(index, zone.start);
  zone.reset_due = zone.doubtful = false;
  return had_data;
}

void ZoneSet::finish(std::uint32_t index) { advance(index, zones_[index].capacity_end()); }

void ZoneSet::leave(std::uint32_t job) {
  for (Zone& zone : zones_) {
    if (zone.owner != job) continue;
    shared_.in_flight -= zone.in_flight;
    zone.owner = zone.in_flight = 0;
  }
}

void ZoneSet::count_valid(std::uint32_t first, std::uint32_t end) {
  shared_.valid_first = first;
  shared_.valid_end = end;
  shared_.valid_bytes = 0;
  for (std::uint32_t i = first; i < end; ++i)
    if (zones_[i].sequential) shared_.valid_bytes += zones_[i].data_bytes();
}

}  // namespace fathom::workload::zones
