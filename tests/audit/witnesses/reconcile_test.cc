// Lies and their clean twins, with made-up counts: each lie is named, and its twin is silent.
#include "audit/witnesses/reconcile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/audited_run.h"
#include "audit/run_findings.h"

namespace fathom::audit::witnesses {
namespace {

using result::Verdict;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> audit_findings(Audited& a) {
  a.run.audit = a.audit();
  std::vector<std::string> ids;
  for (const auto& f : run_findings(a.run))
    if (f.id.starts_with("audit.") || f.id.starts_with("link.")) ids.push_back(f.id);
  return ids;
}

// --settle came to rest, and then somebody still moved so much in a second.
void idle_window(Audited& a, double read_bytes, double write_bytes) {
  a.run.settle.asked = a.run.settle.settled = true;
  a.set("idle_block", "vda", "read_sectors", read_bytes);
  a.set("idle_block", "vda", "write_sectors", write_bytes);
  for (const char* name : {"read_sectors", "write_sectors"}) {
    a.count("idle_block", "vda", name).window_s = 1;
    a.count("block", "vda", name).window_s = 2;
  }
}

TEST(Reconcile, ACleanRunAgreesInOneLine) {
  auto a = audited();
  a.facts.missing = {result::Missing{"PCIe PMU", "this machine has none"}};
  const auto audit = a.audit();
  EXPECT_EQ(audit.verdict, Verdict::agrees);
  EXPECT_EQ(audit.line,
            "agrees: 100 MiB read, 50.0 MiB written; block vda +0.00 % read, +0.00 % write; process +0.00 % read, "
            "+0.00 % write; no PCIe PMU");
  EXPECT_THAT(audit_findings(a), IsEmpty());
}

TEST(Reconcile, WithoutAnyWitnessTheVerdictIsNoWitness) {
  auto a = audited();
  a.facts.jobs[0].disks.clear();
  a.facts.missing = {result::Missing{"disk", "nothing is under the targets"}};
  EXPECT_EQ(a.audit().verdict, Verdict::no_witness);
  EXPECT_EQ(a.audit().line, "no witness: 100 MiB read, 50.0 MiB written; no disk");
}

TEST(Reconcile, TheWorstWitnessDecides) {
  auto a = audited();
  a.set("block", "vda", "read_sectors", 200 * kMiB_d);
  EXPECT_EQ(a.audit().verdict, Verdict::explained);
  a.job().process_io.read_bytes = 90 << 20;
  EXPECT_EQ(a.audit().verdict, Verdict::disagrees);
}

TEST(Reconcile, AReportedSumCountsItsMembersOnce) {
  auto a = audited();
  auto member = a.job();
  a.facts.jobs.push_back(a.facts.jobs[0]);
  a.facts.jobs[1].job_number = 1;
  a.run.group_members = {member, member};
  a.run.group_members[1].job_number = 1;
  a.run.jobs[0].members = 2;
  a.set("block", "vda", "read_sectors", 200 * kMiB_d);
  a.set("block", "vda", "write_sectors", 100 * kMiB_d);
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
  EXPECT_EQ(of(a.audit(), "process", "read").expected_bytes, 200 * kMiB_d);
}

TEST(ReconcileForeignIo, AForeignReaderIsNamedWithPidAndBytes) {
  auto a = audited();
  a.set("block", "vda", "read_sectors", 160 * kMiB_d);
  a.set("others", "all", "read_bytes", 60 * kMiB_d);
  a.set("others", "4711 dd", "read_bytes", 60 * kMiB_d);
  const auto w = of(a.audit(), "block", "read");
  EXPECT_EQ(w.verdict, Verdict::explained);
  EXPECT_EQ(w.diagnosis, "foreign_io");
  EXPECT_THAT(w.cause, HasSubstr("4711 dd 60.0 MiB"));
  EXPECT_EQ(explained_bytes(w), 60 * kMiB_d);
  EXPECT_THAT(audit_findings(a), ::testing::ElementsAre("audit.foreign_io"));
}

TEST(ReconcileForeignIo, ASmallForeignWriteIsExplainedWithoutAFinding) {
  auto a = audited();
  a.set("block", "vda", "write_sectors", 50.5 * kMiB_d);
  a.set("others", "all", "write_bytes", kMiB_d);
  a.set("others", "99 logger", "write_bytes", kMiB_d);
  EXPECT_EQ(a.audit().verdict, Verdict::explained);
  EXPECT_THAT(audit_findings(a), IsEmpty());
}

TEST(ReconcileForeignIo, UnreadableProcessesAskForRoot) {
  auto a = audited();
  a.set("block", "vda", "read_sectors", 160 * kMiB_d);
  a.set("others", "unreadable", "processes", 80);
  EXPECT_THAT(of(a.audit(), "block", "read").cause, HasSubstr("as root"));
}

TEST(ReconcileForeignIo, IdleTrafficIsSubtracted) {
  auto a = audited();
  a.set("block", "vda", "read_sectors", 110 * kMiB_d);
  idle_window(a, 5 * kMiB_d, 0);
  const auto w = of(a.audit(), "block", "read");
  ASSERT_EQ(w.explained.size(), 1u);
  EXPECT_EQ(w.explained[0].name, "others in the idle window");
  EXPECT_EQ(w.explained[0].bytes, 10 * kMiB_d);
  EXPECT_EQ(w.verdict, Verdict::explained);
  EXPECT_EQ(w.diagnosis, "foreign_io");
  EXPECT_THAT(audit_findings(a), ::testing::ElementsAre("audit.foreign_io"));
}

TEST(ReconcileForeignIo, IdleWritesDoNotExcuseReads) {
  auto a = audited();
  a.set("block", "vda", "read_sectors", 110 * kMiB_d);
  idle_window(a, 0, 5 * kMiB_d);
  for (const auto& term : of(a.audit(), "block", "read").explained) EXPECT_NE(term.name, "others in the idle window");
}

TEST(ReconcileForeignIo, AnUnsettledMachineHasNoIdleWindow) {
  auto a = audited();
  a.set("block", "vda", "read_sectors", 110 * kMiB_d);
  idle_window(a, 5 * kMiB_d, 0);
  a.run.settle.settled = false;
  const auto w = of(a.audit(), "block", "read");
  EXPECT_EQ(w.verdict, Verdict::explained);
  EXPECT_THAT(w.cause, HasSubstr("not identified"));
}

TEST(ReconcileUnitError, ACountSixteenTimesTooLargeIsNamed) {
  auto a = audited();
  a.set("block", "vda", "read_sectors", 1600 * kMiB_d);
  const auto w = of(a.audit(), "block", "read");
  EXPECT_EQ(w.verdict, Verdict::disagrees);
  EXPECT_EQ(w.diagnosis, "unit_error_16");
  EXPECT_THAT(audit_findings(a), ::testing::ElementsAre("audit.disagrees"));
}

TEST(ReconcileUnitError, SixteenTimesAsMuchThatAProcessReadIsForeign) {
  auto a = audited();
  a.set("block", "vda", "read_sectors", 1600 * kMiB_d);
  a.set("others", "all", "read_bytes", 1500 * kMiB_d);
  a.set("others", "4711 dd", "read_bytes", 1500 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "foreign_io");
}

// A run of milliseconds, into which somebody's earlier pages were written: seen in an ordinary run under noise.
TEST(ReconcileUnitError, SixteenTimesAsMuchInMoreRequestsIsForeign) {
  auto a = audited();
  a.set("block", "vda", "write_sectors", 800 * kMiB_d);
  a.set("block", "vda", "write_ios", 12800);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "unit_error_16");
  a.set("block", "vda", "write_ios", 15000);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "foreign_io");
}

TEST(ReconcileUnitError, FourTimesAsMuchOnTheDiskIsForeign) {
  auto a = audited();
  a.set("block", "vda", "read_sectors", 399 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "read").verdict, Verdict::explained);
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "foreign_io");
}

TEST(ReconcileUnitError, AnEngineCountingSixteenTimesTooMuchDisagreesWithAll) {
  auto a = audited();
  a.job().dirs[0].moved_bytes *= 16;
  for (const char* source : {"process", "block"}) {
    EXPECT_EQ(of(a.audit(), source, "read").verdict, Verdict::disagrees);
    EXPECT_EQ(of(a.audit(), source, "read").diagnosis, "missing_io") << "two that agree have no wrong unit each";
  }
}

TEST(ReconcileUnitError, OneWitnessAloneCanHaveAWrongUnit) {
  auto a = audited();
  a.job().process_io.read_bytes /= 16;
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "unit_error_1_16");
  a.count("block", "vda", "read_sectors").lost_at_s = 1;
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "missing_io") << "no other says otherwise";
}

// btrfs: what is read or written is another number of bytes than the device moves.
TEST(ReconcileCompressed, WhatAFileSystemCompressesIsExplainedUpToThoseBytes) {
  auto a = audited();
  a.buffered();
  a.facts.jobs[0].range_bytes = a.facts.jobs[0].compressed_bytes = 100 * kMiB_d;
  a.job().process_io.read_bytes = 4 << 20;
  a.set("block", "vda", "read_sectors", 4 * kMiB_d);
  a.set("block", "vda", "write_sectors", 2 * kMiB_d);
  for (const char* direction : {"read", "write"}) EXPECT_EQ(of(a.audit(), "block", direction).diagnosis, "compressed");
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "compressed");
  EXPECT_EQ(a.audit().verdict, Verdict::explained);
  EXPECT_THAT(audit_findings(a), ::testing::ElementsAre("audit.compressed"));
  a.job().delivery.unsynced_bytes = 50 << 20;
  a.set("memory", "page cache", "dirty_end", 50 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "write_back") << "what waits was not spared yet";
  a.facts.jobs[0].compressed_bytes = 30 * kMiB_d;
  a.facts.jobs[0].cache_known = true;
  a.facts.jobs[0].visit_bytes = 150 * kMiB_d;
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "missing_io") << "more than is compressed";
}

TEST(ReconcilePageCache, HitsAreExplainedForBufferedJobsOnly) {
  auto a = audited();
  a.job().process_io.read_bytes = 1 << 20;
  a.set("block", "vda", "read_sectors", kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "missing_io");
  EXPECT_EQ(of(a.audit(), "block", "read").verdict, Verdict::disagrees);
  a.buffered();
  for (const char* source : {"process", "block"}) {
    const auto w = of(a.audit(), source, "read");
    EXPECT_EQ(w.verdict, Verdict::explained);
    EXPECT_EQ(w.diagnosis, "page_cache");
    EXPECT_EQ(explained_bytes(w), -99 * kMiB_d);
  }
  EXPECT_THAT(audit_findings(a), ::testing::ElementsAre("audit.page_cache"));
}

TEST(ReconcilePageCache, OfAMappedFileTheHelpIsAnotherEngine) {
  auto a = audited();
  a.job().process_io.read_bytes = 1 << 20;
  a.set("block", "vda", "read_sectors", kMiB_d);
  a.buffered();
  a.run.audit = a.audit();
  const auto help = [&] { return run_findings(a.run).at(0).remedy; };
  EXPECT_THAT(help(), ::testing::HasSubstr("add direct=1"));
  drive_by("mmap", a.job());
  EXPECT_THAT(help(), ::testing::HasSubstr("use another engine"));
}

TEST(ReconcilePageCache, WhatPreReadReadIsNobodyElses) {
  auto a = audited();
  a.job().delivery.pre_read_bytes = 60 << 20;
  a.set("block", "vda", "read_sectors", 160 * kMiB_d);
  const auto direct = of(a.audit(), "block", "read");
  EXPECT_EQ(direct.diagnosis, "pre_read");
  EXPECT_EQ(explained_bytes(direct), 60 * kMiB_d);
  a.set("block", "vda", "read_sectors", 190 * kMiB_d);
  EXPECT_EQ(explained_bytes(of(a.audit(), "block", "read")), 90 * kMiB_d) << "30 of them are others'";

  a.buffered();
  a.facts.jobs[0].cache_known = true;
  a.facts.jobs[0].visit_bytes = 100 * kMiB_d;
  a.job().delivery.pre_read_bytes = 100 << 20;
  a.job().process_io.read_bytes = 0;
  a.set("block", "vda", "read_sectors", 100 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "page_cache");
  EXPECT_THAT(audit_findings(a), ::testing::ElementsAre("audit.page_cache"));
}

TEST(ReconcilePageCache, ReadAheadExplainsASurplus) {
  auto a = audited();
  a.buffered();
  a.job().process_io.read_bytes = 108 << 20;
  a.set("block", "vda", "read_sectors", 108 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "read_ahead");
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "read_ahead");
  EXPECT_EQ(a.audit().verdict, Verdict::explained);
}

// A run that its runtime ends: read-ahead is charged when it is submitted, and the disk counts what is done.
TEST(ReconcilePageCache, ReadAheadThatIsUnderWayAtTheEndIsNotExpectedOfTheDisk) {
  for (const double on_disk : {108.0, 104.0, 100.0}) {
    auto a = audited();
    a.buffered();
    a.job().process_io.read_bytes = 108 << 20;
    a.set("block", "vda", "read_sectors", on_disk * kMiB_d);
    const auto w = of(a.audit(), "block", "read");
    EXPECT_EQ(w.verdict, on_disk > 100 ? Verdict::explained : Verdict::agrees) << on_disk;
    EXPECT_EQ(explained_bytes(w), (on_disk - 100) * kMiB_d);
    EXPECT_EQ(w.cause.find("4.00 MiB of it did not reach vda by the end") != std::string::npos, on_disk == 104);
    EXPECT_THAT(audit_findings(a), ::testing::IsEmpty());
  }
  auto a = audited();
  a.buffered();
  a.job().process_io.read_bytes = 108 << 20;
  a.set("block", "vda", "read_sectors", 99 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "missing_io") << "less than the engine moved is a lie";
}

// A write of one byte makes a folio of 2 MiB dirty, and the disk is given 4 KiB.
TEST(ReconcilePageCache, WholeFoliosThatWereChargedAreNotExpectedOfTheDisk) {
  auto a = audited();
  a.buffered();
  a.job().process_io.write_bytes = 500 << 20;
  EXPECT_EQ(of(a.audit(), "process", "write").diagnosis, "whole_pages");
  EXPECT_EQ(of(a.audit(), "block", "write").verdict, Verdict::agrees);
  a.set("block", "vda", "write_sectors", 40 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "missing_io") << "less than the engine wrote";
  EXPECT_THAT(audit_findings(a), ::testing::ElementsAre("audit.disagrees"));
}

// What came from memory is known net of what was read ahead.
TEST(ReconcilePageCache, ReadAheadUnderWayBesideHitsIsBoundedByItsWindows) {
  auto a = audited();
  a.buffered();
  a.facts.jobs[0].read_ahead_bytes = kMiB_d;
  a.job().process_io.read_bytes = 60 << 20;
  a.set("block", "vda", "read_sectors", 57 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "read").verdict, Verdict::explained);
  EXPECT_EQ(explained_bytes(of(a.audit(), "block", "read")), -43 * kMiB_d);
  a.set("block", "vda", "read_sectors", 55 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "missing_io");
}

TEST(ReconcilePageCache, PendingBufferedWritesAreExplained) {
  auto a = audited();
  a.set("block", "vda", "write_sectors", 2 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "missing_io");
  a.buffered();
  a.set("memory", "page cache", "dirty_end", 48 * kMiB_d);
  const auto w = of(a.audit(), "block", "write");
  EXPECT_EQ(w.diagnosis, "write_back");
  EXPECT_THAT(w.explained.back().how, HasSubstr("48.0 MiB waited"));
}

TEST(ReconcilePageCache, EarlierDirtyPagesExplainASurplusOfWrites) {
  auto a = audited();
  a.set("block", "vda", "write_sectors", 80 * kMiB_d);
  a.set("memory", "page cache", "dirty_begin", 40 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "write_back");
}

TEST(ReconcileHoles, ExplainMissingReadsOfSparseFiles) {
  auto a = audited();
  a.job().process_io.read_bytes = 0;
  a.set("block", "vda", "read_sectors", 0);
  EXPECT_EQ(a.audit().verdict, Verdict::disagrees);
  a.facts.jobs[0].sparse_bytes = a.facts.jobs[0].range_bytes = 100 * kMiB_d;
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "holes");
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "holes");
}

TEST(ReconcileMetadata, JournalWritesAtEverySyncAreExplained) {
  auto a = audited();
  a.job().sync_ios = 12800;
  a.set("block", "vda", "write_sectors", 50 * kMiB_d + 12800 * 3 * 4096.0);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "metadata");
  EXPECT_EQ(a.audit().verdict, Verdict::explained);
}

TEST(ReconcileLostWitness, AVanishedDiskIsNoWitness) {
  auto a = audited();
  for (const char* name : {"read_sectors", "write_sectors"}) a.count("block", "vda", name).lost_at_s = 1.25;
  const auto audit = a.audit();
  EXPECT_EQ(of(audit, "block", "read").verdict, Verdict::no_witness);
  EXPECT_EQ(audit.verdict, Verdict::agrees);  // the process still speaks for it
  EXPECT_THAT(audit.line, HasSubstr("block vda lost at 1.2 s"));
  EXPECT_THAT(audit_findings(a), ::testing::ElementsAre("audit.lost", "audit.lost"));
}

TEST(ReconcileLostWitness, AKilledWorkersAccountIsReplacedByItsParents) {
  auto a = audited();
  a.job().process_io.readable = false;
  EXPECT_EQ(of(a.audit(), "process", "read").verdict, Verdict::no_witness);
  a.set("process", "fathom", "read_bytes", 100 * kMiB_d);
  a.set("process", "fathom", "write_bytes", 50 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").verdict, Verdict::agrees);
}

TEST(ReconcileDisks, DisksOfOneJobAreComparedInSumAndOfOthersSeparately) {
  auto a = audited();
  auto other = a.job();
  other.job_number = 1;
  a.run.jobs.push_back(other);
  a.facts.jobs.push_back(a.facts.jobs[0]);
  a.facts.jobs[1].job_number = 1;
  a.facts.jobs[1].disks = {"sda", "sdb"};
  for (const char* disk : {"sda", "sdb"}) {
    a.set("block", disk, "read_sectors", 50 * kMiB_d);
    a.set("block", disk, "write_sectors", 25 * kMiB_d);
  }
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
  EXPECT_THAT(a.audit().line, HasSubstr("block sda + sdb +0.00 % read"));
  EXPECT_THAT(a.audit().line, HasSubstr("block vda +0.00 % read"));
}

// Two sides of a mirror: writes twice, reads once between them.
TEST(ReconcileMembers, AMirrorWritesTwice) {
  auto a = audited();
  a.facts.layers = {{"vda", "stack", {"sda", "sdb"}, "", false, 0, 0}};
  a.set("block", "sda", "read_sectors", 80 * kMiB_d);
  a.set("block", "sdb", "read_sectors", 20 * kMiB_d);
  for (const char* disk : {"sda", "sdb"}) a.set("block", disk, "write_sectors", 50 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "members", "read").verdict, Verdict::agrees);
  EXPECT_EQ(of(a.audit(), "members", "write").diagnosis, "mirror");
  for (const char* disk : {"sda", "sdb"}) a.set("block", disk, "write_sectors", 25 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "members", "write").verdict, Verdict::agrees);
}

}  // namespace
}  // namespace fathom::audit::witnesses
