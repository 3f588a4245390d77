// A method to see which pages a process touches: a row of methods.cc. A window is a run of intervals of equal length.
// In each interval, pages are marked, time passes, and the marks are read. Thread rule: one thread.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "paging/learn/fit/growth_fit.h"
#include "paging/learn/observe/page_sample.h"
#include "paging/learn/observe/target.h"
#include "result/finding.h"

namespace fathom::paging::learn::observe {

struct Counts {
  unsigned intervals = 0;            // 0: this method does not see it
  double interval_s = 0;             // mean, as measured
  std::vector<std::uint16_t> pages;  // by page number: intervals in which it showed
};

struct Window {
  double begin_s = 0, end_s = 0;  // since the observer was made
  Counts touched, written;
  // Pages touched, by number only: the mean per interval, over its own interval.
  double touched_pages = 0, touched_interval_s = 0;
  unsigned touched_intervals = 0;
  fit::GrowthCurve growth;
  double look_s = 0;      // time in the kernel for marking and reading, in this window
  bool complete = false;  // false: the process ended, or stop was requested
};

class Observer {
 public:
  virtual ~Observer() = default;  // restores what begin() changed
  // Setup that is done once. The sample holds pages already.
  virtual base::Expected<void> begin(const PageSample&) { return {}; }
  virtual Window window(PageSample& sample, double interval_s, unsigned intervals) = 0;
  virtual std::vector<result::Finding> findings() const { return {}; }
};

// The inputs of every observer.
struct Scene {
  Target& target;
  std::function<bool()> over;  // stop, duration, or the process has ended
  std::function<double()> now_s;
  bool soft_dirty = false;  // the kernel keeps these bits
};

// Sleeps until then, in short steps, to notice an end. False: over.
bool sleep_until(const Scene& scene, double until_s);

std::unique_ptr<Observer> observe_soft_dirty(const Scene& scene);
std::unique_ptr<Observer> observe_referenced(const Scene& scene);
// bitmap: /sys/kernel/mm/page_idle/bitmap.
std::unique_ptr<Observer> observe_idle(const Scene& scene, const std::string& bitmap);
// operations: "fvaddr" or "paddr". folder: /sys/kernel/mm/damon/admin.
std::unique_ptr<Observer> observe_damon(const Scene& scene, const std::string& operations, const std::string& folder);

}  // namespace fathom::paging::learn::observe
