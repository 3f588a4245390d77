// Bytes come from the rules of the PMU, the link from the groups in events/dwc_pcie.csv. Its names are compared with
// those of the PMU by letters and digits only (BAD TLP, bad_tlp). The known drivers name none of these events. So an
// event without a name in sysfs is written with its terms. Groups 1 to 3 are errors. From group 5 this uses only events
// in which a link left its state without a request: a retrain, another speed, another width (leaving L1 is a wake-up).
#include "pmu/pcie/pcie_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "pmu/events/format.h"
#include "pmu/pcie/pcie_dwc.h"

namespace fathom::pmu::pcie {
namespace {

constexpr std::string_view kRetrains[] = {"L0 to Recovery Entry", "Speed Change", "Link width Change"};

bool tells_of_the_link(const DwcEvent& event) {
  if (event.time_based || event.what.empty()) return false;
  return (event.group >= 1 && event.group <= 3) ||
         std::find(std::begin(kRetrains), std::end(kRetrains), event.name) != std::end(kRetrains);
}

WatchedRow row_of(std::string source, const PciePmu& pmu, std::string name, std::string unit) {
  WatchedRow row;
  row.count.source = std::move(source);
  row.count.subject = pmu.pmu;
  row.count.name = std::move(name);
  row.count.unit = std::move(unit);
  return row;
}

base::Expected<void> add_direction(Watch& into, const PciePmu& pmu, const events::EventSources& sources,
                                   Direction direction, double unit_bytes) {
  WatchedRow row = row_of("pcie_pmu", pmu, "", "bytes");
  row.count.direction = direction == Direction::to_memory ? "read" : "write";
  for (PcieRule rule : pmu.rules) {
    if (rule.direction != direction) continue;
    if (unit_bytes > 0) rule.unit_bytes = unit_bytes;
    auto event = event_of(rule, pmu, sources);
    if (!event) return event.error();
    row.count.name += (row.events.empty() ? "" : "+") + rule.event;
    row.count.unit_bytes = event->scale;
    row.count.rule = unit_bytes > 0 ? fmt::format("raw x {:g} bytes (--unit-bytes)", unit_bytes) : rule.sentence();
    row.events.push_back(into.events.size());
    into.events.push_back(std::move(*event));
    into.counters = rule.counters;
  }
  if (row.events.empty())
    into.missing.push_back(row.count.direction + "s");
  else
    into.rows.push_back(std::move(row));
  return {};
}

struct Written {
  std::string name, terms;
};

// The text of the event between the slashes of `-e`; nullopt: this PMU cannot count it.
std::optional<Written> written(const DwcEvent& dwc, const events::Source& source) {
  for (const auto& event : source.events) {
    if (letters_of(event.name) != letters_of(dwc.name)) continue;
    const auto terms = events::split_terms(event.terms);
    const bool open = std::any_of(terms.begin(), terms.end(), [](const events::Term& t) { return t.value == "?"; });
    return Written{event.name, event.name + (open ? ",lane=0x0" : "")};
  }
  for (const char* term : {"eventid", "type", "lane"})
    if (source.formats.count(term) == 0) return std::nullopt;
  if (!is_dwc_pmu(source.name)) return std::nullopt;
  std::string name = dwc.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return Written{name, fmt::format("eventid={:#x},type={:#x},lane=0x0", dwc.eventid, counter_type_of(source))};
}

void add_link(Watch& into, const PciePmu& pmu, const events::EventSources& sources) {
  const events::Source* source = sources.find(pmu.pmu);
  const std::size_t before = into.rows.size();
  for (const auto& dwc : dwc_events()) {
    const auto how = source != nullptr && tells_of_the_link(dwc) ? written(dwc, *source) : std::nullopt;
    auto events = how ? events::parse_events(fmt::format("{}/{}/", pmu.pmu, how->terms), sources)
                      : base::Expected<std::vector<events::Event>>(base::Error{});
    if (!events) continue;
    WatchedRow row = row_of("link_pmu", pmu, how->name, "count");
    row.count.rule = "raw";
    for (auto& event : *events) {
      row.events.push_back(into.events.size());
      into.events.push_back(std::move(event));
    }
    into.rows.push_back(std::move(row));
  }
  if (into.rows.size() == before) into.missing.push_back("errors of the link");
}

}  // namespace

base::Expected<Watch> watch(const PciePmu& pmu, const events::EventSources& sources, const WatchOptions& options) {
  Watch all;
  const std::pair<bool, Direction> directions[] = {{options.reads, Direction::to_memory},
                                                   {options.writes, Direction::from_memory}};
  for (const auto& [wanted, direction] : directions) {
    if (!wanted) continue;
    auto added = add_direction(all, pmu, sources, direction, options.unit_bytes);
    if (!added) return added.error();
  }
  if (options.link_events) add_link(all, pmu, sources);
  if (!all.events.empty()) return all;
  base::Error e;
  e.kind = base::ErrorKind::privilege;
  e.what = pmu.pmu + ": no event for the requested counts";
  for (const auto& what : all.missing) e.cause += (e.cause.empty() ? "the PMU lacks " : ", ") + what;
  e.help = "`fathom pmu list` shows what each PMU counts";
  return e;
}

}  // namespace fathom::pmu::pcie
