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

TEST(Below, AJobsOwnDiskThatCarriesALoopDeviceServesBoth) {
  auto a = on_loop(false);
  auto other = a.job();
  other.job_number = 1;
  a.run.jobs.push_back(other);
  a.facts.jobs.push_back(a.facts.jobs[0]);
  a.facts.jobs[1].job_number = 1;
  a.facts.jobs[1].disks = {"vda"};
  a.set("block", "vda", "read_sectors", 200 * kMiB_d);
  for (const auto& w : a.audit().witnesses)
    if (w.source == "block" && w.subject == "vda") {
      EXPECT_EQ(w.diagnosis, "passed_down");
    }
  EXPECT_THAT(a.audit().foreign, IsEmpty());
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
