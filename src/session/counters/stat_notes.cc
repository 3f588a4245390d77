// Names the holder of a counter that a pinned event did not get. perf_event_open(2) shows only that its reading is
// empty. If another pinned event of the same command and PMU counted, that event is the holder. Otherwise the holder is
// another user.
#include "session/counters/stat_notes.h"

#include <fmt/format.h>

namespace fathom::session::counters {
namespace {

constexpr double kShared = 0.99995;

// The row with a pinned event that counts on the PMU of row `taken`; nullptr: no such row.
const pmu::StatEvent* holder_of(const StatFound& found, std::span<const pmu::events::Event> events, std::size_t taken) {
  const std::string& pmu = events[found.events[taken].parts.front()].pmu;
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const auto& event = events[found.events[i].parts.front()];
    if (i != taken && event.pinned && event.pmu == pmu && found.rows[i].count.state == pmu::events::CountState::counted)
      return &found.events[i];
  }
  return nullptr;
}

std::string taken_note(const StatFound& found, std::span<const pmu::events::Event> events, std::size_t row,
                       bool one_by_one) {
  const std::string& name = found.events[row].name;
  const auto* holder = one_by_one ? nullptr : holder_of(found, events, row);
  if (holder != nullptr)
    return fmt::format("{}: event {} of this command holds the counter; --passes counts each alone", name,
                       holder->name);
  return fmt::format(
      "{}: another user holds the counter (another perf, a probe, a hypervisor); stop that user, or omit --pinned and "
      ":D to share the counter",
      name);
}

}  // namespace

std::vector<std::string> stat_notes(const StatFound& found, std::span<const pmu::events::Event> events,
                                    bool one_by_one) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const auto& count = found.rows[i].count;
    const std::string& name = found.events[i].name;
    if (found.slots.empty() && found.events[i].bytes && count.running_ns > 0 && count.running_share < kShared)
      notes.push_back(
          fmt::format("{} had its counter for {:.2f} % of the time: its count is an estimate, wrong if the load is "
                      "synchronous with the turns; --passes counts each event alone",
                      name, 100 * count.running_share));
    if (found.rows[i].saturated)
      notes.push_back(fmt::format("{}: its counter of {} bits is at its maximum, {}: the count is that or more", name,
                                  found.events[i].saturating_bits, (1u << found.events[i].saturating_bits) - 1));
    if (count.state == pmu::events::CountState::taken) notes.push_back(taken_note(found, events, i, one_by_one));
    if (count.state == pmu::events::CountState::lost)
      notes.push_back(fmt::format("{}: its PMU disappeared; the count until then is shown", name));
  }
  return notes;
}

}  // namespace fathom::session::counters
