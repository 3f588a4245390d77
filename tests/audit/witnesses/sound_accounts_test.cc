// Accounts that differ from the engine's in a sound run, as they were measured (docs/reference/audit.md, sections
// "Metadata" and "Counted twice"), and beside each the lie of the same size that has to be found.
#include <gtest/gtest.h>

#include "audit/audited_run.h"
#include "audit/run_findings.h"

namespace fathom::audit::witnesses {
namespace {

using result::Verdict;
constexpr std::uint64_t kMiB_u = 1 << 20;

// 256 MiB in direct random writes of 4 KiB to a new file, 10 s.
Audited writer(const char* file_system) {
  auto a = audited();
  drive_by("psync", a.job());
  a.job().elapsed_s = 10;
  a.job().dirs[0] = {};
  a.job().process_io.read_bytes = 0;
  a.job().dirs[1].moved_bytes = a.job().process_io.write_bytes = 256 * kMiB_u;
  a.job().dirs[1].moved_ios = 65536;
  a.set("block", "vda", "read_sectors", 0);
  a.set("block", "vda", "write_sectors", 256 * kMiB_d);
  a.facts.jobs[0].file_system = file_system;
  a.facts.jobs[0].range_bytes = 256 * kMiB_d;
  return a;
}

Verdict charged_more(Audited a, double kib) {
  a.job().process_io.write_bytes += static_cast<std::uint64_t>(kib) * 1024;
  return of(a.audit(), "process", "write").verdict;
}

TEST(ReconcileMetadata, Ext4WithoutAJournalChargesTheTreeOfExtentsToTheWriter) {
  auto a = writer("ext4");
  EXPECT_EQ(charged_more(a, 784), Verdict::explained) << "measured on an idle disk";
  EXPECT_EQ(charged_more(a, 2621), Verdict::disagrees) << "one per cent more, and nobody wrote to the disk";
  a.set("memory", "page cache", "dirty_end", 20 * kMiB_d);
  a.job().process_io.write_bytes += 784 << 10;
  EXPECT_EQ(of(a.audit(), "block", "write").verdict, Verdict::agrees) << "not written back yet";
}

TEST(ReconcileMetadata, BlocksThatWereWrittenBackAreChargedAgain) {
  auto a = writer("ext4");
  a.set("block", "vda", "write_sectors", 271 * kMiB_d);
  EXPECT_EQ(charged_more(a, 14.3 * 1024), Verdict::explained) << "measured beside five syncs a second";
  a.set("block", "vda", "write_sectors", 327 * kMiB_d);
  EXPECT_EQ(charged_more(a, 71.1 * 1024), Verdict::disagrees);
  a.set("block", "vda", "flush_ios", 50);
  EXPECT_EQ(charged_more(a, 71.1 * 1024), Verdict::explained) << "measured beside fifty";
}

TEST(ReconcileMetadata, AJournalTakesItFromTheWriter) {
  for (const char* file_system : {"ext4", "xfs"}) {
    auto a = writer(file_system);
    a.facts.jobs[0].journal = true;
    EXPECT_EQ(charged_more(a, 300), Verdict::agrees);
    EXPECT_EQ(charged_more(a, 784), Verdict::disagrees) << file_system;
    a.job().sync_ios = 4096;
    EXPECT_EQ(charged_more(a, 784), Verdict::disagrees) << "nor does a commit";
  }
}

TEST(ReconcileMetadata, BtrfsChargesItsTreesToWhoSyncs) {
  auto a = writer("btrfs");
  EXPECT_EQ(charged_more(a, 16 << 10), Verdict::disagrees) << "without a sync, but for one at the end";
  a.job().sync_ios = 4096;
  EXPECT_EQ(charged_more(a, 4.117 * 65536 * 4), Verdict::explained) << "every 16 writes";
  a.facts.jobs[0].sync_writes = true;
  EXPECT_EQ(charged_more(a, 18.4 * 65536 * 4), Verdict::explained) << "every write";
  EXPECT_EQ(charged_more(a, 60 * 65536 * 4), Verdict::disagrees);
}

TEST(ReconcileMetadata, ABlockDeviceHasNone) {
  auto a = writer("");
  a.facts.jobs[0].files = 0;
  EXPECT_EQ(charged_more(a, 784), Verdict::disagrees);
}

// The disk had what the account says twice only once.
TEST(ReconcileCountedTwice, WhatIoUringSubmittedTwiceIsExplainedByTheDisk) {
  auto a = audited();
  a.job().process_io.read_bytes = 200 << 20;
  a.job().process_io.write_bytes = 79 << 20;  // of a queue of 256 on a disk of 128 tags
  const auto audit = a.audit();
  EXPECT_EQ(of(audit, "process", "read").diagnosis, "counted_twice");
  EXPECT_EQ(of(audit, "process", "write").diagnosis, "counted_twice");
  EXPECT_EQ(of(audit, "block", "read").verdict, Verdict::agrees);
  EXPECT_EQ(audit.verdict, Verdict::explained);
}

TEST(ReconcileCountedTwice, ARealDoublingIsFound) {
  auto a = audited();
  a.job().process_io.read_bytes = 200 << 20;
  a.set("block", "vda", "read_sectors", 200 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").verdict, Verdict::disagrees);
  EXPECT_EQ(of(a.audit(), "block", "read").verdict, Verdict::disagrees);
  a.set("others", "all", "read_bytes", 100 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").verdict, Verdict::explained) << "a neighbour read as much";
}

TEST(ReconcileCountedTwice, AHiddenPartOfADoublingIsFoundByTheDisk) {
  auto a = audited();
  a.job().process_io.read_bytes = 200 << 20;
  a.set("block", "vda", "read_sectors", 101 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "counted_twice");
  EXPECT_EQ(of(a.audit(), "block", "read").verdict, Verdict::disagrees);
}

TEST(ReconcileCountedTwice, NoOtherEngineAndNoThirdCountHasTheExcuse) {
  auto a = audited();
  a.job().process_io.read_bytes = 290 << 20;
  EXPECT_EQ(of(a.audit(), "process", "read").verdict, Verdict::disagrees);
  a.job().process_io.read_bytes = 200 << 20;
  drive_by("libaio", a.job());
  EXPECT_EQ(of(a.audit(), "process", "read").verdict, Verdict::disagrees);
  drive_by("io_uring", a.job());
  a.buffered();
  EXPECT_NE(of(a.audit(), "process", "read").diagnosis, "counted_twice");
}

TEST(ReconcileCountedTwice, WithoutTheDisksCountersNothingIsSaid) {
  auto a = audited();
  a.job().process_io.read_bytes = 200 << 20;
  a.set("block", "vda", "read_sectors", 0);
  a.set("block", "vda", "iostats_off", 2);
  EXPECT_EQ(of(a.audit(), "process", "read").verdict, Verdict::no_witness);
}

std::vector<std::string> ids(Audited& a) {
  a.run.audit = a.audit();
  std::vector<std::string> found;
  for (const auto& f : run_findings(a.run))
    if (f.id.starts_with("audit.")) found.push_back(f.id);
  return found;
}

TEST(ReconcileSwitchedOff, CountersThatAreOffAreNotJudged) {
  auto a = audited();
  a.set("block", "vda", "read_sectors", 0);
  a.set("block", "vda", "write_sectors", 0);
  EXPECT_EQ(a.audit().verdict, Verdict::disagrees) << "they are on, and nothing arrived";
  a.set("block", "vda", "iostats_off", 2);
  EXPECT_EQ(of(a.audit(), "block", "read").verdict, Verdict::no_witness);
  EXPECT_EQ(a.audit().verdict, Verdict::agrees) << "the workers' account stands";
  EXPECT_EQ(ids(a), std::vector<std::string>{"audit.iostats_off"});
}

// A zram has the flag at 0 and counts all the same.
TEST(ReconcileSwitchedOff, WhatCountsAllTheSameIsJudged) {
  auto a = audited();
  a.set("block", "vda", "iostats_off", 2);
  a.set("block", "vda", "read_ios", 25600);
  EXPECT_EQ(of(a.audit(), "block", "read").verdict, Verdict::agrees);
  EXPECT_TRUE(ids(a).empty());
  a.set("block", "vda", "read_sectors", 50 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "read").verdict, Verdict::disagrees);
}

TEST(ReconcileSwitchedOff, SwitchedInTheRunIsNotJudged) {
  auto a = audited();
  a.set("block", "vda", "read_sectors", 50 * kMiB_d);
  a.set("block", "vda", "read_ios", 12800);
  a.set("block", "vda", "iostats_off", 1);
  EXPECT_EQ(of(a.audit(), "block", "read").verdict, Verdict::no_witness);
}

// Whoever works on another partition of the disk is no witness against a job on this one.
TEST(ReconcilePartition, WhatOtherPartitionsWereAskedForIsNotTheJobs) {
  auto a = audited();
  a.facts.jobs[0].thread = true;  // an account that is not known: the disk's surplus is judged alone
  a.set("block", "vda", "read_sectors", 400 * kMiB_d);
  a.set("partition", "vda1", "read_sectors", 100 * kMiB_d);
  a.set("partition", "vda1", "write_sectors", 50 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "read").verdict, Verdict::disagrees) << "the job is not on the partition";
  a.facts.jobs[0].partitions = {"vda1"};
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "foreign_io");
  EXPECT_EQ(of(a.audit(), "block", "read").verdict, Verdict::explained);
  ASSERT_EQ(a.audit().foreign.size(), 1u) << "they disturb it all the same";
  a.set("partition", "vda1", "read_sectors", 400 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "read").verdict, Verdict::disagrees) << "on the job's own partition";
}

// fill_fs: of the write that met the end of the space a part is on the disk.
TEST(ReconcileUntilFull, TheLastWritesMayBeThereInPart) {
  auto a = writer("ext4");
  a.facts.jobs[0].journal = true;
  a.job().bs_max[1] = 4 << 20;
  a.job().iodepth = 1;
  EXPECT_EQ(charged_more(a, 1500), Verdict::disagrees);
  a.facts.jobs[0].until_full = true;
  EXPECT_EQ(charged_more(a, 1500), Verdict::agrees);
  EXPECT_EQ(charged_more(a, 5000), Verdict::disagrees) << "more than one write";
}

}  // namespace
}  // namespace fathom::audit::witnesses
