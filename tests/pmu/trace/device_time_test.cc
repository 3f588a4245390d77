// The real block layer: reads of known number and time, by bios and by requests, beside a foreign's.
#include "pmu/trace/device_time_witness.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/attempts.h"
#include "base/prng.h"
#include "base/system/fd.h"
#include "clock/sources/source.h"
#include "host/placement/placement.h"
#include "host/proc/text_file.h"
#include "pmu/trace/programs/slice_thread.h"
#include "pmu/zram_device.h"

namespace fathom::pmu {
namespace {

constexpr std::size_t kPage = 4096;

struct Freed {
  void operator()(void* memory) const { ::free(memory); }
};

struct OwnTimes {
  std::uint64_t n = 0, sum_ns = 0;
  stats::Histogram histogram_ns;
  double median_ns() const { return static_cast<double>(histogram_ns.percentile(50)); }
};

std::uint64_t now_ns() { return clock::sources::MonotonicRawClock::now().v; }

// Direct I/Os of a page, one at a time, at rising places; stamped here.
OwnTimes pages(const std::string& path, int n, bool write, std::uint64_t from = 0) {
  const base::system::UniqueFd fd(::open(path.c_str(), (write ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC));
  const std::unique_ptr<std::uint64_t, Freed> page(static_cast<std::uint64_t*>(::aligned_alloc(kPage, kPage)));
  base::Prng prng(7);
  OwnTimes times;
  for (int i = 0; i < n; ++i) {
    if (write)
      for (std::size_t w = 0; w < kPage / 8; ++w) page.get()[w] = prng.next();
    const auto place = static_cast<off_t>(from + static_cast<std::uint64_t>(i) * kPage);
    const std::uint64_t start = now_ns();
    const auto done =
        write ? ::pwrite(fd.get(), page.get(), kPage, place) : ::pread(fd.get(), page.get(), kPage, place);
    const std::uint64_t ns = now_ns() - start;
    times.sum_ns += ns;
    times.histogram_ns.add(ns);
    if (done == static_cast<ssize_t>(kPage)) ++times.n;
  }
  return times;
}

double device_sum(const result::AccessLatency& l) { return static_cast<double>(l.moments_ns.sum); }

// The device's time is a part of the program's: less by a system call, by what the programs on the tracepoints take
// and, on a busy machine, by waiting for a CPU (so the lower bound is of medians).
void expect_within(const result::AccessLatency& device, const OwnTimes& own, double least_share) {
  EXPECT_LE(device_sum(device), static_cast<double>(own.sum_ns));
  EXPECT_GE(static_cast<double>(device.histogram_ns.percentile(50)), least_share * own.median_ns());
  EXPECT_EQ(device.histogram_ns.total(), device.moments_ns.n);
}

double count(const result::WitnessReport& report, const std::string& name, const std::string& direction) {
  for (const auto& c : report.counts)
    if (c.source == "device_time" && c.name == name && c.direction == direction) return c.value;
  return -1;
}

TEST_IN_ATTEMPTS(DeviceTime, BioTimesOnZramMatchTheProgramsOwn) {
  const testing::ZramDevice zram("64M");
  if (zram.path().empty()) GTEST_SKIP() << "no zram here";
  ASSERT_EQ(pages(zram.path(), 1000, true).n, 1000u);
  trace::DeviceTimeWitness witness(zram.name());
  if (auto ok = witness.begin(); !ok) GTEST_SKIP() << ok.error().what << ": " << ok.error().cause;
  const auto reads = pages(zram.path(), 1000, false);
  const auto writes = pages(zram.path(), 500, true);
  const auto report = witness.end();
  const auto& time = witness.device_time();
  EXPECT_EQ(time.by, "bios");
  EXPECT_EQ(time.read_ns.moments_ns.n + time.lost, 1000u) << time.lost << " lost";
  EXPECT_EQ(time.write_ns.moments_ns.n, 500u);
  EXPECT_LE(time.lost, 10u);
  EXPECT_EQ(time.read_bytes, time.read_ns.moments_ns.n * kPage);
  EXPECT_EQ(count(report, "bytes", "read"), static_cast<double>(time.read_bytes));
  EXPECT_EQ(count(report, "ios", "write"), 500);
  EXPECT_GT(time.seen_share, 0.99);
  expect_within(time.read_ns, reads, 0.25);
  expect_within(time.write_ns, writes, 0.25);
}

// Programs of this process that are attached.
unsigned links_open() {
  unsigned n = 0;
  std::error_code error;
  for (const auto& name : host::proc::list_names("/proc/self/fd"))
    n += std::filesystem::read_symlink("/proc/self/fd/" + name, error).string().find("bpf_link") != std::string::npos;
  return n;
}

// Where I/Os are many only slices are looked at, and nothing is attached in between: the median is the same, and the
// share says how much of the time was seen.
TEST_IN_ATTEMPTS(DeviceTime, AHighBioRateIsSampledInSlices) {
  const testing::ZramDevice zram("64M");
  if (zram.path().empty()) GTEST_SKIP() << "no zram here";
  ASSERT_EQ(pages(zram.path(), 1000, true).n, 1000u);
  trace::DeviceTimeWitness witness(zram.name());
  if (auto ok = witness.begin(); !ok) GTEST_SKIP() << ok.error().what << ": " << ok.error().cause;
  OwnTimes all;
  unsigned rounds = 0, attached = 0;
  for (const std::uint64_t until = now_ns() + 2'000'000'000; now_ns() < until; ++rounds) {
    attached += links_open() > 0;
    const auto some = pages(zram.path(), 1000, false);
    all.n += some.n;
    all.histogram_ns.merge(some.histogram_ns);
  }
  witness.end();
  const auto& time = witness.device_time();
  if (all.n < 300'000) GTEST_SKIP() << "this machine is too slow: " << all.n << " reads in 2 s";
  EXPECT_LT(time.seen_share, 0.5);
  EXPECT_GT(time.seen_share, 0.02);
  EXPECT_LT(attached, rounds / 2);
  EXPECT_EQ(links_open(), 0u);
  EXPECT_LE(time.lost, 10u);
  const double expected = static_cast<double>(all.n) * time.seen_share;
  EXPECT_NEAR(static_cast<double>(time.read_ns.moments_ns.n), expected, 0.6 * expected) << "the load is not even";
  EXPECT_LE(static_cast<double>(time.read_ns.histogram_ns.percentile(50)), 1.5 * all.median_ns());
}

class DeviceTimeOfFile : public ::testing::Test {
 protected:
  void SetUp() override {
    for (auto* path : {&swap_, &other_}) {
      char name[] = "/var/tmp/fathom-device-time-XXXXXX";
      const base::system::UniqueFd fd(::mkstemp(name));
      *path = name;
      const std::vector<char> mib(1 << 20, 'x');
      for (int i = 0; i < 8; ++i) ASSERT_EQ(::write(fd.get(), mib.data(), mib.size()), 1 << 20);
      ASSERT_EQ(::fsync(fd.get()), 0);
    }
    disk_ = host::placement::place(swap_).disk;
    if (disk_.empty()) GTEST_SKIP() << "no disk under /var/tmp";
  }
  void TearDown() override {
    ::unlink(swap_.c_str());
    ::unlink(other_.c_str());
  }
  std::string swap_, other_, disk_;
};

TEST_F(DeviceTimeOfFile, TimedCountsRequestsOfTheFileOnly) {
  steady::attempts([&] {
    trace::DeviceTimeWitness witness(disk_, host::placement::place(swap_));
    if (auto ok = witness.begin(); !ok) GTEST_SKIP() << ok.error().what << ": " << ok.error().cause;
    const auto reads = pages(swap_, 1000, false);
    const auto foreign = pages(other_, 300, false);
    witness.end();
    if (reads.n < 1000 || foreign.n < 300) GTEST_SKIP() << "direct reads are refused under /var/tmp";
    const auto& time = witness.device_time();
    EXPECT_EQ(time.by, "block requests");
    // An interrupt that comes while a program runs finds it busy: the kernel leaves that event out.
    EXPECT_GE(time.read_ns.moments_ns.n + time.lost, 1000u);
    EXPECT_GE(time.read_ns.moments_ns.n, 990u);
    EXPECT_LE(time.read_ns.moments_ns.n, 1000u);
    EXPECT_GE(time.foreign, 295u);
    EXPECT_GE(time.foreign_bytes, 295u * kPage);
    expect_within(time.read_ns, reads, 0.2);
  });
}

TEST_F(DeviceTimeOfFile, RefusesAFileOnAnotherDisk) {
  trace::DeviceTimeWitness witness("nosuchdisk", host::placement::place(swap_));
  const auto ok = witness.begin();
  ASSERT_FALSE(ok);
  EXPECT_THAT(ok.error().what, ::testing::HasSubstr("not on nosuchdisk"));
  EXPECT_THAT(witness.device_time().cause, ::testing::HasSubstr("not on nosuchdisk"));
  EXPECT_TRUE(witness.end().counts.empty());
}

TEST_F(DeviceTimeOfFile, TimedTwoAtOnceEachSeeTheirOwnFile) {
  steady::attempts([&] {
    trace::DeviceTimeWitness mine(disk_, host::placement::place(swap_)), other(disk_, host::placement::place(other_));
    if (auto ok = mine.begin(); !ok) GTEST_SKIP() << ok.error().what << ": " << ok.error().cause;
    ASSERT_TRUE(other.begin());
    if (pages(swap_, 200, false).n < 200) GTEST_SKIP() << "direct reads are refused under /var/tmp";
    pages(other_, 100, false);
    mine.end();
    other.end();
    EXPECT_GE(mine.device_time().read_ns.moments_ns.n + mine.device_time().lost, 200u);
    EXPECT_GE(other.device_time().read_ns.moments_ns.n + other.device_time().lost, 100u);
    EXPECT_GE(mine.device_time().foreign, 98u);
    EXPECT_GE(other.device_time().foreign, 198u);
    EXPECT_EQ(links_open(), 0u);
  });
}

TEST_F(DeviceTimeOfFile, WithoutPermissionTheCauseSaysWhatItTakes) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to give it up";
  trace::DeviceTimeWitness witness(disk_, host::placement::place(swap_));
  ASSERT_EQ(::chmod(swap_.c_str(), 0644), 0);
  ASSERT_EQ(::seteuid(65534), 0);
  const auto ok = witness.begin();
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_FALSE(ok);
  if (ok.error().what.find("BPF") == std::string::npos) GTEST_SKIP() << ok.error().what;  // not built, or no libbpf
  EXPECT_THAT(witness.device_time().cause, ::testing::HasSubstr("need CAP_BPF and CAP_PERFMON"));
  EXPECT_TRUE(witness.end().counts.empty());
}

// As its cost is measured: attached and detached by another, any number of times, and never by itself.
TEST(DeviceTime, CanBeSwitchedOnAndOff) {
  const testing::ZramDevice zram("16M");
  if (zram.path().empty()) GTEST_SKIP() << "no zram here";
  auto toggle = trace::DeviceTimeWitness::toggle(zram.name(), {});
  if (!toggle) GTEST_SKIP() << toggle.error().what << ": " << toggle.error().cause;
  EXPECT_EQ(links_open(), 0u);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE((*toggle)->attach());
    (*toggle)->watch(true);
    EXPECT_GT(links_open(), 0u);
    pages(zram.path(), 100, true);
    (*toggle)->watch(false);
    EXPECT_FALSE((*toggle)->any_in_flight());
    (*toggle)->detach();
    EXPECT_EQ(links_open(), 0u);
  }
  toggle = trace::DeviceTimeWitness::toggle("nosuchdisk", {});
  ASSERT_FALSE(toggle);
  EXPECT_THAT(toggle.error().what, ::testing::HasSubstr("/dev/nosuchdisk"));
}

TEST(DeviceTime, AMissingDeviceIsAnError) {
  trace::DeviceTimeWitness witness("nosuchdisk");
  EXPECT_FALSE(witness.begin());
  EXPECT_THAT(witness.device_time().cause, ::testing::HasSubstr("/dev/nosuchdisk"));
}

}  // namespace
}  // namespace fathom::pmu
