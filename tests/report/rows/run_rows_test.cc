// Which numbers a run has, how they are called, and which are absent because nothing is known of them.
#include "report/rows/run_rows.h"

#include <gtest/gtest.h>

#include "small_run.h"

namespace fathom::report::rows {
namespace {

std::string numbers_text(const std::vector<Number>& numbers) {
  std::string out;
  for (const auto& [label, value] : numbers) out += label.column() + "=" + value_text(value) + " ";
  return out;
}

bool has(const DirectionRow& row, const Quantity& of) {
  for (const auto& number : row.numbers)
    if (number.label.of == &of) return true;
  return false;
}

TEST(RunRows, HaveTheNumbersOfRunJobAndDirection) {
  const auto rows = rows_of(small_run());
  EXPECT_EQ(rows.run_id, "id-1");
  EXPECT_EQ(rows.host, "host");
  EXPECT_EQ(rows.checks, "passed");
  EXPECT_EQ(numbers_text(rows.numbers),
            "reported_epoch_ms=1721999913845 findings_error=0 findings_warning=0 findings_note=1 ");
  ASSERT_EQ(rows.jobs.size(), 1u);
  EXPECT_EQ(numbers_text(rows.jobs[0].numbers),
            "error=0 usr_cpu_percent=12.5 sys_cpu_percent=40.25 context_switches=7 major_faults=0 minor_faults=13 ");
  ASSERT_EQ(rows.jobs[0].directions.size(), 1u);
  const auto& read = rows.jobs[0].directions[0];
  EXPECT_EQ(read.name, "read");
  EXPECT_EQ(numbers_text(read.numbers),
            "ios=4 bytes=16384 runtime_ns=2000000 iops=2000 bw_bytes_per_s=8192000 error_ios=0 short_ios=0 "
            "dropped_ios=0 lat_n=4 lat_ns_min=100 lat_ns_mean=250075 lat_ns_stddev=499950 lat_ns_p50=100 "
            "lat_ns_p90=1000000 lat_ns_p99=1000000 lat_ns_p99.9=1000000 lat_ns_p99.99=1000000 lat_ns_max=1000000 ");
  EXPECT_EQ(read.main_latency, "lat");
  EXPECT_EQ(read.begin_ns, 500'000'000u);
  EXPECT_EQ(read.length_ns, 2'000'000u);
}

TEST(RunRows, HaveThePercentilesOfTheJobToo) {
  auto run = small_run();
  run.jobs[0].percentile_list = {50, 99.999};
  std::vector<double> percentiles;
  const auto rows = rows_of(run);
  for (const auto& number : rows.jobs[0].directions[0].numbers)
    if (number.label.percentile) percentiles.push_back(*number.label.percentile);
  EXPECT_EQ(percentiles, (std::vector<double>{50, 90, 99, 99.9, 99.99, 99.999}));
}

TEST(RunRows, LeaveOutWhatIsNotKnown) {
  auto run = small_run();
  auto& read = run.jobs[0].dirs[0];
  read = {};
  read.lat = latency_of({5});  // a log of latencies alone: neither I/Os, nor bytes, nor a time
  run.program.name = "fio";
  run.jobs[0].usr_cpu_percent = run.jobs[0].sys_cpu_percent = 0;
  run.jobs[0].ctx_switches = run.jobs[0].minor_faults = 0;
  const auto rows = rows_of(run);
  EXPECT_EQ(rows.checks, "not_checked");
  EXPECT_EQ(numbers_text(rows.jobs[0].numbers), "error=0 ");
  const auto& row = rows.jobs[0].directions.at(0);
  for (const auto* of : {&kIos, &kBytes, &kRuntime, &kIops, &kBw, &kErrorIos}) EXPECT_FALSE(has(row, *of)) << of->name;
  EXPECT_EQ(find(row.numbers, {&kLatencies[2], "stddev"}), nullptr) << "one sample has no deviation";
  EXPECT_NE(find(row.numbers, {&kLatencies[2], "max"}), nullptr);
}

TEST(RunRows, OfALatencyWithoutHistogramHaveStoredPercentilesAlone) {
  auto run = small_run();
  auto& lat = run.jobs[0].dirs[0].lat;
  lat.histogram_ns = {};
  lat.percentiles_ns = {{95, 900}};
  const auto row = rows_of(run).jobs[0].directions[0];
  EXPECT_EQ(find(row.numbers, {&kLatencies[2], {}, 50}), nullptr);
  const auto* p95 = find(row.numbers, {&kLatencies[2], {}, 95});
  ASSERT_NE(p95, nullptr);
  EXPECT_EQ(value_text(p95->value), "900");
}

TEST(RunRows, AFailedDirectionHasItsFailuresAndNoSamples) {
  auto run = small_run();
  run.jobs[0].dirs[0] = {};
  run.jobs[0].dirs[1].issued = run.jobs[0].dirs[1].error_ios = 1;
  const auto rows = rows_of(run).jobs[0].directions;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "write");
  EXPECT_EQ(numbers_text(rows[0].numbers), "ios=0 bytes=0 error_ios=1 short_ios=0 dropped_ios=0 ");
}

TEST(RunRows, UnifiedDirectionsAreOneRowOrOneMore) {
  auto run = small_run();
  run.jobs[0].dirs[1] = run.jobs[0].dirs[0];
  run.jobs[0].unified = true;
  auto rows = rows_of(run).jobs[0].directions;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "mixed");
  EXPECT_EQ(value_text(find(rows[0].numbers, {&kIos})->value), "8");
  run.jobs[0].reporting.both = true;
  rows = rows_of(run).jobs[0].directions;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2].name, "mixed");
}

TEST(RunRows, SyncsAreADirectionWithoutBytes) {
  auto run = small_run();
  run.jobs[0].sync_ios = 2;
  run.jobs[0].sync_lat = latency_of({10, 20});
  const auto rows = rows_of(run).jobs[0].directions;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].name, "sync");
  EXPECT_FALSE(has(rows[1], kBytes));
  EXPECT_EQ(value_text(find(rows[1].numbers, {&kIops})->value), "1000");
  EXPECT_EQ(value_text(find(rows[1].numbers, {&sync_latency(), "mean"})->value), "15");
}

TEST(RunRows, EveryRepetitionHasRowsAndHiddenJobsHaveNone) {
  auto run = small_run();
  run.repetitions = {small_run(), small_run()};
  run.repetitions[1].end_epoch_ms += 10;
  const auto rows = rows_of(run);
  ASSERT_EQ(rows.jobs.size(), 2u);
  EXPECT_EQ(rows.jobs[0].repetition, 1u);
  EXPECT_EQ(rows.jobs[1].repetition, 2u);
  EXPECT_EQ(rows.jobs[1].reported_epoch_ms, rows.jobs[0].reported_epoch_ms + 10);
  run.repetitions.clear();
  run.jobs[0].reporting.hidden = true;
  EXPECT_TRUE(rows_of(run).jobs.empty());
}

TEST(Labels, NameTheUnitAndTheQuantile) {
  EXPECT_EQ((Label{&kLatencies[1], {}, 99.9}).column(), "clat_ns_p99.9");
  EXPECT_EQ((Label{&kLatencies[1], {}, 99.9}).metric(), "clat");
  EXPECT_EQ((Label{&kLatencies[1], "mean"}).metric(), "clat_mean");
  EXPECT_EQ((Label{&kLatencies[1], "n"}).unit(), "1");
  EXPECT_EQ((Label{&kLatencies[1], {}, 99.9}).quantile(), 0.999);
  EXPECT_EQ((Label{&kLatencies[1], {}, 99.99}).quantile(), 0.9999);
  EXPECT_FALSE((Label{&kIos}).quantile());
}

}  // namespace
}  // namespace fathom::report::rows
