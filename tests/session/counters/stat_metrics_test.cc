// What perf shows beside a count, from counts that are made up.
#include "session/counters/stat_metrics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "host/temp_tree.h"
#include "pmu/events/event_names.h"
#include "pmu/events/sources.h"

namespace fathom::session::counters {
namespace {

// Of events by name and their counts: "0.500 CPUs utilized"; "": none. A window of two seconds.
std::vector<std::string> metrics(const std::string& names, const std::vector<double>& counts,
                                 const std::vector<std::string>& places = {}) {
  const host::testing::TempTree tree;
  auto events = pmu::events::parse_events(names, pmu::events::EventSources(tree.root()));
  EXPECT_TRUE(events.ok());
  StatFound found;
  std::vector<result::PmuRow> rows;
  for (std::size_t i = 0; i < events->size(); ++i) {
    auto& event = (*events)[i];
    if (!places.empty()) event.place = places[i];
    pmu::StatEvent named;
    named.name = event.shown();
    named.scale = event.scale;
    named.parts = {i};
    found.events.push_back(named);
    result::PmuRow row;
    row.event = event.shown();
    row.count = counts[i];
    if (counts[i] < 0) row.state = result::PmuState::not_counted;
    rows.push_back(row);
  }
  add_metrics(found, *events, 2e9, rows);
  std::vector<std::string> texts;
  for (const auto& row : rows)
    texts.push_back(row.metric ? fmt::format("{:.3f} {}", row.metric->value, row.metric->unit) : "");
  return texts;
}

using Texts = std::vector<std::string>;

TEST(StatMetrics, AreThoseThatPerfShows) {
  EXPECT_EQ(metrics(pmu::events::default_events(false, true), {1000, 50, 0, 2'000'000, 3e9, 3e8, 6e8, 4.5e9, 1e9, 2e7}),
            (Texts{"0.500 CPUs utilized", "50.000 /sec", "0.000 /sec", "2.000 M/sec", "3.000 GHz",
                   "10.000 frontend cycles idle", "20.000 backend cycles idle", "1.500 insn per cycle", "1.000 G/sec",
                   "2.000 of all branches"}));
  EXPECT_EQ(metrics(pmu::events::detailed_events(3), {100, 5, 10, 1, 50, 1, 20, 4, 8, 4, 2, 1}),
            (Texts{"", "5.000 of all L1-dcache accesses", "", "10.000 of all LL-cache accesses", "",
                   "2.000 of all L1-icache accesses", "", "20.000 of all dTLB cache accesses", "",
                   "50.000 of all iTLB cache accesses", "", ""}));
}

TEST(StatMetrics, WithoutAPartnerThereIsARateOrNothing) {
  EXPECT_EQ(metrics("cycles,instructions,branch-misses,cs", {1, 1, 1, 1}), (Texts{"", "1.000 insn per cycle", "", ""}));
  EXPECT_EQ(metrics("cpu-clock,instructions,branch-misses,cycles", {500, 7, 7, -1}),
            (Texts{"0.250 CPUs utilized", "", "14.000 /sec", ""}));
  EXPECT_EQ(metrics("task-clock,cs", {-1, 5}), (Texts{"", ""}));
}

TEST(StatMetrics, PartnersHaveTheSameModeAndPlace) {
  EXPECT_EQ(metrics("cycles:u,instructions,cycles,instructions:u", {100, 50, 200, 300}),
            (Texts{"", "0.250 insn per cycle", "", "3.000 insn per cycle"}));
  EXPECT_EQ(metrics("task-clock,task-clock,cs,cs", {1000, 500, 10, 10}, {"S0", "S1", "S0", "S1"}),
            (Texts{"0.500 CPUs utilized", "0.250 CPUs utilized", "10.000 /sec", "20.000 /sec"}));
}

}  // namespace
}  // namespace fathom::session::counters
