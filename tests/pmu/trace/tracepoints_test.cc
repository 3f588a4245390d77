// A kernel that refuses: what it says is passed on with what to do about it, and nothing stays open.
#include "pmu/trace/tracepoints.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace fathom::pmu {
namespace {

int closed = 0;
int refuse(perf_event_attr*, pid_t, int, int, unsigned long) { return -EACCES; }
int open_one(perf_event_attr* attr, pid_t pid, int cpu, int, unsigned long) {
  return attr->type == PERF_TYPE_TRACEPOINT && pid == -1 && cpu >= 0 && attr->use_clockid == 1 ? 1000 : -EINVAL;
}
int refuse_control(int, unsigned long, unsigned long) { return -EINVAL; }
std::ptrdiff_t no_read(int, void*, std::size_t) { return -EINVAL; }
void count_close(int) { ++closed; }

TEST(Tracepoints, RefusalIsAPrivilegeError) {
  const PerfCalls calls{refuse, refuse_control, no_read, count_close};
  const std::uint16_t ids[] = {1};
  const auto points = trace::Tracepoints::open(ids, "", calls);
  ASSERT_FALSE(points);
  EXPECT_EQ(points.error().kind, base::ErrorKind::privilege);
  EXPECT_FALSE(points.error().help.empty());
}

TEST(Tracepoints, ARefusedFilterClosesAllDescriptors) {
  closed = 0;
  const PerfCalls calls{open_one, refuse_control, no_read, count_close};
  const std::uint16_t ids[] = {1};
  EXPECT_FALSE(trace::Tracepoints::open(ids, "dev == 1", calls));
  EXPECT_EQ(closed, 1);
}

TEST(Tracepoints, DeviceFilterListsDeviceNumbers) {
  const std::uint32_t devices[] = {254u << 20, 7u << 20 | 3};
  EXPECT_EQ(trace::device_filter(devices), "dev == 266338304 || dev == 7340035");
  EXPECT_EQ(trace::device_filter({}), "");
}

}  // namespace
}  // namespace fathom::pmu
