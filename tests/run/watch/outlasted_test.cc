// Whose time is over by CLOCK_MONOTONIC.
#include "run/watch/outlasted.h"

#include <gtest/gtest.h>

#include "base/system/shared_memory.h"

namespace fathom::run {
namespace {

constexpr std::uint64_t kStart_ns = 5'000'000'000, kSecond_ns = 1'000'000'000;

TEST(Outlasted, IsALoopWhoseTimeIsOverByClockMonotonic) {
  base::system::SharedArray<records::WorkerRecord> records(1);
  auto& record = records[0];
  job::Job job;
  job.runtime_ns = 2 * kSecond_ns;
  job.ramp_ns = 3 * kSecond_ns;
  const auto after = [&](std::uint64_t seconds) {
    return watch::outlasted(job, record, kStart_ns + seconds * kSecond_ns + 1);
  };
  record.start_ns.store(kStart_ns);
  for (const auto phase : {records::Phase::idle, records::Phase::setup, records::Phase::ready, records::Phase::done}) {
    record.set_phase(phase);
    EXPECT_FALSE(after(100));
  }
  record.set_phase(records::Phase::running);
  EXPECT_FALSE(after(1));
  EXPECT_TRUE(after(2));
  record.set_phase(records::Phase::ramp);
  EXPECT_FALSE(after(4)) << "the measured part is still to come";
  EXPECT_TRUE(after(5));
  record.set_phase(records::Phase::running);
  record.flying_ns.store(1);
  EXPECT_FALSE(after(100)) << "its loop has ended: end_fsync may take as long as it likes";
  record.flying_ns.store(0);
  job.runtime_ns = 0;
  EXPECT_FALSE(after(100)) << "its work ends it";
  job.runtime_ns = kSecond_ns;
  record.start_ns.store(0);
  EXPECT_FALSE(after(100));
}

}  // namespace
}  // namespace fathom::run
