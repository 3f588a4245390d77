// How much memory can have served is measured before the run: what exceeds it is missing, and what was never there is
// said to be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/run_findings.h"
#include "audited_run.h"
#include "foreign_run.h"

namespace fathom::audit {
namespace {

using result::Verdict;
using ::testing::HasSubstr;

// A buffered job that visits 100 MiB once, of which so much was in memory (or dirty).
Audited cached(double before_bytes) {
  auto a = audited();
  a.buffered();
  auto& reach = a.facts.jobs[0];
  reach.cache_known = true;
  reach.visit_bytes = 100 * kMiB_d;
  reach.cached_bytes = reach.dirty_bytes = before_bytes;
  return a;
}

void only(Audited& a, int dir, std::uint64_t bytes) {
  for (auto& d : a.job().dirs) d.moved_bytes = 0;
  a.job().dirs[static_cast<std::size_t>(dir)].moved_bytes = bytes;
}

void charged(Audited& a, const char* way, double bytes) {
  (way == std::string("read") ? a.job().process_io.read_bytes : a.job().process_io.write_bytes) =
      static_cast<std::uint64_t>(bytes);
  a.set("block", "vda", way + std::string("_sectors"), bytes);
}

TEST(ReconcileCacheBounds, CacheHitsAreBoundedByCachedBytes) {
  auto a = cached(60 * kMiB_d);
  only(a, 0, 100 << 20);
  charged(a, "read", 40 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "page_cache");
  charged(a, "read", 30 * kMiB_d);
  const auto w = of(a.audit(), "process", "read");
  EXPECT_EQ(w.verdict, Verdict::disagrees);
  EXPECT_EQ(w.diagnosis, "missing_io");
  EXPECT_THAT(w.cause, HasSubstr("at most 60.0 MiB of 100 MiB"));
  EXPECT_EQ(of(a.audit(), "block", "read").verdict, Verdict::disagrees);
}

TEST(ReconcileCacheBounds, RewritesAreBoundedByDirtyBytes) {
  auto a = cached(90e3);
  only(a, 1, 100 << 20);
  charged(a, "write", 0);
  EXPECT_EQ(of(a.audit(), "process", "write").diagnosis, "missing_io");
  a.facts.jobs[0].dirty_bytes = 100 * kMiB_d;
  EXPECT_EQ(of(a.audit(), "process", "write").diagnosis, "page_cache");
}

TEST(ReconcileCacheBounds, ASecondPassMayHitWhatTheFirstRead) {
  auto a = cached(0);
  only(a, 0, 300 << 20);
  charged(a, "read", 100 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "page_cache");
  charged(a, "read", 90 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "missing_io");
}

TEST(ReconcileCacheBounds, ReadsAndWritesOfAMixShareOnePass) {
  auto a = cached(0);
  a.facts.jobs[0].mixed = true;
  a.job().dirs[0].moved_bytes = a.job().dirs[1].moved_bytes = 50 << 20;
  a.job().process_io.read_bytes = 50 << 20;
  a.job().process_io.write_bytes = 50 << 20;
  EXPECT_EQ(of(a.audit(), "process", "write").verdict, Verdict::agrees);
  a.job().process_io.write_bytes = 20 << 20;
  EXPECT_EQ(of(a.audit(), "process", "write").diagnosis, "missing_io");
}

TEST(ReconcileCacheBounds, ForeignReadsRaiseTheCacheBound) {
  auto a = cached(0);
  only(a, 0, 100 << 20);
  charged(a, "read", 20 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "missing_io");
  a.set("block", "vda", "read_sectors", 120 * kMiB_d);  // a neighbour that reads the same file
  EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "page_cache");
}

TEST(ReconcileCacheBounds, ForeignWritesRaiseTheDirtyBoundUnlessTheyHadNothingOpenThere) {
  auto a = cached(0);
  only(a, 1, 16 << 20);
  charged(a, "write", 0);
  EXPECT_EQ(of(a.audit(), "process", "write").diagnosis, "missing_io");
  neighbour(a, "4711 cp", "write", 16 * kMiB_d);
  const auto w = of(a.audit(), "process", "write");
  EXPECT_EQ(w.diagnosis, "page_cache");
  EXPECT_THAT(w.cause, HasSubstr("or other processes wrote them first"));
  a.set("descriptors", "4711 cp", "looked", 1);
  EXPECT_EQ(of(a.audit(), "process", "write").diagnosis, "missing_io");
  a.set("open", "4711 cp", "vda", 1);
  EXPECT_EQ(of(a.audit(), "process", "write").diagnosis, "page_cache");
}

TEST(ReconcileCacheBounds, UnknownCacheSizesBoundNothing) {
  for (int kind = 0; kind < 3; ++kind) {
    auto a = cached(0);
    only(a, 0, 100 << 20);
    charged(a, "read", 0);
    EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "missing_io");
    if (kind == 0) a.facts.jobs[0].cache_known = false;
    if (kind == 1) a.facts.jobs[0].visit_bytes = 0;
    if (kind == 2) {  // a clone reads the same file
      auto job = a.job();
      job.job_number = 1;
      a.run.jobs.push_back(job);
      a.facts.jobs[0].files_group = 0;
      a.facts.jobs.push_back(a.facts.jobs[0]);
      a.facts.jobs[1].job_number = 1;
    }
    EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "page_cache") << kind;
  }
}

TEST(ReconcileCacheBounds, PendingWritesAreBoundedByDirtyBytesAtTheEnd) {
  auto a = cached(0);
  only(a, 1, 100 << 20);
  a.job().process_io.write_bytes = 100 << 20;
  a.set("block", "vda", "write_sectors", 0);
  a.set("memory", "page cache", "dirty_end", 99 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "write_back");
  a.set("memory", "page cache", "dirty_end", 10 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "missing_io");
  a.job().process_io.cancelled_write_bytes = 90 << 20;  // its file was truncated
  EXPECT_EQ(of(a.audit(), "block", "write").diagnosis, "write_back");
}

TEST(ReconcileUnwrittenBlocks, ReadsOfHolesAndReservedBlocksAreFindings) {
  for (const bool direct : {true, false}) {
    auto a = direct ? audited() : cached(0);
    only(a, 0, 100 << 20);
    charged(a, "read", 0);
    a.facts.jobs[0].range_bytes = 100 * kMiB_d;
    a.facts.jobs[0].sparse_bytes = 30 * kMiB_d;
    a.facts.jobs[0].reserved_bytes = 70 * kMiB_d;
    a.run.audit = a.audit();
    EXPECT_EQ(of(*a.run.audit, "process", "read").verdict, Verdict::explained);
    std::vector<std::string> ids;
    for (const auto& f : run_findings(a.run))
      if (f.id == "audit.holes" || f.id == "audit.unwritten") ids.push_back(f.id + " " + f.evidence.substr(0, 60));
    EXPECT_THAT(ids, ::testing::ElementsAre(HasSubstr("holes"),
                                            HasSubstr("unwritten no device was measured: 68.9 MiB of 100 MiB")));
    a.facts.jobs[0].reserved_bytes = 60 * kMiB_d;
    EXPECT_EQ(of(a.audit(), "process", "read").diagnosis, "missing_io");
  }
}

TEST(ReconcileSmallJob, AFewBlocksAreTooShortToJudgeUnlessExact) {
  auto a = audited();
  only(a, 0, 4096);
  charged(a, "read", 4096 * 7);
  const auto audit = a.audit();
  EXPECT_EQ(audit.verdict, Verdict::too_short);
  EXPECT_THAT(audit.line, HasSubstr("too short to judge: 4.00 KiB read; block vda +600 % (too short to judge)"));
  charged(a, "read", 4096);
  EXPECT_EQ(a.audit().verdict, Verdict::agrees) << "to the byte is to the byte";
}

TEST(ReconcileHiddenProcesses, ProcessesOutOfSightPreventAUnitErrorDiagnosis) {
  auto a = audited();
  a.set("block", "vda", "read_sectors", 1600 * kMiB_d);
  EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "unit_error_16");
  for (const char* by : {"hidepid", "pid_namespace"}) {
    a.set("others", "hidden", by, 1);
    const auto w = of(a.audit(), "block", "read");
    EXPECT_EQ(w.diagnosis, "foreign_io") << by;
    EXPECT_THAT(w.cause, HasSubstr("could not be examined"));
    EXPECT_THAT(w.explained.back().how, HasSubstr("that could be examined"));
    a.job().process_io.readable = false;
    EXPECT_EQ(of(a.audit(), "block", "read").diagnosis, "foreign_io") << "without the workers' account, too";
    a.job().process_io.readable = true;
  }
}

}  // namespace
}  // namespace fathom::audit
