// A substitute for perf_event_open and its descriptors: counters are numbers that a test moves. One at a time, as
// PerfCalls are plain functions.
#pragma once
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <vector>

#include "pmu/perf_call.h"

namespace fathom::pmu::testing {

class FakeKernel {
 public:
  struct Counter {
    perf_event_attr attr{};
    std::uint64_t behind[2] = {};  // config3 and config4, which the headers may lack
    pid_t pid = 0;
    int cpu = 0, group_fd = -1;
    bool enabled = false, closed = false;
    std::uint64_t value = 0, enabled_ns = 0, running_ns = 0;
    int read_error = 0;  // errno; -1: end of file
  };

  FakeKernel() { current_ = this; }
  ~FakeKernel() { current_ = nullptr; }
  FakeKernel(const FakeKernel&) = delete;

  std::function<int(const Counter&)> refuse;  // errno, 0: open it
  std::vector<Counter> counters;              // in the order of opening; descriptor = 100 + index

  // Every enabled counter looks at the world for a while.
  void run(std::uint64_t ns, std::uint64_t increments, std::uint64_t running_ns) {
    for (auto& counter : counters) {
      if (!counter.enabled) continue;
      counter.enabled_ns += ns;
      counter.running_ns += running_ns;
      counter.value += increments;
    }
  }
  static const PerfCalls& calls() {
    static constexpr PerfCalls kCalls{open, control, read, close};
    return kCalls;
  }

 private:
  static constexpr int kFirst = 100;
  static Counter& at(int fd) { return current_->counters.at(static_cast<std::size_t>(fd - kFirst)); }
  static int open(perf_event_attr* attr, pid_t pid, int cpu, int group_fd, unsigned long) {
    Counter counter;
    std::memcpy(static_cast<void*>(&counter.attr), attr, PERF_ATTR_SIZE_VER7);
    std::memcpy(counter.behind, reinterpret_cast<const char*>(attr) + PERF_ATTR_SIZE_VER7,
                attr->size - PERF_ATTR_SIZE_VER7);
    counter.pid = pid;
    counter.cpu = cpu;
    counter.group_fd = group_fd;
    if (const int err = current_->refuse ? current_->refuse(counter) : 0; err != 0) return -err;
    current_->counters.push_back(counter);
    return kFirst + static_cast<int>(current_->counters.size()) - 1;
  }
  static int control(int fd, unsigned long request, unsigned long) {
    at(fd).enabled = request == PERF_EVENT_IOC_ENABLE;
    for (auto& counter : current_->counters)
      if (counter.group_fd == fd) counter.enabled = request == PERF_EVENT_IOC_ENABLE;
    return 0;
  }
  static std::ptrdiff_t read(int fd, void* buffer, std::size_t size) {
    const Counter& counter = at(fd);
    if (counter.read_error != 0) return counter.read_error < 0 ? 0 : -counter.read_error;
    const std::uint64_t words[] = {counter.value, counter.enabled_ns, counter.running_ns};
    std::memcpy(buffer, words, std::min(size, sizeof words));
    return sizeof words;
  }
  static void close(int fd) { at(fd).closed = true; }

  static inline FakeKernel* current_ = nullptr;
};

}  // namespace fathom::pmu::testing
