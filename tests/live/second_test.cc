// What programs read of a second: every object by a parser, every line of the metrics by the format's grammar.
#include "live/second.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "live/latency_lines.h"

namespace fathom::live {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

run::Progress progress() {
  run::Progress p;
  p.jobs_running = 2, p.jobs_total = 3, p.jobs_done = 1;
  p.states = "rR_";
  p.ios[0] = 12'345, p.bytes[0] = 12'345ull * 4096;
  p.ios_per_s[0] = 5000, p.bytes_per_s[0] = 5000 * 4096;
  p.lat[0].histogram_ns.add(100, 990), p.lat[0].histogram_ns.add(127, 10);
  p.elapsed_s = 2.5, p.done_share = 0.25, p.eta_s = 7, p.eta_known = true;
  return p;
}

TEST(Second, IsAnObjectOnALine) {
  const auto line = json_line(progress(), 1'700'000'000'123);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto j = nlohmann::json::parse(line);
  EXPECT_EQ(j["time_epoch_ms"], 1'700'000'000'123);
  EXPECT_EQ(j["jobs_running"], 2);
  EXPECT_EQ(j["jobs"], 3);
  EXPECT_EQ(j["done_percent"], 25);
  EXPECT_EQ(j["eta_s"], 7);
  EXPECT_EQ(j["read"]["ios"], 12'345);
  EXPECT_EQ(j["read"]["bytes_per_s"], 5000 * 4096);
  EXPECT_EQ(j["read"]["lat_n"], 1000);
  EXPECT_EQ(j["read"]["lat_ns_p50"], 100);
  EXPECT_EQ(j["read"]["lat_ns_p99"], 100);
  EXPECT_EQ(j["read"]["lat_ns_p999"], 127);
  EXPECT_TRUE(j["write"]["lat_ns_p50"].is_null());
}

TEST(Second, WhatIsNotKnownIsNull) {
  auto p = progress();
  p.eta_known = false;
  p.lat[0] = {};
  p.lat[0].histogram_ns.add(100, 99);
  const auto j = nlohmann::json::parse(json_line(p, 1));
  EXPECT_TRUE(j["eta_s"].is_null());
  EXPECT_TRUE(j["done_percent"].is_null());
  EXPECT_EQ(j["read"]["lat_ns_p50"], 100);
  EXPECT_TRUE(j["read"]["lat_ns_p99"].is_null()) << "of 99 there is none";
  EXPECT_TRUE(j["read"]["lat_ns_p999"].is_null());
}

TEST(Second, EveryLineOfTheMetricsIsWellFormed) {
  const std::regex help("# HELP [a-z_]+ [A-Z].*"), type("# TYPE [a-z_]+ (counter|gauge)"),
      sample("[a-z_]+(\\{[a-z]+=\"[a-z0-9.]+\"(,[a-z]+=\"[a-z0-9.]+\")*\\})? [0-9.]+");
  std::istringstream lines(metrics_text(progress()));
  int samples = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool is_sample = std::regex_match(line, sample);
    EXPECT_TRUE(is_sample || std::regex_match(line, help) || std::regex_match(line, type)) << line;
    samples += is_sample ? 1 : 0;
  }
  EXPECT_EQ(samples, 4 + 3 + 4);
}

TEST(Second, MetricsAreInBaseUnits) {
  const auto text = metrics_text(progress());
  EXPECT_THAT(text, HasSubstr("fathom_ios_total{direction=\"read\"} 12345\n"));
  EXPECT_THAT(text, HasSubstr("fathom_latency_seconds{direction=\"read\",quantile=\"0.999\"} 0.000000127\n"));
  EXPECT_THAT(text, HasSubstr("fathom_done_ratio 0.2500\n"));
  EXPECT_THAT(text, Not(HasSubstr("write")));
}

TEST(LatencyLines, SayWhatThereIsEnoughOf) {
  LatencyLines lines;
  auto p = progress();
  auto seen = lines.look(p, 100, false);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_THAT(seen[0], HasSubstr("read"));
  EXPECT_THAT(seen[0], HasSubstr("p99.9  127 ns"));
  EXPECT_THAT(seen[0], HasSubstr("5.00k IOPS"));
  p.lat[0] = {};
  p.lat[0].histogram_ns.add(100, 99);
  p.ios_per_s[0] = 0;
  seen = lines.look(p, 100, false);
  ASSERT_EQ(seen.size(), 1u) << "a direction that was used stays";
  EXPECT_THAT(seen[0], HasSubstr("p99       -"));
  EXPECT_THAT(seen[0], HasSubstr("%_")) << "the rates, drawn";
  EXPECT_LE(lines.look(p, 80, true)[0].size(), 200u);
}

}  // namespace
}  // namespace fathom::live
