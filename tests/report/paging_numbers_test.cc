// Numbers that contradicted each other, or said more than was known: percentiles above the maximum, the series' length
// from its first point, memory called locked, differences smaller than the clock's step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paging_run.h"
#include "report/paging/paging_text_parts.h"
#include "report/paging_formats.h"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// In one bucket whose middle, 9,109,504, lies above both.
result::Run run_with_a_high_bucket() {
  auto run = paging_run();
  auto worker = run.paging->workers[0];
  worker.latency = {};
  add(worker.latency[2][0], 9'043'970, 3);
  add(worker.latency[2][0], 9'050'000, 1);
  set_workers(*run.paging, {worker});
  return run;
}

TEST(PagingReportNumbers, NoPercentileIsAboveTheMaximum) {
  const auto run = run_with_a_high_bucket();
  for (const auto& text : {json(run), json_plus(run)}) {
    EXPECT_THAT(text, HasSubstr("\"50.000000\" : 9050000"));
    EXPECT_THAT(text, HasSubstr("\"99.990000\" : 9050000"));
    EXPECT_THAT(text, Not(HasSubstr("000\" : 9109504"))) << "as a key of a bucket it may stand";
  }
  const auto xml = pmbench_xml(run);
  EXPECT_THAT(xml, HasSubstr("<p99.9_ns>9050000<"));
  EXPECT_THAT(xml, Not(HasSubstr("_ns>9109504<")));
  const auto text = paging_text(run);
  EXPECT_THAT(text, HasSubstr("9.05ms"));
  EXPECT_THAT(text, Not(HasSubstr("9.11ms")));
}

TEST(PagingReportNumbers, NoDevicePercentileIsAboveItsMaximum) {
  auto run = paging_run();
  auto& reads = run.paging->devices[0].read_ns;
  reads = {};
  add(reads, 9'043'970, 5);
  EXPECT_THAT(paging::paging_devices(*run.paging), HasSubstr("p50 9.04ms"));
  EXPECT_THAT(paging::paging_devices(*run.paging), Not(HasSubstr("9.11ms")));
}

TEST(PagingReportNumbers, NoPercentileIsBelowTheMinimum) {
  auto run = paging_run();
  auto worker = run.paging->workers[0];
  worker.latency = {};
  add(worker.latency[2][0], stats::bucket_end(stats::bucket_of(9'043'970)) - 1, 5);
  set_workers(*run.paging, {worker});
  EXPECT_THAT(json(run), Not(HasSubstr("000\" : 9109504")));
  EXPECT_THAT(json(run), HasSubstr("\"1.000000\" : 9175039"));
}

std::string heading(const std::vector<std::uint64_t>& intervals_ms) {
  auto run = paging_run();
  auto& series = run.paging->series;
  series.resize(intervals_ms.size());
  for (std::size_t i = 0; i < series.size(); ++i) series[i].interval_ms = intervals_ms[i];
  return paging::paging_series(*run.paging, {});
}

TEST(PagingReportNumbers, TheSeriesHeadingHasItsTypicalInterval) {
  EXPECT_THAT(heading({106, 97, 99, 98, 55}), HasSubstr("every 100 ms "));
  EXPECT_THAT(heading({104, 96}), HasSubstr("every 104 ms "));
  EXPECT_THAT(heading({60}), HasSubstr("every 60 ms "));
}

TEST(PagingReportNumbers, OnlyLockedMemoryIsCalledLocked) {
  auto run = paging_run();
  auto& p = *run.paging;
  p.measurement_bytes_per_thread = 252 << 10;
  const auto words = [&](std::uint64_t locked, bool all) {
    p.locked_bytes_per_thread = locked;
    p.locked = all;
    std::string head = paging::paging_head(run);
    for (std::size_t at = head.find("\n  "); at != std::string::npos; at = head.find("\n  ", at))
      head.replace(at, 3, " ");
    return head;
  };
  EXPECT_THAT(words(252 << 10, true), HasSubstr("measurement memory 252 KiB per thread, locked"));
  EXPECT_THAT(words(124 << 10, false), HasSubstr("252 KiB per thread, 124 KiB of it locked, the rest NOT"));
  EXPECT_THAT(words(0, false), HasSubstr("252 KiB per thread, NOT locked"));
}

TEST(PagingReportNumbers, TheClocksStepIsShownBesideTheFloor) {
  auto run = paging_run();
  auto& clock = run.paging->clock;
  clock.step_ns = 10.015;
  clock.floor_ns = clock.cached_load_ns = 20.03;
  clock.floor_mean_ns = 24.5;
  clock.cached_load_mean_ns = 25.1;
  std::string head = paging::paging_head(run);
  for (std::size_t at = head.find("\n  "); at != std::string::npos; at = head.find("\n  ", at))
    head.replace(at, 3, " ");
  EXPECT_THAT(head, HasSubstr("timer overhead 20.0 ns (mean 24.5, p99 20.5), with a cached load 20.0 ns (mean 25.1)"));
  EXPECT_THAT(head, HasSubstr("resolution 10 ns, the smallest difference of two accesses"));
  EXPECT_THAT(json(run), HasSubstr("\"step_ns\" : 10.015"));
  EXPECT_THAT(pmbench_xml(run), HasSubstr("<step_ns>10.015</step_ns>"));
  clock = {};
  EXPECT_THAT(paging::paging_head(run), Not(HasSubstr("steps"))) << "an imported file does not say";
}

TEST(PagingReportNumbers, Table2NamesTheTimingCostWhereItMatters) {
  auto run = table2_run();
  const auto note = [&] {
    std::string text = paging::paging_table2(*run.paging);
    const auto at = text.find("timing adds about");
    return at == std::string::npos ? std::string() : text.substr(text.rfind("\n", at) + 1);
  };
  EXPECT_THAT(note(), HasSubstr("  zram:2G"));
  for (auto& column : run.paging->table2) column.media = "direct reads of zram1";
  EXPECT_EQ(note(), "");
  for (auto& column : run.paging->table2) {
    column.media = "block requests of vda";
    column.media_ns = 56'700;
  }
  EXPECT_EQ(note(), "");
}

}  // namespace
}  // namespace fathom::report
