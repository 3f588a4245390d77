// What `fathom pmu stat` prints, from a report that is made up: text, CSV, JSON.
#include "report/pmu_stat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "import/result_json.h"
#include "report/document.h"
#include "session/counters/stat_rows.h"

namespace fathom::cli::pmu_commands {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What was counted, and the result without its rows.
struct Made : session::counters::StatFound {
  result::PmuStat stat;
  result::PmuStat all() const {
    auto out = stat;
    out.rows = session::counters::rows_of(*this, rows);
    return report::as_stored(out);
  }
};

Made made() {
  Made report;
  report.stat.command = "fio read.fio";
  report.stat.elapsed_ns = {16'207'362'782};
  report.stat.ended = {0.5, 0, 0};
  pmu::StatEvent rx;
  rx.name = "pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/";
  rx.parts = {0};
  rx.bytes = pmu::BytesRule{16, pmu::pcie::Direction::to_memory, "raw x 16 bytes (not verified)"};
  pmu::StatEvent clock;
  clock.name = "task-clock";
  clock.unit = "msec";
  clock.scale = 1e-6;
  clock.parts = {1};
  report.events = {rx, clock};
  pmu::StatRow row;
  row.count.state = pmu::events::CountState::counted;
  row.count.raw = 536'910'432;
  row.count.scaled = row.value = 536'910'432;
  row.count.running_share = 1;
  row.count.enabled_ns = row.count.running_ns = row.count.window_ns = 16'207'000'000;
  row.bytes = 8'590'566'912;
  row.mb_per_s = 530.05;
  pmu::StatRow time = row;
  time.value = 3.25;
  report.rows = {row, time};
  report.lost_at_s.resize(2);
  return report;
}

// What is printed of a result is what is printed of its file.
std::string in_format(const std::string& format, const result::PmuStat& stat) {
  const auto text = report::report_in(std::vector{format}, result::Stored(stat));
  const auto stored = import::read_stored(report::pmu_stat_json(stat), "stat.json");
  EXPECT_TRUE(stored.ok()) << stored.error().what;
  if (stored) {
    EXPECT_EQ(report::report_in(std::vector{format}, *stored), text);
  }
  return text;
}
std::string stat_text(const Made& report) { return in_format("text", report.all()); }
std::string stat_json(const Made& report) { return in_format("json", report.all()); }
std::string stat_csv(const Made& report, bool interval, const char* separator) {
  if (!interval) return report::pmu_stat_csv(report.all(), separator);
  return report::pmu_interval_csv({1'500'000'000, report.all().rows}, separator);
}

TEST(StatText, HasPerfsLayoutAndTheBytes) {
  EXPECT_EQ(
      stat_text(made()),
      "\n Performance counter stats for 'fio read.fio':\n\n"
      "       536,910,432      pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/ #    8,590,566,912 bytes       530.05 MB/s  to "
      "memory (read)\n"
      "              3.25 msec task-clock\n"
      "\n"
      "      16.207362782 seconds time elapsed\n"
      "\n"
      "       0.500000000 seconds user\n"
      "       0.000000000 seconds sys\n"
      "\n"
      "  rule: pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/: raw x 16 bytes (not verified)\n"
      "\n");
}

TEST(StatText, ARunningShareBelow100PercentIsShown) {
  auto report = made();
  report.rows[0].count.running_ns /= 2;
  report.rows[0].count.running_share = 0.4968;
  EXPECT_THAT(stat_text(report), HasSubstr("  (49.68%)\n"));
  EXPECT_THAT(stat_text(made()), Not(HasSubstr("%)")));
}

TEST(StatText, WhatWasNotCountedHasNoNumber) {
  auto report = made();
  report.rows[0].count.state = pmu::events::CountState::not_counted;
  report.rows[1].count.state = pmu::events::CountState::not_supported;
  const auto text = stat_text(report);
  EXPECT_THAT(text, HasSubstr("     <not counted>      pcie_bdf_200"));
  EXPECT_THAT(text, HasSubstr("   <not supported> msec task-clock\n"));
  EXPECT_THAT(text, Not(HasSubstr("MB/s")));
}

TEST(StatText, ALostPmuKeepsItsCountAndSaysWhen) {
  auto report = made();
  report.rows[0].count.state = pmu::events::CountState::lost;
  report.lost_at_s[0] = 4.25;
  EXPECT_THAT(stat_text(report), HasSubstr("536,910,432"));
  EXPECT_THAT(stat_text(report), HasSubstr("(lost at 4.2 s)"));
}

TEST(StatText, SeveralRunsShowDeviations) {
  auto report = made();
  report.stat.runs = 2;
  report.stat.elapsed_ns = {1'000'000'000, 3'000'000'000};
  report.rows[1].deviation_percent = 4.26;
  const auto text = stat_text(report);
  EXPECT_THAT(text, HasSubstr("(2 runs):"));
  EXPECT_THAT(text, HasSubstr("( +-  4.26% )"));
  EXPECT_THAT(text, HasSubstr("              2.00 +- 1.00 seconds time elapsed  ( +- 50.00% )"));
}

TEST(StatText, ASystemWideCountIsNamedSo) {
  auto report = made();
  report.stat.system_wide = true;
  EXPECT_THAT(stat_text(report), HasSubstr("for 'system wide':"));
  EXPECT_THAT(stat_text(report), Not(HasSubstr("seconds user")));
}

// Counts of two CPUs, as perf 6.1 prints them (`perf stat -a -A`, `--per-socket`, ... with the counts exchanged).
result::PmuStat placed(result::PmuPlaceKind kind, const char* name, unsigned cpus) {
  auto stat = made().all();
  stat.rows[0] = stat.rows[1];
  stat.rows[1].event = "page-faults";
  stat.rows[1].unit = "";
  stat.rows[1].fraction = false;
  stat.rows[1].count = 373;
  stat.rows[0].metric = {2.114, "CPUs utilized"};
  stat.rows[1].metric = {5.497, "K/sec"};
  for (auto& row : stat.rows) row.place = {kind, name, cpus};
  stat.system_wide = true;
  return stat;
}

TEST(StatText, PlacesHavePerfsColumns) {
  using result::PmuPlaceKind;
  EXPECT_THAT(
      in_format("text", placed(PmuPlaceKind::cpu, "CPU0", 1)),
      HasSubstr("\nCPU0                     3.25 msec task-clock                       #    2.114 CPUs utilized\n"
                "CPU0                      373      page-faults                      #    5.497 K/sec\n"));
  EXPECT_THAT(
      in_format("text", placed(PmuPlaceKind::socket, "S0", 2)),
      HasSubstr("\nS0        2               3.25 msec task-clock                       #    2.114 CPUs utilized\n"));
  EXPECT_THAT(in_format("text", placed(PmuPlaceKind::die, "S0-D0", 2)),
              HasSubstr("\nS0-D0           2               3.25 msec task-clock "));
  EXPECT_THAT(in_format("text", placed(PmuPlaceKind::core, "S0-D0-C0", 1)),
              HasSubstr("\nS0-D0-C0           1               3.25 msec task-clock "));
}

TEST(StatText, IntervalsOfPlacesHavePerfsHeads) {
  using result::PmuPlaceKind;
  const auto head = [](PmuPlaceKind kind, const char* name) {
    const auto text = report::pmu_interval_text({1, placed(kind, name, 2).rows}, 0);
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(head(PmuPlaceKind::cpu, "CPU0"), "#           time CPU                    counts unit events");
  EXPECT_EQ(head(PmuPlaceKind::socket, "S0"), "#           time socket cpus             counts unit events");
  EXPECT_EQ(head(PmuPlaceKind::die, "S0-D0"), "#           time die          cpus             counts unit events");
  EXPECT_EQ(head(PmuPlaceKind::core, "S0-D0-C0"),
            "#           time core            cpus             counts unit events");
}

TEST(StatText, MetricsHavePerfsDigits) {
  auto stat = placed(result::PmuPlaceKind::cpu, "CPU0", 1);
  stat.runs = 3;
  stat.elapsed_ns = {1, 2, 3};
  stat.rows[0].deviation_percent = 20.55;
  stat.rows[0].metric = {1.234, "insn per cycle"};
  stat.rows[1].metric = {4.321, "of all branches"};
  const auto text = in_format("text", stat);
  EXPECT_THAT(text, HasSubstr("task-clock                       #    1.23  insn per cycle           ( +- 20.55% )\n"));
  EXPECT_THAT(text, HasSubstr("page-faults                      #    4.32% of all branches\n")) << "no deviation of 0";
}

TEST(StatText, TheHeadNamesWhatWasCounted) {
  auto stat = made().all();
  const auto head = [&](result::PmuTargetKind kind, const char* list) {
    stat.target = {kind, list};
    EXPECT_THAT(in_format("text", stat), Not(HasSubstr("seconds user")));
    return in_format("text", stat).substr(0, in_format("text", stat).find(":\n"));
  };
  using result::PmuTargetKind;
  EXPECT_EQ(head(PmuTargetKind::processes, "1,2"), "\n Performance counter stats for process id '1,2'");
  EXPECT_EQ(head(PmuTargetKind::threads, "3"), "\n Performance counter stats for thread id '3'");
  EXPECT_EQ(head(PmuTargetKind::cpus, "0-1"), "\n Performance counter stats for 'CPU(s) 0-1'");
}

TEST(StatCsv, PlacesComeFirst) {
  using result::PmuPlaceKind;
  EXPECT_THAT(in_format("csv", placed(PmuPlaceKind::cpu, "CPU0", 1)),
              ::testing::StartsWith(
                  "cpu,count,unit,event,run_time_ns,running_percent,metric,metric_unit,bytes,direction,state\n"
                  "CPU0,3.25,msec,task-clock,16207000000,100.00,2.114,CPUs utilized,,,counted\n"));
  EXPECT_THAT(in_format("csv", placed(PmuPlaceKind::socket, "S0", 2)),
              ::testing::StartsWith("socket,cpus,count,unit,event,run_time_ns,running_percent,"));
  EXPECT_THAT(in_format("csv-plain", placed(PmuPlaceKind::socket, "S0", 2)),
              HasSubstr("S0,2,373,,page-faults,16207000000,100.00,5.497,K/sec,,,counted\n"));
}

TEST(StatCsv, ADeviationStandsBetweenEventAndRunTime) {
  auto stat = made().all();
  stat.runs = 2;
  stat.rows[1].deviation_percent = 3.47;
  EXPECT_THAT(in_format("csv", stat), ::testing::StartsWith("count,unit,event,deviation,run_time_ns,"));
  EXPECT_THAT(in_format("csv-plain", stat), HasSubstr("3.25,msec,task-clock,3.47%,16207000000,100.00,"));
}

TEST(StatJson, PerfsFormHasAnObjectAnEvent) {
  const auto stat = placed(result::PmuPlaceKind::socket, "S0", 2);
  const auto json = in_format("perf-json", stat);
  EXPECT_THAT(json, ::testing::StartsWith(
                        "{\"socket\" : \"S0\", \"aggregate-number\" : 2, \"counter-value\" : \"3.250000\", \"unit\" : "
                        "\"msec\", \"event\" : \"task-clock\", \"event-runtime\" : 16207000000, \"pcnt-running\" : "
                        "100.000000, \"metric-value\" : 2.114000, \"metric-unit\" : \"CPUs utilized\", "));
  EXPECT_EQ(std::count(json.begin(), json.end(), '\n'), 2);
  auto runs = placed(result::PmuPlaceKind::cpu, "CPU3", 1);
  runs.runs = 2;
  runs.rows[0].state = result::PmuState::not_supported;
  runs.rows[0].metric.reset();
  EXPECT_THAT(
      in_format("perf-json", runs),
      ::testing::StartsWith("{\"cpu\" : \"3\", \"counter-value\" : \"<not supported>\", \"unit\" : \"msec\", \"event\" "
                            ": \"task-clock\", \"variance\" : 0.000000, "));
  EXPECT_THAT(report::pmu_interval_perf_json({20'250'260, stat.rows}),
              ::testing::StartsWith("{\"interval\" : 0.02025026, \"socket\" : \"S0\", "));
}

TEST(StatCsv, KeepsPerfsOrder) {
  const auto report = made();
  EXPECT_EQ(stat_csv(report, false, ","),
            "536910432,,pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/,16207000000,100.00,530.05,MB/s,8590566912,read,counted\n"
            "3.25,msec,task-clock,16207000000,100.00,,,,,counted\n");
  EXPECT_EQ(report::pmu_stat_csv_header({.intervals = true}, ";"),
            "time;count;unit;event;run_time_ns;running_percent;metric;metric_unit;bytes;direction;state\n");
  EXPECT_THAT(stat_csv(report, true, ";"), HasSubstr("1.500000000;3.25;msec;task-clock;"));
}

std::ptrdiff_t columns(const std::string& text) {
  return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find('\n')), ';') + 1;
}

TEST(StatCsv, TheHeaderHasANameForEveryField) {
  auto report = made();
  for (const bool slots : {false, true}) {
    if (slots) report.slots.resize(2);
    EXPECT_EQ(columns(report::pmu_stat_csv_header({.slots = slots}, ";")), columns(stat_csv(report, false, ";")))
        << slots;
    EXPECT_EQ(columns(report::pmu_stat_csv_header({.intervals = true, .slots = slots}, ";")),
              columns(stat_csv(report, true, ";")))
        << slots;
  }
}

TEST(StatCsv, ALostPmuIsShownInTheStateColumn) {
  auto report = made();
  report.rows[0].count.state = pmu::events::CountState::lost;
  report.rows[1].count.state = pmu::events::CountState::taken;
  const auto text = stat_csv(report, false, ",");
  EXPECT_THAT(text, HasSubstr("536910432,,pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/,"));
  EXPECT_THAT(text, HasSubstr(",read,lost\n"));
  EXPECT_THAT(text, HasSubstr("<not counted>,msec,task-clock,"));
  EXPECT_THAT(text, HasSubstr(",taken\n"));
}

TEST(StatCsv, NotesAreComments) {
  auto report = made();
  EXPECT_EQ(report::pmu_stat_csv_notes(report.stat), "");
  report.stat.notes = {"one", "two"};
  EXPECT_EQ(report::pmu_stat_csv_notes(report.stat), "# note: one\n# note: two\n");
}

TEST(StatCsv, AFieldWithTheSeparatorIsQuoted) {
  auto report = made();
  report.events[1].name = "a/b=1,c=2/";
  EXPECT_THAT(stat_csv(report, false, ","), HasSubstr(",\"a/b=1,c=2/\","));
}

TEST(StatJson, HoldsCountsBytesAndTheRule) {
  auto report = made();
  report.stat.notes = {"a note"};
  report.rows[1].count.state = pmu::events::CountState::not_counted;
  const auto json = stat_json(report);
  for (const auto* part : {"\"raw\" : 536910432", "\"unit_bytes\" : 16.000000", "\"direction\" : \"read\"",
                           "\"rule\" : \"raw x 16 bytes (not verified)\"", "\"state\" : \"not_counted\"", "\"a note\"",
                           "\"exit_status\" : 0"})
    EXPECT_THAT(json, HasSubstr(part));
  EXPECT_THAT(json, Not(HasSubstr("3.250000"))) << "no number for what was not counted";
}

TEST(StatJson, AnIntervalIsOneLine) {
  const auto report = made();
  const auto line = report::pmu_interval_json({1'500'000'000, report.all().rows});
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  EXPECT_THAT(line, ::testing::StartsWith("{\"time_s\" : 1.5"));
  EXPECT_THAT(line, HasSubstr("\"raw\" : 536910432"));
  EXPECT_THAT(line, Not(HasSubstr("  ")));
}

TEST(StatIntervals, IntervalsOfAStoredRunArePrintedAgain) {
  auto stat = made().all();
  stat.notes = {"a note"};
  for (std::uint64_t i = 1; i <= 26; ++i) stat.intervals.push_back({i * 10'000'001, stat.rows});
  const auto text = in_format("text", stat);
  EXPECT_THAT(text, ::testing::StartsWith("#           time             counts unit events\n"));
  EXPECT_NE(text.find("#           time", 1), std::string::npos) << "every 25";
  EXPECT_THAT(text, HasSubstr("\n     0.010000001               3.25 msec task-clock\n"));
  EXPECT_THAT(text, ::testing::EndsWith("  note: a note\n"));
  EXPECT_THAT(in_format("csv", stat), ::testing::StartsWith("time,count,"));
  EXPECT_THAT(in_format("csv-plain", stat), ::testing::StartsWith("     0.010000001,536910432,"));
  const auto json = in_format("json", stat);
  EXPECT_EQ(std::count(json.begin(), json.end(), '\n'), 27);
  const auto cut = import::read_stored(json.substr(0, json.rfind('\n', json.size() - 2) + 1), "stat.json");
  ASSERT_FALSE(cut.ok());
  EXPECT_THAT(cut.error().what, HasSubstr("intervals without the result of the whole run"));
  const auto broken = import::read_stored(json.substr(0, json.rfind("\"time_ns")), "stat.json");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().place->line, 26);
}

}  // namespace
}  // namespace fathom::cli::pmu_commands
