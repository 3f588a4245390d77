// A PMU in software behind PerfCalls: so many counters, events that get one as the kernel gives them (pinned ones first
// or never), a foreign user, and an end in mid-run. It counts a load of our making in real time, so the truth is known.
// One at a time: the table of calls has no place for a pointer.
#pragma once
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

#include "pmu/perf_call.h"

namespace fathom::pmu {

enum class Foreign { none, holds, shares };  // another user: pinned on the counter, or takes every other moment of it

class OneCounterPmu {
 public:
  using Load = std::function<double(std::uint64_t config, double from_ns, double to_ns)>;
  explicit OneCounterPmu(Load load, int counters = 1) : load_(std::move(load)), counters_(counters) { here_ = this; }
  ~OneCounterPmu() { here_ = nullptr; }
  OneCounterPmu(const OneCounterPmu&) = delete;
  OneCounterPmu& operator=(const OneCounterPmu&) = delete;

  static const PerfCalls& calls() {
    static constexpr PerfCalls kCalls{open_call, control_call, read_call, close_call};
    return kCalls;
  }
  // For a load, which is asked under the lock: whether an event of this config is on.
  static bool counting(std::uint64_t config) {
    for (const auto& [fd, one] : here_->events_)
      if (one.config == config && one.enabled) return true;
    return false;
  }
  double now_ns() const { return std::chrono::duration<double, std::nano>(Clock::now() - start_).count(); }
  void set(Foreign foreign) {
    locked([&] { foreign_ = foreign; });
  }
  void vanish() {
    locked([&] { gone_ = true; });
  }
  int open_now() {
    return static_cast<int>(locked([&] { return events_.size(); }));
  }
  int most_at_once() {
    return locked([&] { return most_; });
  }
  void refuse_type(std::uint32_t type) {  // the machine has no such events
    locked([&] { refused_ = type; });
  }
  void refuse_groups() {  // every event stands alone
    locked([&] { no_groups_ = true; });
  }
  void refuse_tasks() {  // it counts CPUs
    locked([&] { no_tasks_ = true; });
  }
  bool opened_pinned() {
    return locked([&] { return pinned_; });
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct One {
    std::uint64_t config = 0;
    bool pinned = false, enabled = false, failed = false;
    bool needs_none = false;  // an event of the kernel's own
    double value = 0, enabled_ns = 0, running_ns = 0;
  };

  template <class Work>
  std::invoke_result_t<Work> locked(Work work) {
    const std::lock_guard lock(mutex_);
    advance();
    return work();
  }
  // Counts up to now, by the assignment that has held since the last call.
  void advance() {
    const double now = now_ns(), before = last_;
    last_ = now;
    int free = foreign_ == Foreign::holds ? 0 : counters_, busy = 0;
    for (const bool pinned : {true, false}) {
      for (auto& [fd, one] : events_) {
        if (!one.enabled || one.failed || one.pinned != pinned) continue;
        busy += !one.needs_none;
        one.enabled_ns += now - before;
        if (!one.needs_none && free-- <= 0) {
          one.failed = pinned;
          continue;
        }
        const double part = foreign_ == Foreign::shares ? 0.5 : 1;
        one.running_ns += part * (now - before);
        one.value += part * load_(one.config, before, now);
      }
    }
    most_ = std::max(most_, busy);
  }
  static int open_call(perf_event_attr* attr, pid_t pid, int, int group_fd, unsigned long) {
    return here_->locked([&] {
      if (here_->gone_) return -ENODEV;
      if (here_->refused_ == attr->type) return -ENOENT;
      if ((here_->no_groups_ && group_fd >= 0) || (here_->no_tasks_ && pid >= 0)) return -EINVAL;
      here_->pinned_ |= attr->pinned != 0;
      here_->events_[here_->next_] = One{attr->config, attr->pinned != 0, attr->disabled == 0, false,
                                         attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT};
      return here_->next_++;
    });
  }
  static int control_call(int fd, unsigned long request, unsigned long) {
    return here_->locked([&] {
      if (here_->gone_) return -ENODEV;
      One& one = here_->events_.at(fd);
      one.enabled = request == PERF_EVENT_IOC_ENABLE;
      if (one.enabled) one.failed = one.pinned && here_->foreign_ == Foreign::holds;
      return 0;
    });
  }
  static std::ptrdiff_t read_call(int fd, void* buffer, std::size_t size) {
    return here_->locked([&]() -> std::ptrdiff_t {
      if (here_->gone_) return -ENODEV;
      const One& one = here_->events_.at(fd);
      if (one.failed) return 0;
      const std::uint64_t words[] = {static_cast<std::uint64_t>(one.value), static_cast<std::uint64_t>(one.enabled_ns),
                                     static_cast<std::uint64_t>(one.running_ns)};
      if (size < sizeof words) return -ENOSPC;
      std::memcpy(buffer, words, sizeof words);
      return sizeof words;
    });
  }
  static void close_call(int fd) {
    here_->locked([&] { here_->events_.erase(fd); });
  }

  static inline OneCounterPmu* here_ = nullptr;
  std::mutex mutex_;
  Load load_;
  int counters_ = 1, next_ = 1000, most_ = 0;
  std::map<int, One> events_;
  Foreign foreign_ = Foreign::none;
  bool gone_ = false, pinned_ = false, no_groups_ = false, no_tasks_ = false;
  std::uint32_t refused_ = ~0u;
  Clock::time_point start_ = Clock::now();
  double last_ = 0;
};

}  // namespace fathom::pmu
