// What lies below a device of the run, with made-up counts: its own work there is nobody else's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreign_run.h"

namespace fathom::audit {
namespace {

using result::Verdict;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A job on a loop device whose file lies on vda.
Audited on_loop(bool cached) {
  auto a = reader();
  a.facts.jobs[0].disks = {"loop0"};
  a.facts.layers = {{"loop0", "loop", {"vda"}, "/images/f", cached, 0, 0}};
  a.set("block", "loop0", "read_sectors", 100 * kMiB_d);
  a.set("block", "loop0", "write_sectors", 0);
  return a;
}

TEST(ReconcileBelow, ALoopDevicesDiskIsComparedWithIt) {
  auto a = on_loop(false);
  EXPECT_EQ(of(a.audit(), "below", "read").verdict, Verdict::agrees);
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
  EXPECT_THAT(a.audit().line, HasSubstr("block loop0 +0.00 %; below vda +0.00 %"));
  EXPECT_THAT(ids_of(a), IsEmpty());
}

TEST(ReconcileBelow, ReadsThatReachedNoLowerDiskAreExplainedByThePageCache) {
  auto a = on_loop(true);
  a.set("block", "vda", "read_sectors", 0);
  const auto w = of(a.audit(), "below", "read");
  EXPECT_EQ(w.verdict, Verdict::explained);
  EXPECT_EQ(w.diagnosis, "page_cache");
  EXPECT_THAT(w.cause, HasSubstr("/images/f is read through the page cache"));
  EXPECT_THAT(ids_of(a), ElementsAre("audit.below"));
  a.facts.layers[0].cached = false;
  EXPECT_EQ(of(a.audit(), "below", "read").diagnosis, "not_passed_on");
  a.facts.layers[0].sparse_bytes = 100 * kMiB_d;
  EXPECT_EQ(of(a.audit(), "below", "read").diagnosis, "holes");
}

// An image that fallocate made: each pass meets what was never written.
TEST(ReconcileBelow, WhatWasNeverWrittenBelowIsMetByEachPass) {
  auto a = on_loop(false);
  a.set("block", "vda", "read_sectors", 10 * kMiB_d);
  a.facts.layers[0].sparse_bytes = 30 * kMiB_d;
  a.facts.jobs[0].visit_bytes = 100 * kMiB_d;
  EXPECT_EQ(of(a.audit(), "below", "read").diagnosis, "not_passed_on") << "one pass meets it once";
  for (const double pass : {33.0, 0.0}) {
    a.facts.jobs[0].visit_bytes = pass * kMiB_d;  // 0: some places more often than others
    EXPECT_EQ(of(a.audit(), "below", "read").diagnosis, "holes") << pass;
    EXPECT_EQ(findings_of(a).at(0).severity, result::Severity::error) << "no device was measured";
  }
  a.set("block", "vda", "read_sectors", 60 * kMiB_d);
  EXPECT_EQ(findings_of(a).at(0).severity, result::Severity::warning) << "less than half";
}

// btrfs writes its trees in threads of the kernel's; the loop device's own write below it.
TEST(ReconcileBelow, KernelThreadsThatWriteForTheRunsFileSystemAreNotForeign) {
  auto a = audited();
  a.buffered();
  a.facts.jobs[0].disks = {"loop0"};
  a.facts.layers = {{"loop0", "loop", {"vda"}, "/images/f", false, 0, 0}};
  a.set("block", "loop0", "read_sectors", 100 * kMiB_d);
  a.set("block", "loop0", "write_sectors", 650 * kMiB_d);
  a.set("block", "vda", "write_sectors", 650 * kMiB_d);
  a.set("others", "all", "write_bytes", 950 * kMiB_d);
  a.set("others", "kernel threads", "write_bytes", 950 * kMiB_d);
  a.set("others", "12 [kworker/u8:0-loop0]", "write_bytes", 650 * kMiB_d);
  a.set("others", "13 [kworker/u8:1-btrfs-endio-meta]", "write_bytes", 300 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "metadata");
  auto audit = a.audit();
  EXPECT_EQ(foreign(audit, "write"), nullptr);
  a.set("others", "4711 dd", "write_bytes", 20 * kMiB_d);
  a.set("others", "all", "write_bytes", 970 * kMiB_d);
  audit = a.audit();
  ASSERT_NE(foreign(audit, "write"), nullptr);
  EXPECT_EQ(foreign(audit, "write")->bytes, 20 * kMiB_d);
  EXPECT_EQ(foreign(audit, "write")->who, "4711 dd 20.0 MiB");
}

TEST(ReconcileBelow, KernelThreadsServingALoopDeviceAreNotForeign) {
  auto a = on_loop(false);
  a.set("block", "vda", "read_sectors", 160 * kMiB_d);
  a.set("others", "all", "read_bytes", 160 * kMiB_d);
  a.set("others", "kernel threads", "read_bytes", 100 * kMiB_d);
  a.set("others", "12 [kworker/u8:1]", "read_bytes", 100 * kMiB_d);
  a.set("others", "4711 dd", "read_bytes", 60 * kMiB_d);
  const auto audit = a.audit();
  ASSERT_NE(foreign(audit, "read"), nullptr);
  EXPECT_EQ(foreign(audit, "read")->disk, "vda");
  EXPECT_THAT(foreign(audit, "read")->who, HasSubstr("4711 dd"));
  EXPECT_THAT(foreign(audit, "read")->who, Not(HasSubstr("kworker")));
}

// direct=1 is the job's; the loop device's file goes through the page cache all the same.
TEST(ReconcileBelow, DirectWritesThatALoopDeviceKeptInMemoryAreAWarning) {
  auto a = audited();
  a.facts.jobs[0].disks = {"loop0"};
  a.facts.layers = {{"loop0", "loop", {"vda"}, "/images/f", true, 0, 0}};
  a.set("block", "loop0", "read_sectors", 100 * kMiB_d);
  a.set("block", "loop0", "write_sectors", 60 * kMiB_d);
  a.set("block", "vda", "read_sectors", 100 * kMiB_d);
  a.set("block", "vda", "write_sectors", 2 * kMiB_d);
  a.set("memory", "page cache", "dirty_end", 58 * kMiB_d);
  a.job().options.push_back({"direct", "1"});
  EXPECT_EQ(of(a.audit(), "below", "write").diagnosis, "write_back");
  EXPECT_THAT(ids_of(a), Contains("audit.below"));
  a.buffered();
  a.job().options.clear();
  EXPECT_THAT(ids_of(a), Not(Contains("audit.below"))) << "its own page cache is what the job asked for";
}

TEST(ReconcileBelow, AForeignWriterOnTheLowerDiskIsNamed) {
  auto a = on_loop(false);
  a.set("block", "vda", "write_sectors", 60 * kMiB_d);
  neighbour(a, "4711 dd", "write", 60 * kMiB_d);
  const auto audit = a.audit();
  ASSERT_NE(foreign(audit, "write"), nullptr);
  EXPECT_EQ(foreign(audit, "write")->disk, "vda");
}

// A job of 50 MiB direct writes with fsync on a loop device whose file lies on vda.
Audited writer_on_loop(double flushes) {
  auto a = on_loop(false);
  std::swap(a.job().dirs[0], a.job().dirs[1]);
  a.job().dirs[1] = audited().job().dirs[1];
  a.job().process_io = {true, 0, 0, 0, 50 << 20, 0};
  a.facts.jobs[0].files = 0;
  for (const char* disk : {"vda", "loop0"}) {
    a.set("block", disk, "read_sectors", 0);
    a.set("block", disk, "write_sectors", 50 * kMiB_d);
    a.count("block", disk, "write_sectors").window_s = 2;
  }
  a.set("block", "loop0", "flush_ios", flushes);
  a.job().sync_ios = static_cast<std::uint64_t>(flushes);
  return a;
}

TEST(ReconcileBelow, JournalWritesUnderALoopDevicesFileAreTheRunsOwn) {
  auto a = writer_on_loop(12800);
  a.set("block", "vda", "write_sectors", 146 * kMiB_d);  // +191 %, as it was measured
  a.set("block", "vda", "flush_ios", 2 * 12800);
  neighbour(a, "4711 python3", "write", 60 * kMiB_d);  // elsewhere
  const auto audit = a.audit();
  EXPECT_EQ(of(audit, "below", "write").diagnosis, "metadata");
  EXPECT_THAT(audit.foreign, IsEmpty());
  EXPECT_THAT(ids_of(a), IsEmpty());
  a.set("block", "loop0", "flush_ios", 0);  // without a sync it has no journal to speak of
  a.set("block", "vda", "flush_ios", 0);
  ASSERT_NE(foreign(a.audit(), "write"), nullptr);
  EXPECT_GT(foreign(a.audit(), "write")->bytes, 90 * kMiB_d);
}

TEST(ReconcileBelow, AllocatingBlocksOfASparseFileExplainsMetadataWrites) {
  auto a = writer_on_loop(0);
  a.set("block", "vda", "write_sectors", 80 * kMiB_d);
  ASSERT_NE(foreign(a.audit(), "write"), nullptr) << "its file had all blocks";
  a.facts.layers[0].sparse_bytes = 64 * kMiB_d;
  const auto audit = a.audit();
  EXPECT_EQ(of(audit, "below", "write").diagnosis, "metadata");
  EXPECT_THAT(of(audit, "below", "write").explained.at(0).how, HasSubstr("had no blocks for"));
  EXPECT_THAT(audit.foreign, IsEmpty());
}

TEST(ReconcileBelow, FlushesExplainJournalWritesUnderAReadOnlyJob) {
  auto a = on_loop(false);
  a.set("block", "vda", "write_sectors", 4 * kMiB_d);
  ASSERT_NE(foreign(a.audit(), "write"), nullptr);
  a.set("block", "loop0", "flush_ios", 200);
  a.job().sync_ios = 200;
  EXPECT_THAT(a.audit().foreign, IsEmpty());
}

// Job 0 on loop0, job 1 direct on the disk that holds loop0's file: 100 MiB of reads each.
Audited on_both(bool cached) {
  auto a = on_loop(cached);
  auto other = a.job();
  other.job_number = 1;
  a.run.jobs.push_back(other);
  a.facts.jobs.push_back(a.facts.jobs[0]);
  a.facts.jobs[1].job_number = 1;
  a.facts.jobs[1].disks = {"vda"};
  a.set("block", "vda", "read_sectors", 200 * kMiB_d);
  return a;
}

TEST(ReconcileBelow, ADiskThatCarriesALoopDeviceAndAJobServesBoth) {
  auto a = on_both(false);
  const auto audit = a.audit();
  std::vector<std::string> diagnoses;
  for (const auto& w : audit.witnesses)
    if (w.subject == "vda" && w.direction == "read") diagnoses.push_back(w.source + " " + w.diagnosis);
  EXPECT_THAT(diagnoses, ElementsAre("block passed_down", "below "));
  EXPECT_THAT(audit.foreign, IsEmpty());
  EXPECT_THAT(ids_of(a), IsEmpty());
}

TEST(ReconcileBelow, AJobOnTheLowerDiskDoesNotHidePageCacheHits) {
  auto a = on_both(true);
  a.set("block", "vda", "read_sectors", 100 * kMiB_d);  // all of them job 1's
  const auto audit = a.audit();
  const auto w = of(audit, "below", "read");
  EXPECT_EQ(w.diagnosis, "page_cache");
  EXPECT_THAT(w.cause, HasSubstr("100 MiB"));
  EXPECT_THAT(audit.foreign, IsEmpty());
  EXPECT_THAT(ids_of(a), ElementsAre("audit.below"));
}

TEST(ReconcileBelow, TwoLoopDevicesOnOneDiskAreComparedInSum) {
  auto a = on_both(false);
  a.facts.jobs[1].disks = {"loop1"};
  a.facts.layers.push_back({"loop1", "loop", {"vda"}, "/images/g", true, 0, 0});
  a.set("block", "loop1", "read_sectors", 100 * kMiB_d);
  const auto audit = a.audit();
  std::size_t below = 0;
  for (const auto& w : audit.witnesses) below += w.source == "below" && w.direction == "read";
  EXPECT_EQ(below, 1u);
  EXPECT_EQ(of(audit, "below", "read").verdict, Verdict::agrees);
  EXPECT_THAT(audit.foreign, IsEmpty());
  a.set("block", "vda", "read_sectors", 100 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "below", "read").diagnosis, "page_cache");
  EXPECT_THAT(of(a.audit(), "below", "read").cause, HasSubstr("/images/g"));
}

TEST(ReconcileBelow, AStackThatAlsoUsesTheDiskExplainsItsSurplus) {
  auto a = on_both(false);
  a.facts.jobs[1].disks = {"dm-1"};
  a.facts.layers.push_back({"dm-1", "stack", {"vda", "vdb"}, "", false, 0, 0});
  a.set("block", "dm-1", "read_sectors", 100 * kMiB_d);
  a.set("block", "vdb", "read_sectors", 60 * kMiB_d);
  a.set("block", "vda", "read_sectors", 140 * kMiB_d);
  const auto audit = a.audit();
  EXPECT_EQ(of(audit, "below", "read").diagnosis, "passed_down");
  EXPECT_EQ(of(audit, "members", "read").verdict, Verdict::agrees);
  EXPECT_THAT(audit.foreign, IsEmpty());
  a.set("block", "vdb", "read_sectors", 100 * kMiB_d);
  a.set("block", "vda", "read_sectors", 100 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "below", "read").verdict, Verdict::agrees);
}

// A stack on vda and vdb.
Audited on_stack(double members_bytes) {
  auto a = writer_on_loop(0);
  a.facts.jobs[0].disks = {"md0"};
  a.facts.layers = {{"md0", "stack", {"vda", "vdb"}, "", false, 0, 0}};
  a.set("block", "md0", "write_sectors", 50 * kMiB_d);
  for (const char* disk : {"vda", "vdb"}) a.set("block", disk, "write_sectors", members_bytes / 2);
  return a;
}

TEST(ReconcileMembers, AWriteSurplusWithoutAForeignWriterIsNotKnown) {
  auto a = on_stack(75 * kMiB_d);  // parity of three disks, a journal of dm-integrity
  const auto audit = a.audit();
  EXPECT_EQ(of(audit, "members", "write").verdict, Verdict::explained);
  EXPECT_EQ(of(audit, "members", "write").diagnosis, "not_known");
  EXPECT_THAT(audit.foreign, IsEmpty());
  EXPECT_THAT(ids_of(a), Not(::testing::Contains("audit.foreign_io")));
  neighbour(a, "4711 dd", "write", 25 * kMiB_d);
  a.set("open", "4711 dd", "vda", 1);
  EXPECT_EQ(of(a.audit(), "members", "write").diagnosis, "foreign_io");
  EXPECT_THAT(foreign(a.audit(), "write")->who, HasSubstr("4711 dd"));
}

TEST(ReconcileMembers, AReadSurplusOfAStackIsNotKnown) {
  auto a = on_stack(50 * kMiB_d);
  a.job().dirs[0] = audited().job().dirs[0];
  a.job().process_io.read_bytes = 100 << 20;
  a.set("block", "md0", "read_sectors", 100 * kMiB_d);
  a.set("block", "vda", "read_sectors", 120 * kMiB_d);
  a.set("block", "vdb", "read_sectors", 0);
  EXPECT_EQ(of(a.audit(), "members", "read").diagnosis, "not_known");
  EXPECT_EQ(foreign(a.audit(), "read"), nullptr);
}

TEST(ReconcileBelow, AVanishedLowerDiskIsNoWitness) {
  auto a = on_loop(false);
  a.count("block", "vda", "read_sectors").lost_at_s = 1;
  EXPECT_EQ(of(a.audit(), "below", "read").verdict, Verdict::no_witness);
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
}

}  // namespace
}  // namespace fathom::audit
