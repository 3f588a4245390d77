// Our JSON against the key lists of fio 3.33: every key is there, with the same type, in the same order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "files.h"
#include "report/formats.h"
#include "sample_run.h"

namespace fathom::report {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Paths = std::vector<std::pair<std::string, std::string>>;  // path, type

std::string type_of(const OrderedJson& value) {
  if (value.is_number_float()) return "float";
  if (value.is_number()) return "int";
  if (value.is_boolean()) return "bool";
  if (value.is_string()) return "string";
  return value.is_array() ? "array" : "object";
}

void flatten(const OrderedJson& value, const std::string& at, Paths& out) {
  const bool known = std::any_of(out.begin(), out.end(), [&](const auto& entry) { return entry.first == at; });
  if (!at.empty() && !known && !(value.is_object() && at.ends_with("[]"))) out.emplace_back(at, type_of(value));
  if (!at.empty() && !known && value.is_object() && at.ends_with("[]")) out.emplace_back(at, "object");
  if (value.is_array())
    for (const auto& element : value) flatten(element, at + "[]", out);
  if (!value.is_object()) return;
  const std::string last = at.substr(at.rfind('.') == std::string::npos ? 0 : at.rfind('.') + 1);
  const bool data = last == "bins" || last == "histogram_ns" || last == "job options" || last == "global options";
  for (const auto& [key, child] : value.items()) {
    std::string name = data ? "*" : key;
    std::replace(name.begin(), name.end(), '.', '_');
    flatten(child, at.empty() ? name : at + "." + name, out);
  }
}

void expect_fio_keys(const std::string& list, const std::string& document) {
  Paths ours;
  flatten(OrderedJson::parse(document), "", ours);
  std::istringstream lines(read_text(test_path("observed/" + list)));
  std::size_t position = 0, keys = 0;
  for (std::string line; std::getline(lines, line); ++keys) {
    const std::string path = line.substr(0, line.find('\t')), type = line.substr(line.find('\t') + 1);
    const auto found = std::find_if(ours.begin(), ours.end(), [&](const auto& entry) { return entry.first == path; });
    ASSERT_NE(found, ours.end()) << list << ": " << path << " is missing";
    EXPECT_EQ(found->second, type) << list << ": " << path;
    const auto at = static_cast<std::size_t>(found - ours.begin());
    EXPECT_GE(at, position) << list << ": " << path << " stands too early";
    position = at;
  }
  EXPECT_GT(keys, 100u);
}

TEST(FioJson, HasEveryKeyOfANullJob) {
  auto run = simple_run();
  run.disks.clear();
  run.jobs[0].dirs[0].slat = run.jobs[0].dirs[1].slat = {};
  expect_fio_keys("keys_null_randrw.txt", json(run));
  EXPECT_EQ(json(run).find("disk_util"), std::string::npos);
}

TEST(FioJson, HasEveryKeyOfAFileJobWithBins) {
  auto run = simple_run();
  auto& job = run.jobs[0];
  job.description = "x";
  job.slat_percentiles = job.lat_percentiles = true;
  job.sync_ios = 3;
  job.sync_lat = latency_of({1000, 2000, 3000});
  expect_fio_keys("keys_file_json_plus.txt", json_plus(run));
}

TEST(FioJson, HasEveryKeyOfAGroup) { expect_fio_keys("keys_grouped.txt", json(grouped_run())); }

TEST(FioJson, HasEveryKeyOfMixedReporting) {
  auto run = simple_run();
  run.disks.clear();
  run.jobs[0].unified = true;
  const OrderedJson back = OrderedJson::parse(json(run));
  expect_fio_keys("keys_mixed.txt", json(run));
  EXPECT_EQ(back["jobs"][0]["mixed"]["total_ios"], 1500);
  for (const char* key : {"read", "write", "trim", "sync"}) EXPECT_FALSE(back["jobs"][0].contains(key)) << key;
}

TEST(FioJson, HasTheKeysThatFio342Added) {
  const OrderedJson back = OrderedJson::parse(json(simple_run()));
  const auto& job = back["jobs"][0];
  EXPECT_EQ(job["job_start"], 1'721'999'911'000);
  EXPECT_TRUE(job["latency_target_ns"].is_number_integer());
  EXPECT_TRUE(job["latency_window_us"].is_number_integer());
  EXPECT_EQ(back["disk_util"][0]["read_sectors"], 8016);
  EXPECT_EQ(back["disk_util"][0]["write_sectors"], 4320);
  EXPECT_EQ(back["fio version"], "fio-3.42");
}

TEST(FioJson, HasPercentilesOnlyWhereAskedForAndMeasured) {
  auto run = simple_run();
  run.jobs[0].clat_percentiles = false;
  run.jobs[0].lat_percentiles = true;
  const OrderedJson read = OrderedJson::parse(json_plus(run))["jobs"][0]["read"];
  EXPECT_FALSE(read["clat_ns"].contains("percentile"));
  EXPECT_FALSE(read["clat_ns"].contains("bins"));
  EXPECT_EQ(read["lat_ns"]["percentile"]["50.000000"], 96'768);
  EXPECT_EQ(read["lat_ns"]["bins"]["96768"], 200);
  EXPECT_FALSE(OrderedJson::parse(json_plus(run))["jobs"][0]["trim"]["lat_ns"].contains("percentile"));
}

TEST(FioJson, HasPercentilesAbove17Seconds) {
  auto run = simple_run();
  run.jobs[0].dirs[0].clat = latency_of({60'000'000'000});
  const OrderedJson back = OrderedJson::parse(json(run));
  const double p50 = back["jobs"][0]["read"]["clat_ns"]["percentile"]["50.000000"];
  EXPECT_NEAR(p50, 60e9, 60e9 * stats::kRelativeError);
}

TEST(FioJson, HasMeansOfTheMembersForStackedDisks) {
  const OrderedJson disks = OrderedJson::parse(json(grouped_run()))["disk_util"];
  ASSERT_EQ(disks.size(), 3u);
  EXPECT_EQ(disks[0]["name"], "dm-0");
  EXPECT_EQ(disks[0]["aggr_read_ios"], 501);
  EXPECT_EQ(disks[0]["aggr_write_merge"], 11);
  EXPECT_EQ(disks[0]["aggr_util"], 51.25);
  EXPECT_FALSE(disks[1].contains("aggr_util"));
}

// What fio-plot reads (facts of its source): two of the top keys, option strings, and these numbers.
TEST(FioJson, HasTheFieldsThatFioPlotReads) {
  const OrderedJson back = OrderedJson::parse(json(simple_run()));
  EXPECT_TRUE(back.contains("fio version") && back.contains("jobs"));
  const auto& job = back["jobs"][0];
  EXPECT_TRUE(job["jobname"].is_string());
  for (const char* option : {"rw", "bs", "iodepth", "numjobs"})
    EXPECT_TRUE(job["job options"][option].is_string()) << option;
  for (const char* direction : {"read", "write"}) {
    const auto& dir = job[direction];
    EXPECT_TRUE(dir["bw"].is_number_integer());
    EXPECT_TRUE(dir["iops"].is_number_float());
    EXPECT_TRUE(dir["iops_stddev"].is_number_float());
    EXPECT_TRUE(dir["lat_ns"]["mean"].is_number_float());
    EXPECT_TRUE(dir["lat_ns"]["stddev"].is_number_float());
  }
  EXPECT_TRUE(job["usr_cpu"].is_number_float() && job["sys_cpu"].is_number_float());
  EXPECT_EQ(job["latency_ns"].size(), 10u);
  EXPECT_EQ(job["latency_us"].size(), 10u);
  EXPECT_EQ(job["latency_ms"].size(), 12u);
  EXPECT_TRUE(job["latency_ms"].contains("2000") && job["latency_ms"].contains(">=2000"));
}

TEST(FathomJson, RepetitionsHaveReadableHistograms) {
  const OrderedJson own = OrderedJson::parse(json(troubled_run()))["fathom"];
  ASSERT_EQ(own["repetitions"].size(), 2u);
  stats::Histogram lat;
  for (const auto& [value, count] :
       own["repetitions"][1]["jobs"][0]["read"]["lat"]["histogram_ns"].get<std::vector<std::array<std::uint64_t, 2>>>())
    lat.add(value, count);
  EXPECT_EQ(lat.bins(), simple_run().jobs[0].dirs[0].lat.histogram_ns.bins());
}

TEST(FathomJson, NamesProgramAndErrors) {
  const OrderedJson own = OrderedJson::parse(json(troubled_run()))["fathom"];
  EXPECT_EQ(own["schema_version"], result::kSchemaVersion);
  EXPECT_EQ(own["program"]["commit"], "0123456789ab");
  EXPECT_EQ(own["errors"][0]["errno"], 5);
  EXPECT_EQ(own["errors"][0]["file"], "/mnt/\xEF\xBF\xBD\x01\"x");
  EXPECT_EQ(own["interrupted"], true);
  EXPECT_EQ(own["repeated"][0]["values"].size(), 3u);
}

TEST(FathomJson, APacedJobHasLatencyFromTheIntendedStart) {
  const OrderedJson own = OrderedJson::parse(json(grouped_run()))["fathom"];
  const auto& read = own["jobs"][1]["read"];
  EXPECT_NEAR(read["intended_lat"]["percentiles_ns"]["99.000000"].get<double>(), 1'020'400'000,
              1'020'400'000 * stats::kRelativeError);
  EXPECT_EQ(own["jobs"][1]["rate"]["late_ios"], 200);
  EXPECT_FALSE(own["jobs"][1].contains("write"));
  EXPECT_EQ(own["group_members"].size(), 3u);
  EXPECT_TRUE(own["group_members"][2]["read"]["clat"].contains("percentiles_ns"));
}

}  // namespace
}  // namespace fathom::report
