// Value by value.
#include "session/counters/stat_rows.h"

#include <cmath>

namespace fathom::session::counters {
namespace {

result::PmuSlots slots_of(const SlotInterval& found, const pmu::StatEvent& event) {
  const auto& estimate = found.estimate;
  result::PmuSlots slots{estimate.slots, found.aliased, found.whole, found.withheld, estimate.confidence, {}};
  if (estimate.confidence <= 0) return slots;
  slots.interval = {estimate.low, estimate.high, estimate.total, estimate.few, {}, {}};
  if (!event.bytes || event.bytes->unit_bytes <= 0) return slots;
  slots.interval->bytes_low = estimate.low / event.scale * event.bytes->unit_bytes;
  slots.interval->bytes_high = estimate.high / event.scale * event.bytes->unit_bytes;
  return slots;
}

result::PmuRow row_of(const pmu::StatEvent& event, const pmu::StatRow& found) {
  const auto& count = found.count;
  result::PmuRow row;
  row.event = event.name;
  row.unit = event.unit;
  row.state = static_cast<result::PmuState>(count.state);
  row.fraction = std::floor(event.scale) != event.scale;
  row.count = found.value;
  row.raw = count.raw;
  row.enabled_ns = count.enabled_ns;
  row.running_ns = count.running_ns;
  row.running_percent = 100 * count.running_share;
  row.deviation_percent = found.deviation_percent;
  row.window_percent = found.window_percent;
  if (!event.bytes) return row;
  const bool to_memory = event.bytes->direction == pmu::pcie::Direction::to_memory;
  row.rule = {to_memory ? result::PmuDirection::read : result::PmuDirection::write, event.bytes->sentence};
  if (event.bytes->unit_bytes > 0 && row.has_number())
    row.bytes = {event.bytes->unit_bytes, found.bytes, found.mb_per_s, count.window_ns};
  return row;
}

}  // namespace

std::vector<result::PmuRow> rows_of(const StatFound& found, std::span<const pmu::StatRow> rows) {
  std::vector<result::PmuRow> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    all.push_back(row_of(found.events[i], rows[i]));
    if (i < found.slots.size()) all.back().slots = slots_of(found.slots[i], found.events[i]);
    if (i < found.lost_at_s.size()) all.back().lost_at_s = found.lost_at_s[i];
  }
  return all;
}

std::optional<result::PmuPlaceKind> place_kind(pmu::events::Together together) {
  using pmu::events::Together, result::PmuPlaceKind;
  switch (together) {
    case Together::cpu:
      return PmuPlaceKind::cpu;
    case Together::core:
      return PmuPlaceKind::core;
    case Together::die:
      return PmuPlaceKind::die;
    case Together::socket:
      return PmuPlaceKind::socket;
    case Together::all:
      break;
  }
  return std::nullopt;
}

void add_places(const StatFound& found, std::span<const pmu::events::Event> events, pmu::events::Together together,
                std::vector<result::PmuRow>& rows) {
  const auto kind = place_kind(together);
  if (!kind) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& parts = found.events[i].parts;
    result::PmuPlace place{*kind, events[parts.front()].place, 0};
    for (const auto part : parts) place.cpus += static_cast<unsigned>(events[part].cpus.size());
    rows[i].place = std::move(place);
  }
}

}  // namespace fathom::session::counters
