// What a sweep takes from a run: which latency, and how much of the rate that was asked for was delivered.
#include "sweep/outcome.h"

#include <gtest/gtest.h>

namespace fathom::sweep {
namespace {

// 500 I/Os in a second of the 500 that were asked for.
result::Job paced_job(const char* name, std::uint64_t begin_s) {
  result::Job job;
  job.name = name;
  job.rate.paced = true;
  job.rate.asked_iops[0] = 500;
  auto& d = job.dirs[0];
  d.ios = 500, d.bytes = 500 * 4096, d.runtime_ns = 1'000'000'000;
  d.begin_ns = begin_s * 1'000'000'000, d.end_ns = *d.begin_ns + d.runtime_ns;
  for (auto* latency : {&d.lat, &d.clat, &d.intended_lat})
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t ns = latency == &d.intended_lat ? 600'000'000 : 100'000;
      latency->moments_ns.add(ns);
      latency->histogram_ns.add(ns);
    }
  return job;
}

TEST(Outcome, OfPacedJobsTheLatencyIsFromTheIntendedStart) {
  result::Run run;
  run.jobs = {paced_job("a", 0)};
  const auto metrics = metrics_with(*latency_named("lat_p99", true), true);
  EXPECT_EQ(metrics[0].name, "intended_lat_p99");
  const auto outcome = outcome_of(run, metrics, Stage::grid);
  EXPECT_NEAR(*outcome.numbers[0], 600e6, 6e6);
  EXPECT_EQ(latency_named("clat_p99", true)->name, "clat_p99") << "asked for by name";
  EXPECT_EQ(latency_named("lat_p99", false)->name, "lat_p99");
}

// Two jobs one after the other have done all that was asked of each, though 500 a second are half of 500 and 500.
TEST(Outcome, WhatWasDeliveredIsOfEachJobsOwnTime) {
  result::Run run;
  run.jobs = {paced_job("a", 0), paced_job("b", 1)};
  run.jobs[1].section = 1;
  const auto outcome = outcome_of(run, metrics_with(*latency_named("lat_p99", true), true), Stage::grid);
  EXPECT_DOUBLE_EQ(outcome.iops, 500);
  EXPECT_DOUBLE_EQ(*outcome.delivered_percent, 100);
  run.jobs[1].dirs[0].ios = 250;
  EXPECT_DOUBLE_EQ(*outcome_of(run, metrics_with(*latency_named("lat_p99", true), true), Stage::grid).delivered_percent,
                   75);
  run.jobs[1].rate = {};
  EXPECT_FALSE(outcome_of(run, metrics_with(*latency_named("lat_p99", true), true), Stage::grid).delivered_percent);
}

}  // namespace
}  // namespace fathom::sweep
