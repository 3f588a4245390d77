// What `fathom pmu stat` prints, from a report that is made up: text, CSV, JSON.
#include "cli/pmu_stat_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace fathom::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

StatReport made() {
  StatReport report;
  report.subject = "fio read.fio";
  report.elapsed_s = {16.207362782};
  report.user_s = 0.5;
  report.exit_status = 0;
  pmu::StatEvent rx;
  rx.name = "pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/";
  rx.parts = {0};
  rx.bytes = pmu::BytesRule{16, pmu::Direction::to_memory, "raw x 16 bytes (not verified)"};
  pmu::StatEvent clock;
  clock.name = "task-clock";
  clock.unit = "msec";
  clock.scale = 1e-6;
  clock.parts = {1};
  report.events = {rx, clock};
  pmu::StatRow row;
  row.count.state = pmu::CountState::counted;
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

TEST(StatText, AShareIsShown) {
  auto report = made();
  report.rows[0].count.running_ns /= 2;
  report.rows[0].count.running_share = 0.4968;
  EXPECT_THAT(stat_text(report), HasSubstr("  (49.68%)\n"));
  EXPECT_THAT(stat_text(made()), Not(HasSubstr("%)")));
}

TEST(StatText, WhatWasNotCountedHasNoNumber) {
  auto report = made();
  report.rows[0].count.state = pmu::CountState::not_counted;
  report.rows[1].count.state = pmu::CountState::not_supported;
  const auto text = stat_text(report);
  EXPECT_THAT(text, HasSubstr("     <not counted>      pcie_bdf_200"));
  EXPECT_THAT(text, HasSubstr("   <not supported> msec task-clock\n"));
  EXPECT_THAT(text, Not(HasSubstr("MB/s")));
}

TEST(StatText, ALostPmuKeepsItsCountAndSaysWhen) {
  auto report = made();
  report.rows[0].count.state = pmu::CountState::lost;
  report.lost_at_s[0] = 4.25;
  EXPECT_THAT(stat_text(report), HasSubstr("536,910,432"));
  EXPECT_THAT(stat_text(report), HasSubstr("(lost at 4.2 s)"));
}

TEST(StatText, RunsHaveDeviations) {
  auto report = made();
  report.runs = 2;
  report.elapsed_s = {1, 3};
  report.rows[1].deviation_percent = 4.26;
  const auto text = stat_text(report);
  EXPECT_THAT(text, HasSubstr("(2 runs):"));
  EXPECT_THAT(text, HasSubstr("( +-  4.26% )"));
  EXPECT_THAT(text, HasSubstr("          2.000000 +- 1.000000 seconds time elapsed  ( +- 50.00% )"));
}

TEST(StatText, TheWholeMachineIsNamed) {
  auto report = made();
  report.system_wide = true;
  EXPECT_THAT(stat_text(report), HasSubstr("for 'system wide':"));
  EXPECT_THAT(stat_text(report), Not(HasSubstr("seconds user")));
}

TEST(StatCsv, KeepsPerfsOrder) {
  const auto report = made();
  EXPECT_EQ(stat_csv(report, nullptr, ","),
            "536910432,,pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/,16207000000,100.00,530.05,MB/s,8590566912,read,counted\n"
            "3.25,msec,task-clock,16207000000,100.00,,,,,counted\n");
  EXPECT_EQ(stat_csv_header(report, true, false, ";"),
            "time;count;unit;event;run_time_ns;running_percent;metric;metric_unit;bytes;direction;state\n");
  const StatInterval interval{1.5, report.rows};
  EXPECT_THAT(stat_csv(report, &interval, ";"), HasSubstr("1.500000000;3.25;msec;task-clock;"));
}

std::ptrdiff_t columns(const std::string& text) {
  return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find('\n')), ';') + 1;
}

TEST(StatCsv, ALineOfNamesHasANameForEveryField) {
  auto report = made();
  for (const bool slots : {false, true}) {
    if (slots) report.slots.resize(2);
    const StatInterval interval{1, report.rows};
    EXPECT_EQ(columns(stat_csv_header(report, false, slots, ";")), columns(stat_csv(report, nullptr, ";"))) << slots;
    EXPECT_EQ(columns(stat_csv_header(report, true, slots, ";")), columns(stat_csv(report, &interval, ";"))) << slots;
  }
}

TEST(StatCsv, ALostPmuShows) {
  auto report = made();
  report.rows[0].count.state = pmu::CountState::lost;
  report.rows[1].count.state = pmu::CountState::taken;
  const auto text = stat_csv(report, nullptr, ",");
  EXPECT_THAT(text, HasSubstr("536910432,,pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/,"));
  EXPECT_THAT(text, HasSubstr(",read,lost\n"));
  EXPECT_THAT(text, HasSubstr("<not counted>,msec,task-clock,"));
  EXPECT_THAT(text, HasSubstr(",taken\n"));
}

TEST(StatCsv, NotesAreComments) {
  auto report = made();
  EXPECT_EQ(stat_csv_notes(report), "");
  report.notes = {"one", "two"};
  EXPECT_EQ(stat_csv_notes(report), "# note: one\n# note: two\n");
}

TEST(StatCsv, AFieldWithTheSeparatorIsQuoted) {
  auto report = made();
  report.events[1].name = "a/b=1,c=2/";
  EXPECT_THAT(stat_csv(report, nullptr, ","), HasSubstr(",\"a/b=1,c=2/\","));
}

TEST(StatJson, HoldsCountsBytesAndTheRule) {
  auto report = made();
  report.notes = {"a note"};
  report.rows[1].count.state = pmu::CountState::not_counted;
  const auto json = stat_json(report);
  for (const auto* part : {"\"raw\" : 536910432", "\"unit_bytes\" : 16.000000", "\"direction\" : \"read\"",
                           "\"rule\" : \"raw x 16 bytes (not verified)\"", "\"state\" : \"not_counted\"", "\"a note\"",
                           "\"exit_status\" : 0"})
    EXPECT_THAT(json, HasSubstr(part));
  EXPECT_THAT(json, Not(HasSubstr("3.250000"))) << "no number for what was not counted";
}

TEST(StatJson, AnIntervalIsALine) {
  const auto report = made();
  const auto line = stat_json_line(report, {1.5, report.rows});
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  EXPECT_THAT(line, ::testing::StartsWith("{\"time_s\" : 1.5"));
  EXPECT_THAT(line, HasSubstr("\"raw\" : 536910432"));
  EXPECT_EQ(one_line("{\n  \"a  b\" : [\n    1,\n    2\n  ]\n}\n"), "{\"a  b\" : [1,2]}\n");
}

TEST(Commas, StandEveryThreeDigits) {
  EXPECT_EQ(with_commas(0, true), "0");
  EXPECT_EQ(with_commas(999, true), "999");
  EXPECT_EQ(with_commas(1000, true), "1,000");
  EXPECT_EQ(with_commas(1234567.891, false), "1,234,567.89");
  EXPECT_EQ(with_commas(-123456, true), "-123,456");
}

}  // namespace
}  // namespace fathom::cli
