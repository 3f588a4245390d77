// bwavgtime, iopsavgtime: rates over windows that a look closes.
#include "run/sampling/windows.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/system/shared_memory.h"
#include "job/fields/report_as.h"
#include "run/entry_windows.h"

namespace fathom::run::sampling {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

TEST(Windows, ALookAfterTheWindowsTimeClosesIt) {
  Windows windows(100 * kMs);
  windows.look({5, 0, 0}, 50 * kMs, 1);  // not begun
  EXPECT_EQ(windows.next_ns(), ~0ull);
  windows.begin(1000 * kMs);
  EXPECT_EQ(windows.next_ns(), 1100 * kMs);
  windows.look({10, 0, 0}, 1050 * kMs, 1);
  EXPECT_EQ(windows.samples(0).n, 0u);
  windows.look({100, 0, 0}, 1100 * kMs, 1);
  windows.look({400, 50, 0}, 1300 * kMs, 1);  // late: one window of 200 ms
  EXPECT_EQ(windows.next_ns(), 1400 * kMs);
  const auto reads = windows.samples(0), writes = windows.samples(1);
  EXPECT_EQ(reads.n, 2u);
  EXPECT_DOUBLE_EQ(reads.min, 1000);
  EXPECT_DOUBLE_EQ(reads.max, 1500);
  EXPECT_DOUBLE_EQ(writes.mean, 125);
}

TEST(Windows, AWindowMayCloseAMillisecondEarly) {
  Windows windows(100 * kMs);
  windows.begin(1000 * kMs);
  windows.look({100, 0, 0}, 1098 * kMs, 1);
  EXPECT_EQ(windows.samples(0).n, 0u);
  windows.look({100, 0, 0}, 1099 * kMs, 1);
  EXPECT_EQ(windows.samples(0).n, 1u);
}

class EntryWindowsTest : public testing::Test {
 protected:
  EntryWindowsTest() : records_(2), plans_(2), members_(2) {
    for (std::size_t i = 0; i < 2; ++i) {
      plans_[i].job.own.get<job::fields::ReportAs>().bw_window_ms = 100;
      members_[i].plan = &plans_[i];
      members_[i].record = &records_[i];
      members_[i].started = true;
    }
  }
  void measure(std::size_t i, std::uint64_t start_ns, std::uint64_t bytes) {
    records_[i].start_ns = start_ns;
    records_[i].set_phase(records::Phase::running);
    records_[i].measured.done.bytes[0].add(bytes);
  }
  result::Job job() const {
    result::Job job;
    job.dirs[0].ios = 1;
    job.dirs[0].iops = {1, 2, 3, 4, 5};
    return job;
  }
  base::system::SharedArray<records::WorkerRecord> records_;
  std::vector<files::Plan> plans_;
  std::vector<Worker> members_;
};

TEST_F(EntryWindowsTest, JobsReportedAsOneAreSampledTogether) {
  EntryWindows windows(members_, {0, 0});
  windows.look(members_, 1000 * kMs);
  EXPECT_LT(windows.next_ns(), 1100 * kMs) << "they will be measured soon";
  measure(0, 1000 * kMs, 1024 * 100), measure(1, 1010 * kMs, 1024 * 300);
  windows.look(members_, 1100 * kMs);
  EXPECT_EQ(windows.next_ns(), 1200 * kMs);
  auto sum = job();
  windows.put_into(0, sum);
  EXPECT_EQ(sum.dirs[0].bw_kib_s.n, 1u);
  EXPECT_DOUBLE_EQ(sum.dirs[0].bw_kib_s.mean, 4000);
  EXPECT_EQ(sum.dirs[0].iops.n, 5u) << "of 500 ms, as nothing else was asked";
  for (auto& m : members_) m.ended = true;
  windows.look(members_, 1150 * kMs);
  EXPECT_EQ(windows.next_ns(), ~0ull);
}

TEST_F(EntryWindowsTest, AnEntryWithDefaultWindowsTakesNoSamples) {
  for (auto& plan : plans_) plan.job.own.get<job::fields::ReportAs>().bw_window_ms = 500;
  EntryWindows windows(members_, {0, 1});
  measure(0, 1000 * kMs, 5);
  windows.look(members_, 1700 * kMs);
  EXPECT_EQ(windows.next_ns(), ~0ull);
  auto alone = job();
  windows.put_into(0, alone);
  EXPECT_EQ(alone.dirs[0].bw_kib_s.n, 0u);
}

}  // namespace
}  // namespace fathom::run::sampling
