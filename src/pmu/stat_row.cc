// A rule matches an event by its name, or by its bits if the user wrote those.
#include "pmu/stat_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "pmu/pcie/csv.h"
#include "pmu/pcie/pcie_dwc.h"
#include "pmu/scaling.h"
#include "stats/repeat.h"

namespace fathom::pmu {
namespace {

constexpr std::string_view kWindow = "one_cycle";

// Names of the events that count cycles in a state of the link (LTSSM).
const std::set<std::string>& residencies() {
  static const std::set<std::string> kNames = [] {
    std::set<std::string> names;
    const auto table = pcie::parse_csv(pcie::event_file("dwc_pcie.csv"));
    if (!table) return names;
    for (std::size_t row = 0; row < table->rows.size(); ++row)
      if (table->at(row, "kind") == "time_based" && table->at(row, "group") == "0")
        names.insert(table->at(row, "mainline_alias"));
    return names;
  }();
  return kNames;
}

bool is_residency(const events::Event& event) { return residencies().count(event.alias) > 0; }

bool same_bits(const events::Event& a, const events::Event& b) {
  return a.type == b.type && std::equal(std::begin(a.config), std::end(a.config), std::begin(b.config));
}

// A rule for one of several ports ({port_bit}) does not resolve without that port. This is no mistake of the user.
std::string no_unit(const pcie::PcieRule& rule, const base::Error& error) {
  const bool known = rule.unit_bytes > 0 && rule.terms.find('{') == std::string::npos;
  return known || rule.remark.empty() ? error.what + "; give --unit-bytes=N" : rule.remark;
}

std::optional<BytesRule> rule_of(events::Event& event, const std::vector<pcie::PciePmu>& pmus,
                                 const events::EventSources& sources, double unit_bytes) {
  for (const auto& pmu : pmus) {
    if (pmu.pmu != event.pmu) continue;
    for (const auto& rule : pmu.rules) {
      const auto resolved = pcie::event_of(rule, pmu, sources);
      if (rule.event != event.alias && !(resolved && same_bits(*resolved, event))) continue;
      event.width_bits = rule.width_bits;
      if (unit_bytes > 0)
        return BytesRule{unit_bytes, rule.direction, fmt::format("raw x {:g} bytes (--unit-bytes)", unit_bytes)};
      if (!resolved) return BytesRule{0, rule.direction, no_unit(rule, resolved.error())};
      return BytesRule{resolved->scale, rule.direction, rule.sentence()};
    }
  }
  return std::nullopt;
}

// The row of the DesignWare table for the text that the user wrote.
const pcie::DwcEvent* dwc_of(const events::Event& event) {
  if (!pcie::is_dwc_pmu(event.pmu)) return nullptr;
  const std::size_t from = event.name.find('/'), to = event.name.rfind('/');
  const bool terms = from != std::string::npos && to > from;
  return pcie::dwc_event_of({event.alias, terms ? event.name.substr(from + 1, to - from - 1) : std::string(), 1, ""});
}

// Counters of 32 bits wrap and are polled; smaller ones stop at their maximum (events/dwc_pcie_groups.csv). Returns the
// bits of one that stops.
unsigned width_of(events::Event& event) {
  constexpr unsigned kWraps = 32;
  const pcie::DwcEvent* dwc = dwc_of(event);
  if (dwc == nullptr) return 0;
  const unsigned bits = pcie::group_of(*dwc).counter_bits;
  if (bits >= kWraps) event.width_bits = std::min(event.width_bits, bits);
  return bits < kWraps ? bits : 0;
}

StatRow row_of(const StatEvent& named, std::span<const events::EventCount> counts) {
  std::vector<events::EventCount> parts;
  for (const auto part : named.parts) parts.push_back(counts[part]);
  StatRow row;
  row.count = sum(parts);
  const std::uint64_t end = (std::uint64_t{1} << named.saturating_bits) - 1;
  row.saturated =
      named.saturating_bits > 0 &&
      std::any_of(parts.begin(), parts.end(), [&](const events::EventCount& part) { return part.raw == end; });
  row.value = row.count.scaled * named.scale;
  if (named.bytes) row.bytes = row.count.scaled * named.bytes->unit_bytes;
  return row;
}

// For the comparison of counts from intervals of different length, such as those of two runs.
double per_ns(const events::EventCount& count) {
  return count.window_ns == 0 ? 0 : count.scaled / static_cast<double>(count.window_ns);
}

// The mean count of one of `runs` runs.
events::EventCount one_of(events::EventCount all, std::size_t runs) {
  for (auto* number : {&all.raw, &all.enabled_ns, &all.running_ns}) *number /= runs;
  all.scaled /= static_cast<double>(runs);
  return all;
}

}  // namespace

std::vector<std::string> add_windows(std::vector<events::Event>& events, const events::EventSources& sources,
                                     bool one_by_one) {
  std::vector<std::string> notes;
  std::set<std::string> needed;
  for (const auto& event : events)
    if (is_residency(event)) needed.insert(event.pmu);
  for (const auto& event : events)
    if (event.alias == kWindow) needed.erase(event.pmu);
  for (const auto& pmu : needed) {
    const std::string name = fmt::format("{}/{}/", pmu, kWindow);
    const events::Source* source = sources.find(pmu);
    auto added = source != nullptr && source->find(kWindow) != nullptr
                     ? events::parse_events(name, sources)
                     : base::Expected<std::vector<events::Event>>(base::Error{});
    if (!added) {
      notes.push_back(fmt::format("no per cent of the window: {} has no event {} that counts it", pmu, kWindow));
      continue;
    }
    notes.push_back(fmt::format("{} was added: a state's time is a part of it; {}", name,
                                one_by_one
                                    ? "each event was counted in a separate run; the ratio compares rates per second"
                                    : "both are estimates while they share the counter"));
    for (auto& event : *added) {
      event.mention = events.back().mention + 1;
      events.push_back(std::move(event));
    }
  }
  return notes;
}

std::vector<StatEvent> stat_events(std::vector<events::Event>& events, const events::EventSources& sources,
                                   double unit_bytes) {
  const auto pmus = pcie::pcie_pmus(sources);
  std::vector<StatEvent> named;
  std::map<std::pair<std::string, std::string>, std::size_t> windows;  // PMU and place
  for (std::size_t i = 0; i < events.size(); ++i) {
    events::Event& event = events[i];
    auto bytes = rule_of(event, pmus, sources, unit_bytes);
    const unsigned saturating_bits = width_of(event);
    if (i == 0 || events[i - 1].mention != event.mention) {
      named.push_back({event.shown(), event.unit, event.scale, {}, std::move(bytes), saturating_bits, std::nullopt});
      if (event.alias == kWindow) windows.emplace(std::pair(event.pmu, event.place), named.size() - 1);
    }
    named.back().parts.push_back(i);
  }
  for (auto& one : named) {
    const events::Event& event = events[one.parts.front()];
    const auto window = windows.find({event.pmu, event.place});
    if (is_residency(event) && window != windows.end()) one.window = window->second;
  }
  return named;
}

std::vector<StatRow> stat_rows(std::span<const StatEvent> named, std::span<const events::EventCount> counts) {
  std::vector<StatRow> rows;
  for (const auto& one : named) rows.push_back(row_of(one, counts));
  std::uint64_t window_ns = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (named[i].bytes) window_ns = std::max(window_ns, rows[i].count.window_ns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (named[i].bytes) rows[i].mb_per_s = mb_per_s(rows[i].bytes, window_ns);
    if (!named[i].window) continue;
    const auto& all = rows[*named[i].window].count;
    if (all.state == events::CountState::counted && rows[i].count.state == events::CountState::counted &&
        per_ns(all) > 0)
      rows[i].window_percent = 100 * per_ns(rows[i].count) / per_ns(all);
  }
  return rows;
}

Mean mean_of(std::span<const double> values) {
  const auto summary = stats::summarize(values);
  return {summary.mean, values.empty() ? 0 : summary.stddev / std::sqrt(static_cast<double>(values.size()))};
}

std::vector<StatRow> mean_rows(std::span<const std::vector<StatRow>> runs) {
  std::vector<StatRow> means;
  if (runs.empty()) return means;
  if (runs.size() == 1) return runs.front();
  for (std::size_t i = 0; i < runs.front().size(); ++i) {
    StatRow mean = runs.front()[i];
    std::vector<double> values, bytes, rates, percents;
    std::vector<events::EventCount> counts;
    for (const auto& run : runs) {
      values.push_back(run[i].value);
      bytes.push_back(run[i].bytes);
      rates.push_back(run[i].mb_per_s);
      if (run[i].window_percent) percents.push_back(*run[i].window_percent);
      counts.push_back(run[i].count);
      mean.saturated |= run[i].saturated;
      if (run[i].count.state != events::CountState::counted) mean.count.state = run[i].count.state;
    }
    const events::CountState state = mean.count.state;
    mean.count = one_of(sum(counts), runs.size());
    mean.count.state = state;
    const Mean value = mean_of(values);
    mean.value = value.mean;
    mean.deviation_percent = value.mean == 0 ? 0 : 100 * value.deviation / std::abs(value.mean);
    mean.bytes = mean_of(bytes).mean;
    mean.mb_per_s = mean_of(rates).mean;
    if (percents.size() == runs.size()) mean.window_percent = mean_of(percents).mean;
    means.push_back(mean);
  }
  return means;
}

}  // namespace fathom::pmu
