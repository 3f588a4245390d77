// What others did to the run's disks in any direction, and what is below a disk, with made-up counts: each is found,
// and its clean twin is silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/run_findings.h"
#include "audited_run.h"

namespace fathom::audit {
namespace {

using result::Verdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<result::Finding> findings_of(Audited& a) {
  a.run.audit = a.audit();
  std::vector<result::Finding> found;
  for (const auto& f : run_findings(a.run))
    if (f.id.starts_with("audit.")) found.push_back(f);
  return found;
}

std::vector<std::string> ids_of(Audited& a) {
  std::vector<std::string> ids;
  for (const auto& f : findings_of(a)) ids.push_back(f.id);
  return ids;
}

const result::ForeignIo* foreign(const result::Audit& audit, const std::string& direction) {
  for (const auto& io : audit.foreign)
    if (io.direction == direction) return &io;
  return nullptr;
}

// 100 MiB of direct reads of a file on vda in 2 s, and nothing else.
Audited reader() {
  auto a = audited();
  a.job().dirs[1] = {};
  a.job().process_io.write_bytes = 0;
  a.set("block", "vda", "write_sectors", 0);
  a.count("block", "vda", "read_sectors").window_s = 2;
  return a;
}

void neighbour(Audited& a, const char* who, const char* way, double bytes) {
  a.set("others", "all", std::string(way) + "_bytes", bytes);
  a.set("others", who, std::string(way) + "_bytes", bytes);
}

TEST(ForeignWay, AWriterBesideAReaderIsFoundWithAmountTimeAndName) {
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
  EXPECT_THAT(found[0].evidence, HasSubstr("which took 1.5 s together, within 2.0 s"));
}

TEST(ForeignWay, AReaderBesideAWriterIsFound) {
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

TEST(ForeignWay, TheRunsOwnJournalAndEarlierDirtyPagesAreNobodys) {
  auto a = reader();
  a.set("block", "vda", "write_sectors", kMiB_d);
  EXPECT_THAT(ids_of(a), IsEmpty()) << "less than a MiB is left over";
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
  a.set("block", "vda", "write_sectors", 40 * kMiB_d);
  EXPECT_THAT(ids_of(a), ElementsAre("audit.foreign_io"));
  a.set("memory", "page cache", "dirty_begin", 40 * kMiB_d);
  EXPECT_THAT(ids_of(a), IsEmpty());
}

TEST(ForeignWay, WhoCannotSeeEverybodysAccountCannotTellANeighbourFromEarlierWrites) {
  auto a = reader();
  a.set("block", "vda", "write_sectors", 40 * kMiB_d);
  a.set("memory", "page cache", "dirty_begin", 40 * kMiB_d);
  a.set("others", "unreadable", "processes", 80);
  const auto found = findings_of(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].evidence, HasSubstr("run fathom as root to have them named"));
  EXPECT_THAT(found[0].evidence, HasSubstr("may be earlier writes that waited in memory"));
}

TEST(ForeignWay, ALittleIsANoteAndChangesNoVerdict) {
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

TEST(ForeignWay, AFewBytesThatTookLongAreDisturbing) {
  auto a = reader();
  a.set("block", "vda", "write_sectors", kMiB_d);
  a.set("block", "vda", "write_ios", 256);
  a.set("block", "vda", "write_time", 1.9);
  EXPECT_EQ(a.audit().verdict, Verdict::explained);
}

TEST(ForeignWay, ASmallNeighbourOfALargeJobIsNamedByWhatHeHadOpen) {
  auto a = audited();
  a.job().dirs[0].moved_bytes = std::uint64_t{8} << 30;
  a.job().process_io.read_bytes = std::uint64_t{8} << 30;
  a.set("block", "vda", "read_sectors", 8192 * kMiB_d + 2 * kMiB_d);  // within a thousandth
  neighbour(a, "4711 dd", "read", 2 * kMiB_d);
  EXPECT_THAT(ids_of(a), IsEmpty()) << "he may have read anywhere";
  a.set("open", "4711 dd", "vda", 1);
  const auto found = findings_of(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].evidence, HasSubstr("others read 2.00 MiB from vda"));
  EXPECT_THAT(found[0].evidence, HasSubstr("4711 dd"));
}

TEST(ForeignWay, WhoHadTheDiskOpenIsNamedBeforeWhoWorkedElsewhere) {
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

TEST(ForeignWay, WhoHadNothingOpenThereIsNotAccused) {
  auto a = reader();
  a.set("block", "vda", "write_sectors", 60 * kMiB_d);
  a.set("others", "all", "write_bytes", 120 * kMiB_d);
  a.set("others", "99 cc1plus", "write_bytes", 100 * kMiB_d);
  a.set("others", "4711 dd", "write_bytes", 20 * kMiB_d);
  a.set("open", "4711 dd", "vda", 1);
  for (const char* who : {"99 cc1plus", "4711 dd"}) a.set("descriptors", who, "looked", 1);
  EXPECT_EQ(foreign(a.audit(), "write")->who,
            "4711 dd 20.0 MiB; for the rest nobody who had it open is known (writing somewhere meanwhile: 99 cc1plus "
            "100 MiB)");
  a.set("memory", "page cache", "dirty_begin", 40 * kMiB_d);  // he was not charged for these
  EXPECT_NEAR(foreign(a.audit(), "write")->bytes, 20 * kMiB_d, kMiB_d);
  a.set("open", "4711 dd", "vda", 0);
  std::erase_if(a.counts, [](const auto& count) { return count.source == "open"; });
  a.set("memory", "page cache", "dirty_begin", 0);
  EXPECT_THAT(foreign(a.audit(), "write")->who, ::testing::StartsWith("nobody who had it open is known (writing"));
  std::erase_if(a.counts, [](const auto& count) { return count.source == "descriptors"; });
  EXPECT_THAT(foreign(a.audit(), "write")->who, ::testing::StartsWith("99 cc1plus 100 MiB, 4711 dd"));
}

TEST(ForeignWay, InTheJobsOwnDirectionNobodyIsAccusedEither) {
  auto a = audited();
  a.set("block", "vda", "write_sectors", 110 * kMiB_d);
  neighbour(a, "99 cc1plus", "write", 100 * kMiB_d);
  a.set("descriptors", "99 cc1plus", "looked", 1);
  const auto w = of(a.audit(), "block", "write");
  EXPECT_EQ(w.diagnosis, "foreign_io");
  for (const auto& term : w.explained) EXPECT_THAT(term.how, Not(::testing::StartsWith("99 cc1plus"))) << term.name;
  EXPECT_THAT(foreign(a.audit(), "write")->who, ::testing::StartsWith("nobody who had it open is known"));
}

TEST(ForeignWay, WhoIsOutOfSightCouldNotBeAsked) {
  auto a = reader();
  a.set("block", "vda", "discard_sectors", 64 * kMiB_d);
  a.set("block", "vda", "flush_ios", 200);
  a.set("block", "vda", "flush_time", 0.8);
  a.set("others", "hidden", "hidepid", 1);
  for (const char* kind : {"discard", "flush"}) {
    ASSERT_NE(foreign(a.audit(), kind), nullptr);
    EXPECT_THAT(foreign(a.audit(), kind)->who, ::testing::StartsWith("by whom could not be asked: /proc hides"));
  }
  std::erase_if(a.counts, [](const auto& count) { return count.source == "others"; });
  EXPECT_EQ(foreign(a.audit(), "discard")->who, "by whom could not be asked");
}

TEST(ForeignWay, DiscardsAreNamedByWhoHasTheDiskOpenAndOwnTrimsAreNot) {
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

TEST(ForeignWay, WhoTrimsAMountedFileSystemIsNamed) {
  auto a = reader();
  a.set("block", "vda", "discard_sectors", 64 * kMiB_d);
  a.set("mount_point", "4711 fstrim", "vda", 1);
  EXPECT_EQ(foreign(a.audit(), "discard")->who, "4711 fstrim has the folder open where it is mounted");
}

TEST(ForeignWay, WhatAMountWithDiscardGivesBackIsANote) {
  auto a = audited();
  a.set("block", "vda", "discard_sectors", 96 * kMiB_d);
  EXPECT_EQ(findings_of(a).at(0).severity, result::Severity::warning);
  a.facts.discarding = {"vda"};
  auto found = findings_of(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, result::Severity::note);
  EXPECT_THAT(found[0].evidence, HasSubstr("others or the file system itself discarded 96.0 MiB"));
  EXPECT_THAT(found[0].evidence, HasSubstr("mounted with discard"));
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
  a.count("open", "4711 blkdiscard", "vda").direction = "write";
  EXPECT_EQ(findings_of(a).at(0).severity, result::Severity::warning);
  a.facts.jobs[0].deletes_files = true;  // its own files
  a.facts.jobs[0].range_bytes = 96 * kMiB_d;
  EXPECT_THAT(ids_of(a), IsEmpty());
}

TEST(Overlay, ADiskThatMayBeTheWrongOneDoesNotDisagree) {
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

TEST(FileSystem, OnSeveralDisksMayWriteCopies) {
  auto a = audited();
  a.facts.jobs[0].disks = {"vda", "vdb"};
  a.set("block", "vdb", "read_sectors", 0);
  a.set("block", "vdb", "write_sectors", 50 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "mirror");
  EXPECT_THAT(a.audit().foreign, IsEmpty());
}

TEST(ForeignWay, DiscardsThatTookNoTimeDisturbNobody) {
  auto a = reader();
  a.set("block", "vda", "discard_sectors", 4096 * kMiB_d);
  a.set("block", "vda", "discard_ios", 2);
  a.set("block", "vda", "discard_time", 0.001);
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
  EXPECT_EQ(findings_of(a).at(0).severity, result::Severity::note);
}

TEST(ForeignWay, FlushesBeyondTheRunsOwnAreFound) {
  auto a = reader();
  a.set("block", "vda", "flush_ios", 200);
  a.set("block", "vda", "flush_time", 0.8);
  const auto found = findings_of(a);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].evidence, HasSubstr("others flushed vda 19"));
  a.job().sync_ios = 100;
  EXPECT_THAT(ids_of(a), IsEmpty());
}

// A job on a loop device whose file lies on vda.
Audited on_loop(bool cached) {
  auto a = reader();
  a.facts.jobs[0].disks = {"loop0"};
  a.facts.layers = {{"loop0", "loop", {"vda"}, "/images/f", cached, 0, 0}};
  a.set("block", "loop0", "read_sectors", 100 * kMiB_d);
  a.set("block", "loop0", "write_sectors", 0);
  return a;
}

TEST(Below, ALoopDevicesDiskIsHeldAgainstIt) {
  auto a = on_loop(false);
  EXPECT_EQ(of(a.audit(), "below", "read").verdict, Verdict::agrees);
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
  EXPECT_THAT(a.audit().line, HasSubstr("block loop0 +0.00 %; below vda +0.00 %"));
  EXPECT_THAT(ids_of(a), IsEmpty());
}

TEST(Below, ACachedFileThatNoDiskReadIsFound) {
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

TEST(Below, TheKernelsThreadsThatServeALoopDeviceAreNobodyElse) {
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

TEST(Below, AWriterOnTheLowerDiskIsFound) {
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

TEST(Below, TheJournalUnderALoopDevicesFileIsTheRunsOwn) {
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

TEST(Below, NewBlocksOfASparseFileCostMetadata) {
  auto a = writer_on_loop(0);
  a.set("block", "vda", "write_sectors", 80 * kMiB_d);
  ASSERT_NE(foreign(a.audit(), "write"), nullptr) << "its file had all blocks";
  a.facts.layers[0].sparse_bytes = 64 * kMiB_d;
  const auto audit = a.audit();
  EXPECT_EQ(of(audit, "below", "write").diagnosis, "metadata");
  EXPECT_THAT(of(audit, "below", "write").explained.at(0).how, HasSubstr("had no blocks for"));
  EXPECT_THAT(audit.foreign, IsEmpty());
}

TEST(Below, TheJournalOfADeviceThatIsOnlyReadIsItsFlushes) {
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

TEST(Below, AJobsOwnDiskThatCarriesALoopDeviceServesBoth) {
  auto a = on_both(false);
  const auto audit = a.audit();
  std::vector<std::string> diagnoses;
  for (const auto& w : audit.witnesses)
    if (w.subject == "vda" && w.direction == "read") diagnoses.push_back(w.source + " " + w.diagnosis);
  EXPECT_THAT(diagnoses, ElementsAre("block passed_down", "below "));
  EXPECT_THAT(audit.foreign, IsEmpty());
  EXPECT_THAT(ids_of(a), IsEmpty());
}

TEST(Below, AJobOnTheLowerDiskHidesNoCacheHits) {
  auto a = on_both(true);
  a.set("block", "vda", "read_sectors", 100 * kMiB_d);  // all of them job 1's
  const auto audit = a.audit();
  const auto w = of(audit, "below", "read");
  EXPECT_EQ(w.diagnosis, "page_cache");
  EXPECT_THAT(w.cause, HasSubstr("100 MiB"));
  EXPECT_THAT(audit.foreign, IsEmpty());
  EXPECT_THAT(ids_of(a), ElementsAre("audit.below"));
}

TEST(Below, TwoLoopDevicesOnOneDiskAreJudgedTogether) {
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

TEST(Below, WhatLiesOnOtherDisksAsWellMayBeHere) {
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

TEST(Members, ASurplusThatNobodyWasChargedForIsNotKnown) {
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

TEST(Members, MetadataThatAStackReadsIsNotKnown) {
  auto a = on_stack(50 * kMiB_d);
  a.job().dirs[0] = audited().job().dirs[0];
  a.job().process_io.read_bytes = 100 << 20;
  a.set("block", "md0", "read_sectors", 100 * kMiB_d);
  a.set("block", "vda", "read_sectors", 120 * kMiB_d);
  a.set("block", "vdb", "read_sectors", 0);
  EXPECT_EQ(of(a.audit(), "members", "read").diagnosis, "not_known");
  EXPECT_EQ(foreign(a.audit(), "read"), nullptr);
}

TEST(Below, ALowerDiskThatVanishedIsNoWitness) {
  auto a = on_loop(false);
  a.count("block", "vda", "read_sectors").lost_at_s = 1;
  EXPECT_EQ(of(a.audit(), "below", "read").verdict, Verdict::no_witness);
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
}

TEST(Unfollowed, TheProcessStandsWhereNoDiskIsInSight) {
  auto a = audited();
  a.facts.jobs[0].disks.clear();
  a.facts.jobs[0].unfollowed = "/ is overlay, and none of its layers is in sight here";
  EXPECT_EQ(a.audit().verdict, Verdict::agrees);
  EXPECT_THAT(a.audit().line, HasSubstr("process +0.00 % read"));
  a.job().process_io.read_bytes = 0;  // memory below, or a file system that charges nobody: not known
  const auto w = of(a.audit(), "process", "read");
  EXPECT_EQ(w.verdict, Verdict::no_witness);
  EXPECT_THAT(w.cause, HasSubstr("/ is overlay"));
  EXPECT_THAT(ids_of(a), IsEmpty());
}

}  // namespace
}  // namespace fathom::audit
