// What others did to the run's disks in any direction, with made-up counts: each is found, and its clean twin is
// silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/foreign_run.h"

namespace fathom::audit::witnesses {
namespace {

using result::Verdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(ForeignTraffic, AWriterBesideAReadJobIsRaisedWithBytesTimeAndName) {
  auto a = reader();
  a.set("block", "vda", "write_sectors", 60 * kMiB_d);
  a.set("block", "vda", "write_ios", 960);
  a.set("block", "vda", "write_time", 1.5);
  neighbour(a, "4711 dd", "write", 60 * kMiB_d);
  const auto audit = a.audit();
  EXPECT_EQ(audit.verdict, Verdict::explained);
  EXPECT_THAT(audit.line, HasSubstr("block vda +0.00 %; "));
  EXPECT_THAT(audit.line, HasSubstr("others on vda: write 59."));
  const auto found = findings_of(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "audit.foreign_io");
  EXPECT_EQ(found[0].severity, result::Severity::warning);
  EXPECT_THAT(found[0].evidence, HasSubstr("4711 dd 60.0 MiB"));
  EXPECT_THAT(found[0].evidence, HasSubstr(", together about 1.5 s; the run took 2.0 s"));
}

// Of those who moved less five are enough.
TEST(ForeignTraffic, EachProcessThatMovedAMiBIsNamed) {
  auto a = reader();
  a.set("block", "vda", "write_sectors", 70 * kMiB_d);
  const auto seven = [&](double bytes_each) {
    for (const char* who : {"1 a", "2 b", "3 c", "4 d", "5 e", "6 f", "7 g"}) neighbour(a, who, "write", bytes_each);
    a.set("others", "all", "write_bytes", 7 * bytes_each);
    return findings_of(a).at(0).evidence;
  };
  const auto much = seven(10 * kMiB_d);
  EXPECT_THAT(much, HasSubstr("6 f 10.0 MiB, 7 g 10.0 MiB"));
  EXPECT_THAT(much, Not(HasSubstr("more")));
  const auto little = seven(kMiB_d / 2);
  EXPECT_THAT(little, HasSubstr("5 e 512 KiB and 2 more"));
}

TEST(ForeignTraffic, AReaderBesideAWriteJobIsRaised) {
  auto a = audited();
  a.job().dirs[0] = {};
  a.job().process_io.read_bytes = 0;
  neighbour(a, "4711 dd", "read", 100 * kMiB_d);
  const auto audit = a.audit();
  ASSERT_NE(foreign(audit, "read"), nullptr);
  EXPECT_NEAR(foreign(audit, "read")->bytes, 100 * kMiB_d, kMiB_d);
  a.job().process_io.read_bytes =
      100 << 20;  // its twin: they were charged to the run, as pages filled up before writing
  EXPECT_THAT(a.audit().foreign, IsEmpty());
}

TEST(ForeignTraffic, OwnJournalAndEarlierDirtyPagesAreNotForeign) {
  auto a = reader();
  a.set("block", "vda", "write_sectors", kMiB_d);
  EXPECT_THAT(ids_of(a), IsEmpty()) << "less than a MiB is left over";
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
  a.set("block", "vda", "write_sectors", 40 * kMiB_d);
  EXPECT_THAT(ids_of(a), ElementsAre("audit.foreign_io"));
  a.set("memory", "page cache", "dirty_begin", 40 * kMiB_d);
  EXPECT_THAT(ids_of(a), IsEmpty());
}

TEST(ForeignTraffic, UnreadableProcessesLeaveEarlierDirtyPagesInDoubt) {
  auto a = reader();
  a.set("block", "vda", "write_sectors", 40 * kMiB_d);
  a.set("memory", "page cache", "dirty_begin", 40 * kMiB_d);
  a.set("others", "unreadable", "processes", 80);
  const auto found = findings_of(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].evidence, HasSubstr("only root can see the processes: run fathom as root"));
  EXPECT_THAT(found[0].evidence, HasSubstr("may be earlier writes that waited in memory"));
}

TEST(ForeignTraffic, ASmallShareIsANoteAndChangesNoVerdict) {
  auto a = reader();
  a.set("block", "vda", "write_sectors", 2.5 * kMiB_d);
  a.job().dirs[0].moved_bytes = 1000 << 20;
  a.job().process_io.read_bytes = 1000 << 20;
  a.set("block", "vda", "read_sectors", 1000 * kMiB_d);
  const auto found = findings_of(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, result::Severity::note);
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
  EXPECT_THAT(a.audit().line, Not(HasSubstr("others on")));
}

TEST(ForeignTraffic, FewBytesThatTookLongAreAWarning) {
  auto a = reader();
  a.set("block", "vda", "write_sectors", kMiB_d);
  a.set("block", "vda", "write_ios", 256);
  a.set("block", "vda", "write_time", 1.9);
  EXPECT_EQ(a.audit().verdict, Verdict::explained);
}

TEST(ForeignTraffic, AProcessThatHasTheDiskOpenIsNamedForASmallShare) {
  auto a = audited();
  a.job().dirs[0].moved_bytes = std::uint64_t{8} << 30;
  a.job().process_io.read_bytes = std::uint64_t{8} << 30;
  a.set("block", "vda", "read_sectors", 8192 * kMiB_d + 2 * kMiB_d);  // within a thousandth
  neighbour(a, "4711 dd", "read", 2 * kMiB_d);
  EXPECT_THAT(ids_of(a), IsEmpty()) << "he may have read anywhere";
  a.set("open", "4711 dd", "vda", 1);
  const auto found = findings_of(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].evidence, HasSubstr("other processes read 2.00 MiB from vda"));
  EXPECT_THAT(found[0].evidence, HasSubstr("4711 dd"));
}

TEST(ForeignTraffic, AProcessWithTheDiskOpenIsNamedBeforeALargerOneElsewhere) {
  auto a = reader();
  a.set("block", "vda", "write_sectors", 60 * kMiB_d);
  a.set("others", "all", "write_bytes", 160 * kMiB_d);
  a.set("others", "99 cc1plus", "write_bytes", 100 * kMiB_d);
  a.set("others", "4711 dd", "write_bytes", 60 * kMiB_d);
  a.set("open", "4711 dd", "vda", 1);
  const auto audit = a.audit();
  EXPECT_THAT(foreign(audit, "write")->who, HasSubstr("4711 dd"));
  EXPECT_THAT(foreign(audit, "write")->who, Not(HasSubstr("cc1plus")));
}

TEST(ForeignTraffic, AProcessWithNothingOpenThereIsNotNamed) {
  auto a = reader();
  a.set("block", "vda", "write_sectors", 60 * kMiB_d);
  a.set("others", "all", "write_bytes", 120 * kMiB_d);
  a.set("others", "99 cc1plus", "write_bytes", 100 * kMiB_d);
  a.set("others", "4711 dd", "write_bytes", 20 * kMiB_d);
  a.set("open", "4711 dd", "vda", 1);
  for (const char* who : {"99 cc1plus", "4711 dd"}) a.set("descriptors", who, "looked", 1);
  EXPECT_EQ(
      foreign(a.audit(), "write")->who,
      "4711 dd 20.0 MiB; for the rest no process that had it open was found (writing elsewhere during the run: 99 "
      "cc1plus "
      "100 MiB)");
  a.set("memory", "page cache", "dirty_begin", 40 * kMiB_d);  // he was not charged for these
  EXPECT_NEAR(foreign(a.audit(), "write")->bytes, 20 * kMiB_d, kMiB_d);
  a.set("open", "4711 dd", "vda", 0);
  std::erase_if(a.counts, [](const auto& count) { return count.source == "open"; });
  a.set("memory", "page cache", "dirty_begin", 0);
  EXPECT_THAT(foreign(a.audit(), "write")->who,
              ::testing::StartsWith("no process that had it open was found (writing"));
  std::erase_if(a.counts, [](const auto& count) { return count.source == "descriptors"; });
  EXPECT_THAT(foreign(a.audit(), "write")->who, ::testing::StartsWith("99 cc1plus at most 59.9 MiB, 4711 dd"));
}

// bash is charged for what a child had read before the run and left to it.
TEST(ForeignTraffic, NoProcessIsNamedWithMoreThanAllMoved) {
  auto a = reader();
  a.set("block", "vda", "write_sectors", 9.67 * kMiB_d);
  neighbour(a, "812 bash", "write", 3277 * kMiB_d);
  a.set("open", "812 bash", "vda", 1);
  const auto audit = a.audit();
  ASSERT_NE(foreign(audit, "write"), nullptr);
  EXPECT_THAT(foreign(audit, "write")->who, ::testing::StartsWith("812 bash at most 9."));
}

TEST(ForeignTraffic, AProcessWithNothingOpenThereIsNotNamedInTheJobsDirectionEither) {
  auto a = audited();
  a.set("block", "vda", "write_sectors", 110 * kMiB_d);
  neighbour(a, "99 cc1plus", "write", 100 * kMiB_d);
  a.set("descriptors", "99 cc1plus", "looked", 1);
  const auto w = of(a.audit(), "block", "write");
  EXPECT_EQ(w.diagnosis, "foreign_io");
  for (const auto& term : w.explained) EXPECT_THAT(term.how, Not(::testing::StartsWith("99 cc1plus"))) << term.name;
  EXPECT_THAT(foreign(a.audit(), "write")->who, ::testing::StartsWith("no process that had it open was found"));
}

TEST(ForeignTraffic, ProcessesOutOfSightAreMentioned) {
  auto a = reader();
  a.set("block", "vda", "discard_sectors", 64 * kMiB_d);
  a.set("block", "vda", "flush_ios", 200);
  a.set("block", "vda", "flush_time", 0.8);
  a.set("others", "hidden", "hidepid", 1);
  for (const char* kind : {"discard", "flush"}) {
    ASSERT_NE(foreign(a.audit(), kind), nullptr);
    EXPECT_THAT(foreign(a.audit(), kind)->who, ::testing::StartsWith("processes could not be examined: /proc hides"));
  }
  std::erase_if(a.counts, [](const auto& count) { return count.source == "others"; });
  EXPECT_EQ(foreign(a.audit(), "discard")->who, "processes could not be examined");
}

TEST(ForeignTraffic, DiscardsAreRaisedWithWhoHasTheDiskOpenAndOwnTrimsAreNot) {
  auto a = reader();
  a.set("block", "vda", "discard_sectors", 64 * kMiB_d);
  auto audit = a.audit();
  ASSERT_NE(foreign(audit, "discard"), nullptr);
  EXPECT_FALSE(foreign(audit, "discard")->time_s.has_value()) << "no requests, no time: a zram's";
  EXPECT_THAT(foreign(audit, "discard")->who, HasSubstr("charges it to no process"));
  a.count("open", "4711 blkdiscard", "vda").direction = "write";
  audit = a.audit();
  EXPECT_THAT(foreign(audit, "discard")->who, HasSubstr("4711 blkdiscard has it open for writing"));
  EXPECT_EQ(audit.verdict, Verdict::explained);
  a.job().dirs[2].moved_bytes = 64 << 20;
  EXPECT_EQ(foreign(a.audit(), "discard"), nullptr);
}

TEST(ForeignTraffic, AProcessThatTrimsAMountedFileSystemIsNamed) {
  auto a = reader();
  a.set("block", "vda", "discard_sectors", 64 * kMiB_d);
  a.set("mount_point", "4711 fstrim", "vda", 1);
  EXPECT_EQ(foreign(a.audit(), "discard")->who, "4711 fstrim has the directory open where it is mounted");
}

TEST(ForeignTraffic, DiscardsOfAMountWithDiscardAreANote) {
  auto a = audited();
  a.set("block", "vda", "discard_sectors", 96 * kMiB_d);
  EXPECT_EQ(findings_of(a).at(0).severity, result::Severity::warning);
  a.facts.discarding = {"vda"};
  auto found = findings_of(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, result::Severity::note);
  EXPECT_THAT(found[0].evidence, HasSubstr("other processes or the file system itself discarded 96.0 MiB"));
  EXPECT_THAT(found[0].evidence, HasSubstr("mounted with discard"));
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
  a.count("open", "4711 blkdiscard", "vda").direction = "write";
  EXPECT_EQ(findings_of(a).at(0).severity, result::Severity::warning);
  a.facts.jobs[0].deletes_files = true;  // its own files
  a.facts.jobs[0].range_bytes = 96 * kMiB_d;
  EXPECT_THAT(ids_of(a), IsEmpty());
}

TEST(ReconcileOverlay, AnUncertainDiskDoesNotDisagree) {
  auto a = audited();
  for (const char* column : {"read_sectors", "write_sectors"}) a.set("block", "vda", column, 0);
  EXPECT_EQ(a.audit().verdict, Verdict::disagrees);
  a.facts.jobs[0].perhaps_elsewhere = true;
  const auto audit = a.audit();
  EXPECT_EQ(of(audit, "block", "read").verdict, Verdict::no_witness);
  EXPECT_THAT(of(audit, "block", "read").cause, HasSubstr("layers of an overlay"));
  EXPECT_EQ(audit.verdict, Verdict::agrees) << "the process stands";
  a.job().process_io.read_bytes = a.job().process_io.write_bytes = 0;
  EXPECT_EQ(a.audit().verdict, Verdict::disagrees) << "it does not either";
}

TEST(ReconcileFileSystem, AFileSystemOnSeveralDisksMayWriteCopies) {
  auto a = audited();
  a.facts.jobs[0].disks = {"vda", "vdb"};
  a.set("block", "vdb", "read_sectors", 0);
  a.set("block", "vdb", "write_sectors", 50 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "mirror");
  EXPECT_THAT(a.audit().foreign, IsEmpty());
}

TEST(ForeignTraffic, DiscardsThatTookNoTimeAreNotRaised) {
  auto a = reader();
  a.set("block", "vda", "discard_sectors", 4096 * kMiB_d);
  a.set("block", "vda", "discard_ios", 2);
  a.set("block", "vda", "discard_time", 0.001);
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
  EXPECT_EQ(findings_of(a).at(0).severity, result::Severity::note);
}

TEST(ForeignTraffic, FlushesBeyondTheRunsOwnAreRaised) {
  auto a = reader();
  a.set("block", "vda", "flush_ios", 200);
  a.set("block", "vda", "flush_time", 0.8);
  const auto found = findings_of(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].evidence, HasSubstr("other processes flushed vda (19"));
  a.job().sync_ios = 100;
  EXPECT_THAT(ids_of(a), IsEmpty());
}

TEST(ForeignTraffic, FlushesOfFilesThatAreSyncedAtTheirCloseAreTheRunsOwn) {
  auto a = reader();
  a.set("block", "vda", "flush_ios", 90);
  a.set("block", "vda", "flush_time", 0.8);
  EXPECT_EQ(findings_of(a).size(), 1u);
  a.facts.jobs[0].files = 64;
  a.facts.jobs[0].syncs_on_close = true;
  EXPECT_THAT(ids_of(a), IsEmpty());
}

TEST(ForeignTraffic, FlushesOfAJournalThatDataFillAreTheRunsOwn) {
  auto a = audited();
  a.buffered();
  a.set("block", "vda", "flush_ios", 90);
  a.set("block", "vda", "flush_time", 0.8);
  EXPECT_EQ(findings_of(a).size(), 1u);
  a.facts.jobs[0].journals_data = true;
  EXPECT_THAT(ids_of(a), IsEmpty());
}

// FUSE charges what it hands to its server.
TEST(ReconcileUnresolvedTarget, TheProcessAccountIsAWitnessOfOverlaysAlone) {
  auto a = audited();
  a.facts.jobs[0].disks.clear();
  a.facts.jobs[0].unfollowed = "/mnt is fuse, which names no disk that it lies on";
  for (const auto charged : {100 << 20, 0}) {
    a.job().process_io.read_bytes = static_cast<std::uint64_t>(charged);
    EXPECT_EQ(a.audit().verdict, Verdict::no_witness);
    EXPECT_THAT(a.audit().line, HasSubstr("process - read"));
    EXPECT_THAT(of(a.audit(), "process", "read").cause, HasSubstr("/mnt is fuse"));
    EXPECT_THAT(ids_of(a), IsEmpty());
  }
  a.facts.jobs[0].overlaid = true;
  EXPECT_EQ(of(a.audit(), "process", "read").verdict, Verdict::no_witness)
      << "memory below, or a layer that charges nobody";
  a.job().process_io.read_bytes = 100 << 20;
  EXPECT_EQ(a.audit().verdict, Verdict::agrees) << "the layers of an overlay charge as any file does";
}

}  // namespace
}  // namespace fathom::audit::witnesses
