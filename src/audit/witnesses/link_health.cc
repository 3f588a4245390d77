// The PCIe link of the device: errors that were corrected by retransmission, retrains, and a speed or width below what
// both ends support. They cost time but no bytes, so they explain tail latencies and not differences. Counts: source
// "link" (sysfs, host/pci/link_witness.h) or "link_pmu" (a root port's counter). For speed and width, `value` was seen
// at the end and `low` at the beginning.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "audit/witnesses/witness.h"

namespace fathom::audit::witnesses {
namespace {

bool is_state(const result::Count& c) { return c.unit == "GT/s" || c.unit == "lanes"; }

struct Most {
  const char* current;
  const char* most;
};
constexpr Most kMost[] = {{"current_link_speed", "max_link_speed"}, {"current_link_width", "max_link_width"}};

// The maximum of the link, if its source reported it.
double most_of(const Counts& counts, const result::Count& c) {
  for (const auto& row : kMost)
    if (c.name == row.current) return value(find(counts, c.source, c.subject, row.most));
  return 0;
}

bool is_limit(const result::Count& c) {
  return std::any_of(std::begin(kMost), std::end(kMost), [&](const Most& row) { return c.name == row.most; });
}

void state_change(const Counts& counts, const result::Count& c, std::vector<result::LinkFinding>& out) {
  if (is_limit(c) || c.lost_at_s) return;
  const double most = most_of(counts, c);
  if (c.low > 0 && c.value != c.low)
    out.push_back({c.subject, c.name,
                   fmt::format("changed from {:g} to {:g} {} during the run", c.low, c.value, c.unit), c.value});
  else if (most > 0 && c.value > 0 && c.value < most)
    out.push_back({c.subject, c.name, fmt::format("{:g} of {:g} {}", c.value, most, c.unit), c.value});
}

}  // namespace

std::vector<result::LinkFinding> link_changes(const Counts& counts) {
  std::vector<result::LinkFinding> out;
  for (const auto& c : counts) {
    if (c.source != "link" && c.source != "link_pmu") continue;
    if (is_state(c)) {
      state_change(counts, c, out);
    } else if (c.unit == "count" && c.value > 0) {
      out.push_back({c.subject, c.name, fmt::format("{:.0f} during the run", c.value), c.value});
    }
  }
  return out;
}

}  // namespace fathom::audit::witnesses
