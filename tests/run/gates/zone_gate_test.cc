// The gate of zonemode=zbd without an engine: two jobs that share emulated zones, the way of a sequential job, and what
// is undone when an admitted I/O is not issued.
#include "run/gates/zone_gate.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "job/fields/offset_choice.h"

namespace fathom::run::gates {
namespace {

constexpr std::uint64_t k = 1024, kZone = 64 * k;

job::Job job_of(const std::string& rw, std::uint32_t bs) {
  job::Job job;
  job.name = "z";
  job.ioengine = "io_uring";
  job.rw_name = rw;
  job.mode.reads = rw.find("read") != std::string::npos || rw.find("rw") != std::string::npos;
  job.mode.writes = rw.find("write") != std::string::npos || rw.find("rw") != std::string::npos;
  job.mode.random = rw.starts_with("rand");
  job.norandommap = job.mode.random;
  job.bs_min = job.bs_max = job.blockalign = {bs, bs, bs};
  auto& zones = job.own.get<job::fields::ZonedDevice>();
  zones.used = true;
  zones.zone_bytes = kZone;
  return job;
}

// A job on a file of 8 zones: asks for requests and admits them, as the loop does.
struct Member {
  Member(ZoneTables& tables, std::size_t number, job::Job of)
      : plan{std::move(of), {}, 1, false, {}, nullptr}, record(std::make_unique<records::WorkerRecord>()) {
    files::PlannedTarget target;
    target.path = "file";
    target.kind = io::TargetKind::regular;
    target.length = target.size_now = 8 * kZone;
    plan.targets.push_back(target);
    const auto ok = tables.prepare(plan, number);
    EXPECT_TRUE(ok.ok()) << (ok.ok() ? "" : ok.error().what);
    targets.push_back({"file", io::TargetKind::regular, -1, 8 * kZone, plan.targets[0].start, plan.targets[0].length});
    stream = std::make_unique<workload::Stream>(plan.job, targets, static_cast<std::uint32_t>(number));
    gate.emplace(ZoneGateParts{*tables.of(number), plan.job, targets, *stream, *record, {}});
    draws.emplace(*stream, *stream, *gate);
  }
  // Empty: the pass is over, or the job has to wait.
  std::optional<io::Request> next() {
    for (;;) {
      io::Request request;
      if (pending) request = *pending;
      if (!pending && draws->next({&request, 1}) == 0) return std::nullopt;
      pending.reset();
      const auto admission = gate->enter(request);
      if (admission == Admission::go) return request;
      if (admission == Admission::wait) {
        pending = request;
        return std::nullopt;
      }
      EXPECT_EQ(admission, Admission::skip);
    }
  }

  files::Plan plan;
  std::vector<io::Target> targets;
  std::unique_ptr<records::WorkerRecord> record;
  std::unique_ptr<workload::Stream> stream;
  std::optional<ZoneGate> gate;
  std::optional<ZoneDraws> draws;
  std::optional<io::Request> pending;
};

TEST(ZoneGate, ASequentialJobFollowsItsWrites) {
  ZoneTables tables;
  auto job = job_of("write", 24 * k);
  job.own.get<job::fields::ZonedDevice>().write_remainder = true;
  Member one(tables, 0, std::move(job));
  std::vector<std::uint64_t> lengths;
  std::uint64_t end = 0;
  while (const auto request = one.next()) {
    EXPECT_EQ(request->offset, end);
    end = request->offset + request->length;
    lengths.push_back(request->length / k);
    one.gate->ended(*request, 0);
  }
  EXPECT_EQ(end, 8 * kZone - 16 * k) << "no whole block fits the end of the file";
  EXPECT_EQ((std::vector(lengths.begin(), lengths.begin() + 4)), (std::vector<std::uint64_t>{24, 24, 16, 24}));
}

// The write pointers as the two jobs should move them; a full zone is reset by the next write there.
struct Pointers {
  std::map<std::uint64_t, std::uint64_t> wp;
  void wrote(const io::Request& request) {
    const std::uint64_t zone = request.offset / kZone;
    std::uint64_t& at = wp.try_emplace(zone, zone * kZone).first->second;
    if (at == (zone + 1) * kZone) at = zone * kZone;
    EXPECT_EQ(request.offset, at);
    at += request.length;
  }
};

TEST(ZoneGate, TwoJobsNeverWriteToOnePlace) {
  ZoneTables tables;
  Member one(tables, 0, job_of("randwrite", 8 * k)), two(tables, 1, job_of("randwrite", 8 * k));
  Pointers pointers;
  std::vector<io::Request> flying;  // of the first job, up to three
  int issued = 0, waited = 0;
  for (int turn = 0; turn < 50; ++turn) {
    if (const auto request = one.next()) {
      pointers.wrote(*request);
      flying.push_back(*request);
      ++issued;
    }
    if (flying.size() == 3 || one.pending) {
      for (const auto& done : flying) one.gate->ended(done, 0);
      flying.clear();
      one.gate->wait();
    }
    if (const auto request = two.next()) {
      pointers.wrote(*request);
      for (const auto& other : flying) EXPECT_NE(other.offset / kZone, request->offset / kZone) << "one job per zone";
      two.gate->ended(*request, 0);
      ++issued;
    } else {
      waited += two.pending ? 1 : 0;
    }
  }
  EXPECT_GT(issued, 30);
  EXPECT_GT(waited, 0) << "the second job meets zones of the first";
}

TEST(ZoneGate, AnAdmittedWriteThatIsNotIssuedIsUndone) {
  ZoneTables tables;
  Member one(tables, 0, job_of("write", 8 * k));
  const auto first = one.next();
  one.gate->ended(*first, 0);
  ASSERT_TRUE(one.next());
  one.gate->leave();
  Member two(tables, 1, job_of("write", 8 * k));
  const auto request = two.next();
  ASSERT_TRUE(request);
  EXPECT_EQ(request->offset, 8 * k);
}

TEST(ZoneGate, TheZonesOfADeadJobAreFree) {
  ZoneTables tables;
  Member one(tables, 0, job_of("write", 8 * k)), two(tables, 1, job_of("write", 8 * k));
  ASSERT_TRUE(one.next());
  EXPECT_FALSE(two.next());
  tables.leave(0);
  EXPECT_TRUE(two.next());
}

TEST(ZoneGate, ASynchronousWriteThatFailedIsRepeatedAtItsPlace) {
  ZoneTables tables;
  auto job = job_of("write", 8 * k);
  job.ioengine = "psync";
  Member one(tables, 0, std::move(job));
  const auto first = one.next();
  one.gate->ended(*first, EIO);
  const auto second = one.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->offset, 0u) << "the write pointer did not move";
}

TEST(ZoneGate, AJobThatReadsEmptyZonesEnds) {
  for (const auto* rw : {"read", "randread"}) {
    ZoneTables tables;
    Member one(tables, 0, job_of(rw, 8 * k));
    EXPECT_FALSE(one.next());
    EXPECT_FALSE(one.pending) << "it does not wait";
  }
}

TEST(ZoneGate, MixedJobsBeginWithAWrite) {
  for (const auto* rw : {"randrw", "rw"}) {
    ZoneTables tables;
    Member one(tables, 0, job_of(rw, 8 * k));
    const auto first = one.next();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->dir, io::Dir::write);
  }
}

// The limits are those of the table, and the errors have fio's words.
TEST(ZoneTables, RefusesWhatDoesNotFit) {
  const auto error = [](job::Job job, std::uint64_t bytes) {
    ZoneTables tables;
    files::Plan plan{std::move(job), {}, 1, false, {}, nullptr};
    files::PlannedTarget target;
    target.path = "file";
    target.kind = io::TargetKind::regular;
    target.length = target.size_now = bytes;
    plan.targets.push_back(target);
    const auto ok = tables.prepare(plan, 0);
    return ok.ok() ? std::string() : ok.error().what;
  };
  auto job = job_of("write", 4 * k);
  EXPECT_EQ(error(job, 8 * kZone), "");
  EXPECT_NE(error(job, kZone / 2).find("is smaller than zone size 65536"), std::string::npos);
  job.own.get<job::fields::ZonedDevice>().capacity_bytes = 2 * kZone;
  EXPECT_NE(error(job, 8 * kZone).find("is larger than zone size"), std::string::npos);
  job = job_of("write", 4 * k);
  job.own.get<job::fields::ZonedDevice>().job_max_open_zones = 2;
  EXPECT_NE(error(job, 8 * kZone).find("without a global open zones limit"), std::string::npos);
}

}  // namespace
}  // namespace fathom::run::gates
