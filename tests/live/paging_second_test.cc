// A second of `fathom paging`: an object that a parser reads, metrics in the format's grammar, lines that fit a terminal.
#include "live/paging_second.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "live/paging_lines.h"

namespace fathom::live {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

paging::Progress paging_progress() {
  paging::Progress p;
  p.phase = paging::Progress::Phase::measuring;
  p.done_share = 0.25, p.elapsed_s = 2.5;
  p.accesses = 10'000, p.minor = 20, p.major = 3;
  p.late = {4000, 8, 1.5, 4000, 120, 950, 4096};
  return p;
}

TEST(PagingSecond, IsAnObjectOnALine) {
  const auto line = paging_json_line(paging_progress(), 10, 1'700'000'000'123);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto j = nlohmann::json::parse(line);
  EXPECT_EQ(j["phase"], "measuring");
  EXPECT_EQ(j["eta_s"], 8);
  EXPECT_EQ(j["done_percent"], 25);
  EXPECT_EQ(j["accesses"], 10'000);
  EXPECT_EQ(j["major"], 3);
  EXPECT_EQ(j["major_per_s"], 1.5);
  EXPECT_EQ(j["access_ns_p50"], 120);
  EXPECT_EQ(j["access_ns_p999"], 4096);
}

TEST(PagingSecond, WhatIsNotKnownIsNull) {
  auto p = paging_progress();
  p.phase = paging::Progress::Phase::filling;
  p.late = {};
  const auto j = nlohmann::json::parse(paging_json_line(p, 10, 1));
  for (const char* name : {"eta_s", "access_ns_p50", "access_ns_p99", "access_ns_p999"}) EXPECT_TRUE(j[name].is_null());
  EXPECT_EQ(j["phase"], "filling");
}

TEST(PagingSecond, MetricsAreOfTheMeasuredWindow) {
  EXPECT_THAT(paging_metrics_text(paging_progress()), HasSubstr("\nfathom_major_faults_total 3\n"));
  EXPECT_THAT(paging_metrics_text(paging_progress()), HasSubstr("{quantile=\"0.99\"} 0.000000950\n"));
  auto p = paging_progress();
  p.phase = paging::Progress::Phase::warming;
  EXPECT_THAT(paging_metrics_text(p), Not(HasSubstr("accesses")));
  EXPECT_THAT(paging_metrics_text(p), HasSubstr("fathom_done_ratio 0.2500\n"));
}

TEST(PagingLines, FitATerminal) {
  PagingLines lines;
  auto p = paging_progress();
  p.late.accesses_per_s = 123'456'789, p.late.minor_per_s = 99'999, p.late.ns_p999 = 123'456'789;
  for (int i = 0; i < 300; ++i) {
    const auto shown = lines.look("zram:2G, 2 of 3: ", p, 10, 119, false);
    ASSERT_EQ(shown.size(), 2u);
    EXPECT_EQ(shown[0], "zram:2G, 2 of 3: measuring [25.0%] [eta 00m:08s]");
    EXPECT_LE(shown[1].size(), 119u);
  }
  EXPECT_LE(lines.look("", p, 10, 79, false)[1].size(), 80u) << "cut where it is shown";
  p.phase = paging::Progress::Phase::filling;
  EXPECT_EQ(lines.look("", p, 10, 79, false), std::vector<std::string>{"filling [25.0%]"});
}

}  // namespace
}  // namespace fathom::live
