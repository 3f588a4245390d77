// Every finding is said once below a report's first lines, which say the worst of them too, and no line that is drawn is wider than what it is drawn on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/formats.h"
#include "report/normal.h"
#include "report/paging/paging_chart.h"
#include "sample_run.h"

namespace fathom::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Doubts whose sentence another line has too: of the clock, of a witness.
result::Run doubted_run() {
  auto run = simple_run();
  auto& clock = run.jobs[0].clock;
  clock = unfit_clock();
  run.findings = {{"clock.unfit", result::Severity::warning, "", "clock source cpu was used as asked: " + clock.reason,
                   "leave clocksource= out"},
                  {"audit.unit_error", result::Severity::error, "", "pcie_pmu x read: seen 6 %: counts sixteenths", ""},
                  {"memory.max", result::Severity::note, "t", "a note of one job", "its remedy"}};
  run.audit.emplace().line = "disagrees";
  auto& witness = run.audit->witnesses.emplace_back();
  witness.source = "pcie_pmu", witness.subject = "x", witness.verdict = result::Verdict::disagrees;
  witness.diagnosis = "unit_error_16", witness.cause = "counts sixteenths";
  run.audit->foreign.push_back({"vda", "read", 4096, 1, {}, 1, true, "dd (4711)", "dd (4711) read vda"});
  run.findings.push_back({"audit.foreign", result::Severity::warning, "", "dd (4711) read vda", ""});
  return run;
}

TEST(EveryFinding, IsSaidOnceInEveryText) {
  auto run = doubted_run();
  for (const bool fio_mode : {false, true}) {
    run.program.fio_mode = fio_mode;
    for (const char* format : {"normal", "verbose"}) {
      const auto text = report_in(std::vector<std::string>{format, "plot"}, run).substr(opening(run).size());
      for (const auto& finding : run.findings) EXPECT_EQ(times(text, finding.evidence), 1u) << format << text;
      for (const auto& sentence : {run.jobs[0].clock.reason, run.audit->witnesses[0].cause})
        EXPECT_EQ(times(text, sentence), 1u) << format << ": " << sentence << "\n" << text;
    }
  }
}

// Where no finding says it, the line does.
TEST(EveryFinding, OfNoFindingTheReasonStands) {
  auto run = doubted_run();
  run.findings.clear();
  const auto text = normal(run);
  EXPECT_THAT(text, HasSubstr("unfit: time ran backwards"));
  EXPECT_THAT(text, HasSubstr("disagrees [unit_error_16]: counts sixteenths"));
}

TEST(Plots, StandBehindAllTextWhateverTheirOrder) {
  const auto run = simple_run();
  const auto text = report_in(std::vector<std::string>{"plot", "verbose", "normal"}, run);
  EXPECT_EQ(text, verbose(run) + plot(run));
  EXPECT_EQ(report_in(std::vector<std::string>{"plot"}, run), plot(run));
  EXPECT_EQ(report_in(std::vector<std::string>{"normal", "plot"}, run), normal(run) + plot(run));
}

TEST(Plots, OfNothingThereAreNoneAndTheTextStands) {
  auto run = simple_run();
  for (auto& d : run.jobs[0].dirs) d = {};
  EXPECT_EQ(plot(run), "");
  EXPECT_EQ(report_in(std::vector<std::string>{"plot"}, run), normal(run));
}

TEST(Brief, OfARunThatMeasuredNothingIsNoLongText) {
  auto run = simple_run();
  for (auto& d : run.jobs[0].dirs) d = {};
  run.interrupted = true;
  EXPECT_EQ(report_in(std::vector<std::string>{"brief"}, run), brief(run));
}

TEST(Plots, AreNoWiderThanTheirCanvas) {
  auto run = simple_run();
  run.jobs[0].name = std::string(150, 'n');
  for (std::uint64_t i = 1; i <= 500; ++i) run.jobs[0].dirs[1].series.push_back({i * 500, 500, i * 4096'000, i * 1000});
  for (const std::size_t last_ns : {90'000'000ul, 1'100'000'000ul, 17'000'000'000ul, 900'000'000'000ul}) {
    for (auto& d : run.jobs[0].dirs)
      if (d.ios > 0) d.lat.histogram_ns.add(last_ns, 1), d.lat.moments_ns.add(last_ns);
    for (const std::size_t width : {60u, 61u, 80u, 97u, 120u}) {
      for (const bool utf8 : {false, true}) {
        std::istringstream lines(report_in(std::vector<std::string>{"plot"}, run, {utf8, width}));
        std::size_t widest = 0;
        for (std::string line; std::getline(lines, line);) {
          EXPECT_LE(columns(line), width) << line;
          widest = std::max(widest, columns(line));
        }
        EXPECT_GE(widest, width - 8) << "it is used";
      }
    }
  }
  EXPECT_THAT(report_in(std::vector<std::string>{"plot"}, run, {true, 59}), HasSubstr("no plot"));
}

TEST(Plots, WithoutBlockCharactersAreAscii) {
  const auto text = plot_ascii(simple_run());
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  EXPECT_FALSE(text.empty());
}

// All percentiles alike: a sentence, and no curve that says the same in ten rows.
TEST(Plots, OfOneLatencyThereIsNoCurve) {
  auto run = simple_run();
  for (auto& d : run.jobs[0].dirs)
    if (d.ios > 0) d.lat = latency_of({100'000}, 1000);
  EXPECT_THAT(plot(run), HasSubstr("t read: lat by percentile: 100 us from the median on\n"));
  EXPECT_THAT(plot(run), Not(HasSubstr("99.9")));
}

// Few I/Os have no 99th percentile.
TEST(Plots, OfFewIosThereIsNoCurve) {
  auto run = simple_run();
  for (auto& d : run.jobs[0].dirs)
    if (d.ios > 0) d.lat = latency_of({100'000, 200'000}, 40);
  EXPECT_THAT(plot(run), Not(HasSubstr("percentile")));
  EXPECT_THAT(plot(run), HasSubstr("t read: lat of 80 I/Os"));
}

// A label that would begin near the axis' end moves left, and none is lost.
TEST(Plots, LabelsOfTheAxisEndWhereTheLineEnds) {
  stats::Histogram histogram;
  histogram.add(600'000, 1), histogram.add(1'040'000, 1);
  const stats::Histogram* const all[] = {&histogram};
  paging::ChartStyle style;
  for (style.width = 60; style.width <= 140; ++style.width) {
    const auto axis = paging::axis_for(all, style.width);
    const auto drawn = paging::draw_histogram("x", histogram, axis, style);
    EXPECT_THAT(drawn, HasSubstr("1ms"));
    std::istringstream lines(drawn);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), style.width) << line;
  }
}

}  // namespace
}  // namespace fathom::report
