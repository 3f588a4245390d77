// No percentile of any report lies outside of the smallest and the largest sample beside it: samples whose buckets'
// middles do.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "paging_run.h"
#include "report/formats.h"
#include "report/paging_formats.h"
#include "sample_run.h"

namespace fathom::report {
namespace {

using Json = nlohmann::json;

// The end of a bucket as minimum, the begin of one as maximum: both middles are wrong.
constexpr std::uint64_t kMin = 5'239'807, kMax = 9'043'968;

result::Latency skewed() {
  result::Latency l;
  for (const std::uint64_t v : {kMin, kMin, (kMin + kMax) / 2, kMax, kMax}) {
    l.moments_ns.add(v);
    l.histogram_ns.add(v);
  }
  return l;
}

result::Run skewed_run(result::Run run) {
  for (auto* jobs : {&run.jobs, &run.group_members}) {
    for (auto& job : *jobs) {
      job.slat_percentiles = job.clat_percentiles = job.lat_percentiles = true;
      for (auto& d : job.dirs)
        if (d.ios > 0) d.slat = d.clat = d.lat = d.intended_lat = d.start_delay = skewed();
      job.sync_lat = skewed();
    }
  }
  return run;
}

unsigned judged = 0;

void judge(const Json& at, const std::string& where) {
  if (at.is_object()) {
    for (const char* key : {"percentile", "percentiles_ns"}) {
      if (!at.contains(key)) continue;
      const auto& least = at.contains("min") ? at["min"] : at["min_ns"];
      const auto& most = at.contains("max") ? at["max"] : at["max_ns"];
      for (const auto& [p, value] : at[key].items()) {
        ++judged;
        EXPECT_LE(least, value) << where << " " << p;
        EXPECT_LE(value, most) << where << " " << p;
      }
    }
  }
  if (at.is_structured())
    for (const auto& [key, value] : at.items()) judge(value, where + "/" + key);
}

TEST(PercentileBounds, JsonStaysWithinMinimumAndMaximum) {
  judged = 0;
  for (const auto& run : {skewed_run(simple_run()), skewed_run(grouped_run()), skewed_run(queue_run())})
    for (const char* format : {"json", "json+"}) judge(Json::parse(find_format(format)->render(run)), format);
  EXPECT_GT(judged, 500u);
}

TEST(PercentileBounds, PagingJsonStaysWithinMinimumAndMaximum) {
  judged = 0;
  auto run = paging_run();
  const auto l = skewed();
  for (auto& of_class : run.paging->latency)
    for (auto& latency : of_class)
      if (latency.moments_ns.n > 0) latency.moments_ns = l.moments_ns, latency.histogram_ns = l.histogram_ns;
  for (const char* format : {"json", "json+"}) judge(Json::parse(find_paging_format(format)->render(run)), format);
  EXPECT_GT(judged, 20u);
}

// "clat (usec): min=, max=" and, in the table below it, "99.00th=[ 9044]".
TEST(PercentileBounds, TextStaysWithinMinimumAndMaximum) {
  const auto text = find_format("normal")->render(skewed_run(simple_run()));
  const std::regex value("th=\\[ *([0-9]+)\\]");
  const std::string table = text.substr(text.find("clat percentiles (usec)"));
  const std::string of_clat = table.substr(0, table.find("bw ("));
  unsigned seen = 0;
  for (std::sregex_iterator it(of_clat.begin(), of_clat.end(), value), end; it != end; ++it, ++seen) {
    EXPECT_GE(std::stoull((*it)[1]), kMin / 1000);
    EXPECT_LE(std::stoull((*it)[1]), kMax / 1000);
  }
  EXPECT_GE(seen, 17u);
}

TEST(PercentileBounds, SpdkSummaryStaysWithinMinimumAndMaximum) {
  const auto text = find_format("spdk-l")->render(skewed_run(queue_run()));
  const std::regex value("% : +([0-9.]+)us");
  unsigned seen = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), value), end; it != end; ++it, ++seen) {
    EXPECT_GE(std::stod((*it)[1]), kMin / 1e3 - 0.001);
    EXPECT_LE(std::stod((*it)[1]), kMax / 1e3 + 0.001);
  }
  EXPECT_GE(seen, 15u);
}

TEST(PercentileBounds, BreakdownStaysWithinMinimumAndMaximum) {
  auto run = simple_run();
  run.breakdown.emplace();
  run.breakdown->asked = true;
  run.breakdown->classes.emplace_back();
  auto& c = run.breakdown->classes.back();
  const auto l = skewed();
  c.ios = c.matched = std::max(l.moments_ns.n, result::kFewestDivided);
  for (auto* part : {&c.parts[0], &c.whole}) *part = {true, l.moments_ns, l.histogram_ns};
  const auto text = find_format("normal")->render(run);
  EXPECT_NE(text.find("9043.97"), std::string::npos) << text;
  EXPECT_EQ(text.find("9109.50"), std::string::npos);
}

}  // namespace
}  // namespace fathom::report
