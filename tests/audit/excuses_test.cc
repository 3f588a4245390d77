// How far an excuse reaches: each explains so many bytes and no more, and only those of the job that it is of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/run_findings.h"
#include "audited_run.h"

namespace fathom::audit {
namespace {

using result::Verdict;
using ::testing::HasSubstr;

std::vector<std::string> finding_ids(Audited& a) {
  a.run.audit = a.audit();
  std::vector<std::string> ids;
  for (const auto& f : run_findings(a.run))
    if (f.id.starts_with("audit.")) ids.push_back(f.id);
  return ids;
}

// A second job like the first, on a disk of its own.
void second_job(Audited& a, const std::string& disk) {
  auto job = a.job();
  job.job_number = 1;
  job.name = "second";
  a.run.jobs.push_back(job);
  a.facts.jobs.push_back(a.facts.jobs[0]);
  a.facts.jobs[1].job_number = 1;
  a.facts.jobs[1].disks = {disk};
}

TEST(ReconcileExcuses, ManyFilesDoNotExcuseMissingReads) {
  auto a = audited();
  a.facts.jobs[0].files = 3200;  // of which each may cost metadata: more than all that was read
  a.job().process_io.read_bytes = 0;
  a.set("block", "vda", "read_sectors", 0);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "missing_io");
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "missing_io");
  a.job().process_io.read_bytes = 108 << 20;
  a.set("block", "vda", "read_sectors", 108 * kMiB_d);
  EXPECT_EQ(a.audit().verdict, Verdict::agrees) << "upwards it is metadata";
}

TEST(ReconcileExcuses, HolesExcuseTheirOwnBytesOnly) {
  auto a = audited();
  a.facts.jobs[0].range_bytes = 100 * kMiB_d;
  a.facts.jobs[0].sparse_bytes = 10 * kMiB_d;
  a.job().process_io.read_bytes = 90 << 20;
  a.set("block", "vda", "read_sectors", 90 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "holes");
  a.job().process_io.read_bytes = 50 << 20;
  a.set("block", "vda", "read_sectors", 50 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "missing_io");
  EXPECT_EQ(of(a.audit(), "block", "read").verdict, Verdict::disagrees);
  a.job().process_io.readable = false;  // the disk alone
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "missing_io");
}

// zoned, zipf: the places that are visited most may be the holes.
TEST(ReconcileExcuses, OfASkewedJobHolesMayExcuseMoreThanTheirShare) {
  auto a = audited();
  a.facts.jobs[0].range_bytes = 100 * kMiB_d;
  a.facts.jobs[0].sparse_bytes = 10 * kMiB_d;
  a.job().process_io.read_bytes = 20 << 20;
  a.set("block", "vda", "read_sectors", 20 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "missing_io");
  a.facts.jobs[0].skewed = true;
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "holes");
  a.facts.jobs[0].sparse_bytes = 0;
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "missing_io") << "there are none";
}

TEST(ReconcileExcuses, ABufferedJobDoesNotExcuseADirectJob) {
  auto a = audited();
  second_job(a, "vda");
  a.facts.jobs[1].direct = false;
  a.run.jobs[0].process_io.read_bytes = 0;
  a.run.jobs[0].process_io.write_bytes = 0;
  a.set("block", "vda", "read_sectors", 100 * kMiB_d);
  a.set("block", "vda", "write_sectors", 50 * kMiB_d);
  for (const char* way : {"read", "write"}) {
    const auto w = of(a.audit(), "process", way);
    EXPECT_EQ(w.diagnosis, "missing_io") << way;
    EXPECT_THAT(w.cause, HasSubstr("job t: "));
    EXPECT_EQ(of(a.audit(), "block", way).verdict, Verdict::disagrees);
  }
  std::swap(a.facts.jobs[0].direct, a.facts.jobs[1].direct);  // its twin: the buffered one found all in memory
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "page_cache");
  EXPECT_EQ(a.audit().verdict, Verdict::explained);
}

TEST(ReconcileExcuses, PendingWritesExcuseNoMoreThanTheBufferedJobWrote) {
  auto a = audited();
  second_job(a, "vda");
  a.facts.jobs[1].direct = false;
  a.run.jobs[1].dirs[1].moved_bytes = 1 << 20;
  a.run.jobs[1].process_io.write_bytes = 1 << 20;
  a.set("block", "vda", "read_sectors", 200 * kMiB_d);
  a.set("block", "vda", "write_sectors", 50 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "write_back");
  a.set("block", "vda", "write_sectors", 20 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "missing_io");
}

// Threads on two disks, and nobody knows whose share of the process's account is whose.
TEST(ReconcileExcuses, BufferedThreadsOnTwoDisksDoNotDisagree) {
  auto a = audited();
  second_job(a, "loop0");
  for (auto& reach : a.facts.jobs) {
    reach.thread = true;
    reach.direct = false;
  }
  for (const char* disk : {"vda", "loop0"}) {
    a.set("block", disk, "read_sectors", 300 * kMiB_d);
    a.set("block", disk, "write_sectors", 90 * kMiB_d);
  }
  a.set("process", "fathom", "read_bytes", 600 * kMiB_d);
  a.set("process", "fathom", "write_bytes", 180 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "read_ahead");
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "whole_pages");
  EXPECT_EQ(a.audit().verdict, Verdict::explained);
  for (auto& reach : a.facts.jobs) reach.direct = true;
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "engine_count") << "direct ones have no such excuse";
}

TEST(ReconcileExcuses, AThreadOfASynchronousEngineIsJudgedByItsOwnAccount) {
  auto a = audited();
  second_job(a, "loop0");
  for (auto& reach : a.facts.jobs) reach.thread = true;
  for (auto& job : a.run.jobs) drive_by("psync", job);
  for (const char* disk : {"vda", "loop0"}) {
    a.set("block", disk, "read_sectors", 100 * kMiB_d);
    a.set("block", disk, "write_sectors", 50 * kMiB_d);
  }
  EXPECT_EQ(of(a.audit(), "process", "read").verdict, Verdict::agrees);
  drive_by("io_uring", a.run.jobs[1]);  // its share is what the process has more
  a.set("process", "fathom", "read_bytes", 200 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").verdict, Verdict::agrees);
  a.set("process", "fathom", "read_bytes", 150 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "missing_io");
}

TEST(ReconcileExcuses, EveryWriteOfASyncJobExcusesMetadata) {
  auto a = audited();
  a.facts.jobs[0].sync_writes = true;
  a.set("block", "vda", "write_sectors", 50 * kMiB_d + 12800 * 3 * 4096.0);
  const auto w = of(a.audit(), "block", "write");
  EXPECT_EQ(w.diagnosis, "metadata");
  EXPECT_THAT(finding_ids(a), ::testing::IsEmpty());
}

TEST(ReconcileExcuses, WriteBackExcusesNoMoreThanWasDirtyAtTheBegin) {
  auto a = audited();
  a.set("block", "vda", "write_sectors", 80 * kMiB_d);
  a.set("memory", "page cache", "dirty_begin", 5 * kMiB_d);
  const auto w = of(a.audit(), "block", "write");
  EXPECT_EQ(w.diagnosis, "foreign_io");
  EXPECT_THAT(w.cause, HasSubstr("not identified"));
  EXPECT_EQ(explained_bytes(w), 30 * kMiB_d);
  const auto back =
      std::find_if(w.explained.begin(), w.explained.end(), [](const auto& t) { return t.name == "written back"; });
  ASSERT_NE(back, w.explained.end());
  EXPECT_EQ(back->bytes, 5 * kMiB_d);
}

TEST(ReconcileExcuses, WrittenBackBytesAreNotForeign) {
  auto a = audited();
  a.set("block", "vda", "write_sectors", 80.5 * kMiB_d);
  a.set("memory", "page cache", "dirty_begin", 40 * kMiB_d);
  a.set("others", "all", "write_bytes", 0.5 * kMiB_d);
  a.set("others", "99 logger", "write_bytes", 0.5 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "write_back") << "the larger of two";
  EXPECT_THAT(of(a.audit(), "block", "write").cause, HasSubstr("99 logger"));
  EXPECT_THAT(finding_ids(a), ::testing::IsEmpty());
}

TEST(ReconcileExcuses, ReadAheadIsBoundedByTheWindowOfEveryIo) {
  auto a = audited();
  a.buffered();
  a.job().dirs[0].moved_ios = 100;
  a.job().bs_max[0] = 1 << 20;
  a.facts.jobs[0].read_ahead_bytes = 64 << 10;
  a.job().process_io.read_bytes = 112 << 20;  // 100 x 2 x 64 KiB
  a.set("block", "vda", "read_sectors", 112 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "read_ahead");
  a.job().process_io.read_bytes = 150 << 20;
  a.set("block", "vda", "read_sectors", 150 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "engine_count");
}

TEST(ReconcileExcuses, MajorFaultsExcuseNoMoreThanTheirReadAheadWindow) {
  auto a = audited();
  drive_by("psync", a.job());
  a.job().major_faults = 4;
  a.job().process_io.read_bytes = (100 << 20) + (1 << 20);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "program_pages");
  a.job().process_io.read_bytes = 140 << 20;
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "engine_count");
}

TEST(ReconcileExcuses, OneUnreadableProcessDoesNotHideAUnitError) {
  auto a = audited();
  a.set("block", "vda", "read_sectors", 1600 * kMiB_d);
  a.set("others", "all", "read_bytes", kMiB_d);
  a.set("others", "looked at", "processes", 150);
  a.set("others", "unreadable", "processes", 1);
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "unit_error_16");
  a.set("others", "unreadable", "processes", 100);
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "foreign_io") << "it may have been any of them";
}

TEST(ReconcileExcuses, TheLargestOfTwoCausesIsTheDiagnosis) {
  auto a = audited();
  a.buffered();
  a.job().process_io.read_bytes = 140 << 20;
  a.set("block", "vda", "read_sectors", 150 * kMiB_d);
  a.set("others", "all", "read_bytes", 10 * kMiB_d);
  a.set("others", "4711 dd", "read_bytes", 10 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "read_ahead");
  EXPECT_THAT(of(a.audit(), "block", "read").cause, HasSubstr("4711 dd"));
  EXPECT_THAT(finding_ids(a), ::testing::ElementsAre("audit.foreign_io"));
  a.set("block", "vda", "read_sectors", 300 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "foreign_io");
}

TEST(ReconcileExcuses, TrimsAreReportedAsWithoutWitness) {
  auto a = audited();
  a.job().dirs[2].moved_bytes = 8 << 20;
  EXPECT_THAT(a.audit().line, HasSubstr("8.00 MiB trimmed (trims have no cross-check)"));
}

}  // namespace
}  // namespace fathom::audit
