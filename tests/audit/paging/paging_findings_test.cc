// One doubt at a time, and its twin without it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "audit/paged_run.h"

namespace fathom::audit::paging {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Doubt {
  const char* id;
  void (*plant)(Paged&);
};

const Doubt kDoubts[] = {
    {"run.interrupted", [](Paged& a) { a.paging().interrupted = true; }},
    {"paging.classes_differ", [](Paged& a) { a.thread().kernel_major += kMajors / 500; }},
    {"paging.own_faults", [](Paged& a) { a.thread().own_faults = 1; }},
    {"paging.not_locked", [](Paged& a) { a.paging().locked = false; }},
    {"paging.other_swap",
     [](Paged& a) {
       result::PagingSwap other;
       other.kind = "current";
       other.path = "/swapfile";
       a.paging().pressure.swaps.push_back(other);
     }},
    {"paging.compressible", [](Paged& a) { a.paging().fill = "zero"; }},
    {"paging.first_touch",
     [](Paged& a) {
       a.paging().fill = "none";
       a.paging().cold = true;
     }},
    {"paging.no_major",
     [](Paged& a) {
       for (auto& w : a.paging().workers) w.kernel_major = 0;
     }},
    {"paging.too_short", [](Paged& a) { a.paging().window_ns = 900'000'000; }},
    {"paging.short_tail",
     [](Paged& a) {
       for (auto& w : a.paging().workers) w.kernel_major = 4'900;
     }},
    {"paging.slow_hits", [](Paged& a) { fill_latency(a.paging().latency[0][1], 4'000'000, 30); }},
    {"run.stopped", [](Paged& a) { fill_latency(a.paging().latency[2][0], 7'000'000'000, 1); }},
    {"paging.no_device_time",
     [](Paged& a) {
       a.paging().devices[0].read_ns = {};
       a.paging().devices[0].cause = "no tracefs";
     }},
    {"paging.timing_cost",
     [](Paged& a) {
       a.paging().devices[0].read_ns = {};
       fill_latency(a.paging().devices[0].read_ns, 2'000, kMajors);
     }},
    {"paging.thp", [](Paged& a) { a.paging().vmstat["thp_split_page"] = 3; }},
    {"paging.mthp", [](Paged& a) { a.paging().mthp["64kB.anon_fault_alloc"] = 3; }},
    {"audit.foreign_faults", [](Paged& a) { a.paging().vmstat["pgmajfault"] += kMajors; }},
};

TEST(PagingFindings, EachIsRaisedByItsCause) {
  for (const auto& doubt : kDoubts) {
    auto a = paged();
    EXPECT_THAT(a.ids(), IsEmpty()) << doubt.id;
    doubt.plant(a);
    EXPECT_THAT(a.ids(), Contains(doubt.id));
  }
}

TEST(PagingFindings, AnExistingFindingIsNotRepeated) {
  auto a = paged();
  a.thread().own_faults = 5;
  a.run.findings.push_back({"paging.own_faults", result::Severity::warning, "", "5", "-"});
  EXPECT_THAT(a.ids(), Not(Contains("paging.own_faults")));
}

std::string evidence(Paged& a, const std::string& id) {
  for (const auto& f : paging_findings(a.run))
    if (f.id == id) return f.evidence;
  return {};
}

TEST(PagingFindings, EvidenceHasTheNumbers) {
  auto a = paged();
  for (auto& w : a.paging().workers) w.kernel_major = 0;
  a.paging().pressure.limit_bytes = 0;
  EXPECT_THAT(evidence(a, "paging.no_major"), HasSubstr("1.00 GiB without a limit fits"));
  a.paging().pressure.limit_bytes = 2ull << 30;
  EXPECT_THAT(evidence(a, "paging.no_major"), HasSubstr("fits into the limit of 2.00 GiB"));
  a.paging().memory = "file-shared";
  EXPECT_THAT(evidence(a, "paging.no_major"), HasSubstr("no access to the 1.00 GiB of the file waited for a device"));

  auto b = paged();
  b.paging().fill = "compressible";
  b.paging().pressure.swaps[0].stored_bytes = 3000;
  b.paging().pressure.swaps[0].compressed_bytes = 1000;
  b.paging().vmstat["swpin_zero"] = 12;
  EXPECT_THAT(evidence(b, "paging.compressible"), HasSubstr("3.0 to 1"));
  EXPECT_THAT(evidence(b, "paging.compressible"), HasSubstr("12 pages were all zero"));
  b.paging().pressure.swaps[0].kind = "file";
  b.paging().pressure.swaps[0].disk = "vda";
  EXPECT_EQ(evidence(b, "paging.compressible"), "") << "a disk does not care";
}

TEST(PagingFindings, WhatOthersSetMeanwhileIsNamed) {
  result::PagingPressure begin;
  begin.limit_bytes = 64 << 20;
  begin.settings = {{"vm.swappiness", "60"}, {"vm.page-cluster", "3"}};
  begin.swaps.emplace_back().path = "/swapfile";
  EXPECT_THAT(pressure_changes(begin, begin), IsEmpty());
  auto end = begin;
  end.swaps[0].used_bytes = 4096;
  EXPECT_THAT(pressure_changes(begin, end), IsEmpty()) << "the run's own doing";
  end.limit_bytes = 512 << 20;
  end.settings[1].second = "0";
  end.swaps.emplace_back().path = "/dev/zram1";
  const auto found = change_findings({}, pressure_changes(begin, end));
  ASSERT_THAT(found, ::testing::SizeIs(3));
  EXPECT_EQ(found[0].id, "paging.changed_by_others");
  EXPECT_EQ(found[0].severity, result::Severity::warning);
  EXPECT_EQ(found[0].evidence, "the memory limit changed from 64.0 MiB to 512 MiB while the run lasted");
  EXPECT_THAT(found[1].evidence, HasSubstr("the active swap changed from /swapfile to /swapfile, /dev/zram1"));
  EXPECT_THAT(found[2].evidence, HasSubstr("vm.page-cluster changed from 3 to 0"));
}

TEST(PagingFindings, WhatWasPutBackIsNamedToo) {
  result::PagingPressure begin;
  begin.limit_bytes = 64 << 20;
  begin.settings = {{"vm.swappiness", "60"}};
  auto meanwhile = begin, end = begin;
  meanwhile.settings[0].second = "0", meanwhile.limit_bytes = end.limit_bytes = 32 << 20;
  std::vector<PressureChange> seen;
  for (const auto* look : {&begin, &meanwhile, &meanwhile, &end}) add_changes(seen, pressure_changes(begin, *look));
  const auto found = change_findings(seen, pressure_changes(begin, end));
  ASSERT_THAT(found, ::testing::SizeIs(2));
  EXPECT_EQ(found[0].evidence, "the memory limit changed from 64.0 MiB to 32.0 MiB while the run lasted");
  EXPECT_EQ(found[1].evidence, "vm.swappiness changed from 60 to 0 while the run lasted, and back before its end");
  EXPECT_EQ(found[1].severity, result::Severity::warning);
}

// 4 s of points of 100 ms, with some from 1 s on as given.
Paged with_points(std::uint64_t accesses, std::uint64_t majors, int points, int of_point_ms = 100) {
  auto a = paged();
  a.paging().window_ns = 4'000'000'000;
  a.paging().series.clear();
  for (int i = 0; i < 40; ++i) {
    result::PagingSeriesPoint point;
    point.interval_ms = 100, point.time_ms = 100 * static_cast<std::uint64_t>(i + 1);
    point.accesses = 100'000, point.major = 20;
    if (i >= 10 && i < 10 + points) {
      point.interval_ms = static_cast<std::uint64_t>(of_point_ms);
      point.accesses = accesses, point.major = majors;
    }
    a.paging().series.push_back(point);
  }
  return a;
}

TEST(PagingFindings, PointsWithHardlyAnyAccessAreAStop) {
  auto stopped = with_points(0, 0, 8);
  EXPECT_EQ(evidence(stopped, "run.stopped"),
            "hardly any access ended in 0.8 s of 4.0 s (20 %), and no more major faults than usual");
  auto sampler_stopped_too = with_points(100'000, 20, 1, 1100);
  EXPECT_THAT(evidence(sampler_stopped_too, "run.stopped"), HasSubstr("in 1.0 s of 4.0 s"));
  auto short_one = with_points(0, 0, 3);
  EXPECT_EQ(evidence(short_one, "run.stopped"), "") << "less than a tenth of the run";
  auto thrashing = with_points(2'000, 900, 8);
  EXPECT_EQ(evidence(thrashing, "run.stopped"), "") << "slow accesses, and more major faults";
  auto slower = with_points(20'000, 20, 20);
  EXPECT_EQ(evidence(slower, "run.stopped"), "") << "a fifth of the usual rate";
}

std::string remedy(Paged& a, const std::string& id) {
  for (const auto& f : paging_findings(a.run))
    if (f.id == id) return f.remedy;
  return {};
}

TEST(PagingFindings, MissingDeviceTimesThatNobodyAskedForAreNone) {
  auto a = paged();
  a.run.audit = a.audit();
  a.paging().devices = {};
  EXPECT_NE(remedy(a, "paging.no_device_time"), "");
  a.run.audit.reset();
  EXPECT_EQ(remedy(a, "paging.no_device_time"), "") << "--audit=off";
}

// Direct reads are not timed by tracepoints, and a disk does not feel it.
TEST(PagingFindings, TimingCostIsRaisedForFastTracedDevicesOnly) {
  auto a = paged();
  a.paging().devices[0].read_ns = {};
  fill_latency(a.paging().devices[0].read_ns, 1'900, kMajors);
  EXPECT_THAT(evidence(a, "paging.timing_cost"), HasSubstr("zram7 takes 1.9 us"));
  EXPECT_THAT(evidence(a, "paging.timing_cost"), HasSubstr("about 0.4 us"));
  a.paging().devices[0].by = "direct reads";
  EXPECT_EQ(evidence(a, "paging.timing_cost"), "");
}

result::WatchingCost of_rate(double share, double half_width) {
  result::WatchingCost cost;
  cost.by = result::CostBy::rate;
  cost.from = result::CostFrom::cost_run;
  cost.rate = {share, half_width};
  cost.cpu_per_io = {120, 20};
  cost.slices = 14;
  return cost;
}

std::size_t costs_told(const Paged& a) {
  const auto found = paging_findings(a.run);
  return static_cast<std::size_t>(
      std::count_if(found.begin(), found.end(), [](const auto& f) { return f.id == "watching.cost"; }));
}

TEST(PagingFindings, WhatWatchingCostsIsSaidOnceAndWhereItIsSure) {
  auto a = paged();
  a.run.watching.push_back({"audit", "accesses", 0, of_rate(0.05, 0.01)});
  EXPECT_EQ(
      evidence(a, "watching.cost"),
      "audit costs the accesses 5.0 +- 1.0 % of the rate, CPU 120 +- 20 ns per access, by 14 slices of a separate "
      "run: more than 2 %");
  a.run.watching[0].cost = of_rate(0.05, 0.04);
  EXPECT_EQ(costs_told(a), 0u);
  a.run.watching[0] = {"device time of zram7", "accesses", 0, of_rate(0.08, 0.01)};
  EXPECT_EQ(costs_told(a), 1u) << "the device has no cost";
  a.paging().devices[0].watching = a.run.watching[0].cost;
  EXPECT_EQ(costs_told(a), 1u) << "it says it itself";
  EXPECT_THAT(evidence(a, "watching.cost"),
              HasSubstr("timing the requests of zram7 costs the accesses 8.0 +- 1.0 % of"));
  a.paging().devices[0].watching = of_rate(0.11, 0.01);
  EXPECT_EQ(costs_told(a), 1u) << "by slices of the run";
}

TEST(PagingFindings, RemedyNamesRootOnlyAfterAPermissionError) {
  auto a = paged();
  a.paging().devices[0].read_ns = {};
  a.paging().devices[0].cause = "open /dev/zram7: Permission denied";
  a.paging().devices[0].needs_privilege = true;
  EXPECT_THAT(remedy(a, "paging.no_device_time"), HasSubstr("as root"));
  a.paging().devices[0].cause = "this kernel has no event root_rq_issue";
  a.paging().devices[0].needs_privilege = false;
  EXPECT_THAT(remedy(a, "paging.no_device_time"), Not(HasSubstr("root")));
}

// The set-up has said it, in a finding of its own (paging/pressure/pressure.cc).
TEST(PagingFindings, WhatTheSetUpCouldNotDoIsNotSaidAgain) {
  auto a = paged();
  a.paging().pressure.not_possible = {"without root: no limit of 64 MiB"};
  EXPECT_THAT(a.ids(), IsEmpty());
}

TEST(PagingFindings, ARandomWarmUpMayLeavePagesUntouched) {
  auto a = paged();
  a.paging().fill = "none";
  a.paging().pattern = "zipf";
  EXPECT_THAT(evidence(a, "paging.first_touch"), HasSubstr("perhaps"));
  a.paging().pattern = "linear";
  EXPECT_EQ(evidence(a, "paging.first_touch"), "");
  a.paging().cold = true;
  EXPECT_THAT(evidence(a, "paging.first_touch"), HasSubstr("the first touch of each page"));
}

TEST(PagingFindings, HugePageEventsAreCountedOnTheWholeMachine) {
  auto a = paged();
  a.paging().vmstat["thp_fault_alloc"] = 7;
  EXPECT_THAT(evidence(a, "paging.thp"),
              HasSubstr("7 transparent huge pages were created, split or swapped on this machine"));
}

TEST(PagingFindings, MthpEventsAreListedBySize) {
  auto a = paged();
  a.paging().mthp = {{"64kB.anon_fault_alloc", 120}, {"64kB.swpout", 30}, {"16kB.split", 2}, {"32kB.split", 0}};
  EXPECT_THAT(evidence(a, "paging.mthp"), HasSubstr("(16kB: 2 split; 64kB: 120 made, 30 swapped out)"));
  a.paging().memory = "hugetlb";
  EXPECT_EQ(evidence(a, "paging.mthp"), "");
}

// A run of 1 s lacks what its threads' edges take.
TEST(PagingFindings, AWindowOfOneSecondIsNotTooShort) {
  auto a = paged();
  a.paging().window_ns = 999'970'000;
  EXPECT_THAT(a.ids(), Not(Contains("paging.too_short")));
}

// The same 30 slow accesses as major faults are what is measured, not a disturbance.
TEST(PagingFindings, SlowMajorFaultsAreNotSlowHits) {
  auto a = paged();
  fill_latency(a.paging().latency[2][1], 4'000'000, 30);
  EXPECT_THAT(a.ids(), Not(Contains("paging.slow_hits")));
}

}  // namespace
}  // namespace fathom::audit::paging
