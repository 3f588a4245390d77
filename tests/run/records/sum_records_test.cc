// The record of a job of several loops is the sum of theirs.
#include "run/records/sum_records.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

namespace fathom::run::records {
namespace {

std::unique_ptr<WorkerRecord> record(std::uint64_t ios, std::uint64_t clat_ns) {
  auto r = std::make_unique<WorkerRecord>();
  r->measured.done.ios[0].add(ios);
  r->measured.done.bytes[0].add(ios * 4096);
  r->measured.alone = ios;
  auto& d = r->measured.dirs[0];
  d.clat.add_many(d.clat_counts, clat_ns, ios);
  r->start_ns = 1000 + ios;
  r->elapsed_ns = ios * 10;
  r->flying_ns = ios * 9;
  r->ramp_ios[0] = 1;
  r->work_done = true;
  return r;
}

TEST(SumRecords, CountsOfSeveralLoopsAreAdded) {
  const auto a = record(10, 100), b = record(30, 500);
  const std::vector<const WorkerRecord*> parts{a.get(), b.get()};
  auto sum = std::make_unique<WorkerRecord>();
  publish_counts(*sum, parts);
  publish_counts(*sum, parts);
  EXPECT_EQ(sum->measured.done.ios[0].get(), 40u) << "set, not added";
  EXPECT_EQ(sum->start_ns.load(), 1010u) << "the first";
  EXPECT_EQ(sum->measured.dirs[0].clat.moments.n, 0u) << "not while they run";
  sum_records(*sum, parts);
  EXPECT_EQ(sum->measured.done.ios[0].get(), 40u);
  EXPECT_EQ(sum->measured.done.bytes[0].get(), 40u * 4096);
  EXPECT_EQ(sum->measured.alone, 40u);
  EXPECT_EQ(sum->measured.dirs[0].clat.moments.n, 40u);
  EXPECT_EQ(sum->measured.dirs[0].clat.moments.sum, 10u * 100 + 30 * 500);
  EXPECT_EQ(sum->measured.dirs[0].clat.moments.min(), 100u);
  EXPECT_EQ(stats::Histogram(sum->measured.dirs[0].clat_counts).total(), 40u);
  EXPECT_EQ(sum->elapsed_ns, 300u);
  EXPECT_EQ(sum->flying_ns.load(), 270u);
  EXPECT_EQ(sum->ramp_ios[0], 2u);
  EXPECT_TRUE(sum->work_done);
}

TEST(SumRecords, ErrorsAndNotesOfAllLoopsAreKept) {
  const auto a = record(1, 1), b = record(1, 1);
  for (int i = 0; i < 3; ++i) a->add_io_error(5, true, {});
  for (int i = 0; i < 20; ++i) b->add_io_error(28, false, {});
  std::strcpy(a->note[0], "no registered buffers");
  std::strcpy(b->note[0], "no registered buffers");
  b->work_done = false;
  auto sum = std::make_unique<WorkerRecord>();
  const std::vector<const WorkerRecord*> parts{a.get(), b.get()};
  sum_records(*sum, parts);
  EXPECT_EQ(sum->error, 28) << "the first that ended one";
  EXPECT_EQ(sum->error_count, 23u);
  EXPECT_EQ(sum->io_errors, 23u);
  EXPECT_EQ(sum->first_io_error, 5);
  EXPECT_EQ(sum->errors[2].err, 5);
  EXPECT_EQ(sum->errors[3].err, 28);
  EXPECT_EQ(sum->errors[15].err, 28);
  EXPECT_STREQ(sum->note[0], "no registered buffers");
  EXPECT_EQ(sum->note[1][0], 0) << "said once";
  EXPECT_FALSE(sum->work_done);
}

}  // namespace
}  // namespace fathom::run::records
