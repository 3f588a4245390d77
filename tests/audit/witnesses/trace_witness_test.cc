// The witness of --audit=trace: whose bytes they were, by who submitted them.
#include <gtest/gtest.h>

#include "audit/audited_run.h"

namespace fathom::audit::witnesses {
namespace {

using result::Verdict;

Audited traced() {
  auto a = audited();
  a.run.jobs[0].pid = 4711;
  a.facts.own_process = 4700;
  a.facts.jobs[0].thread = true;
  a.set("trace", "vda", "events", 38400);
  a.count("trace", "vda", "events").direction = "";
  a.set("trace", "vda", "4711 fathom", 100 * kMiB_d);
  a.count("trace", "vda", "4711 fathom").direction = "read";
  a.set("trace", "vda", "4700 fathom", 50 * kMiB_d);
  return a;
}

TEST(ReconcileTrace, BytesOfTheRunsProcessesAgree) {
  const auto a = traced();
  EXPECT_EQ(of(a.audit(), "trace", "read").verdict, Verdict::agrees);
  EXPECT_EQ(of(a.audit(), "trace", "read").seen_bytes, 100 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "trace", "write").verdict, Verdict::agrees) << "a worker that is a thread of fathom's";
}

TEST(ReconcileTrace, TheMainProcessesOwnReadsAreNotTheJobs) {
  auto a = traced();
  a.facts.jobs[0].thread = false;
  a.count("trace", "vda", "4700 fathom").direction = "read";
  EXPECT_EQ(of(a.audit(), "trace", "read").verdict, Verdict::agrees);
  EXPECT_EQ(of(a.audit(), "trace", "read").seen_bytes, 100 * kMiB_d);
}

TEST(ReconcileTrace, MajorFaultsExplainReadsOfTheProgram) {
  auto a = traced();
  drive_by("psync", a.job());
  a.run.jobs[0].major_faults = 4;
  a.set("trace", "vda", "4711 fathom", 101 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "trace", "read").diagnosis, "program_pages");
  a.set("trace", "vda", "4711 fathom", 140 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "trace", "read").diagnosis, "engine_count");
}

TEST(ReconcileTrace, WhatIoUringQueuedTwiceIsExplainedByTheDisk) {
  auto a = traced();
  a.set("trace", "vda", "4711 fathom", 200 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "trace", "read").diagnosis, "counted_twice");
  a.set("block", "vda", "read_sectors", 200 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "trace", "read").verdict, Verdict::disagrees) << "the disk had them twice, too";
}

TEST(ReconcileTrace, ForeignBytesAreNotCounted) {
  auto a = traced();
  a.set("trace", "vda", "99 dd", 1000 * kMiB_d);
  a.count("trace", "vda", "99 dd").direction = "read";
  EXPECT_EQ(of(a.audit(), "trace", "read").verdict, Verdict::agrees);
  a.set("trace", "vda", "4711 fathom", 60 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "trace", "read").diagnosis, "missing_io");
}

TEST(ReconcileTrace, ADiskWithoutEventsDisagreesWithTheEngine) {
  auto a = audited();
  a.set("trace", "vda", "events", 0);
  a.count("trace", "vda", "events").direction = "";
  EXPECT_EQ(of(a.audit(), "trace", "read").verdict, Verdict::disagrees);
}

TEST(ReconcileTrace, PageCacheHitsExplainMissingBytes) {
  auto a = traced();
  a.buffered();
  a.set("trace", "vda", "4711 fathom", 20 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "trace", "read").diagnosis, "page_cache");
  EXPECT_DOUBLE_EQ(explained_bytes(of(a.audit(), "trace", "read")), -80 * kMiB_d);
  a.set("trace", "vda", "4711 fathom", 120 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "trace", "read").diagnosis, "read_ahead");
}

TEST(ReconcileTrace, LostEventsAreNoWitness) {
  auto a = traced();
  a.count("trace", "vda", "events").lost_at_s = 1.5;
  const auto w = of(a.audit(), "trace", "read");
  EXPECT_EQ(w.verdict, Verdict::no_witness);
  EXPECT_EQ(w.diagnosis, "lost");
}

TEST(ReconcileTrace, WithoutTracepointsThereIsNoTraceWitness) {
  const auto a = audited();
  for (const auto& w : a.audit().witnesses) EXPECT_NE(w.source, "trace");
}

}  // namespace
}  // namespace fathom::audit::witnesses
