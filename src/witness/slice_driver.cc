// The overhead is measured during the run: the kernel counts the run time of the programs. The cost of passing a
// tracepoint, and the work of the loop itself, were measured once (docs/dev/performance.md).
#include "witness/slice_driver.h"

#include <algorithm>
#include <utility>

#include "base/time.h"

namespace fathom::witness {
namespace {

// The overhead is calculated over this number of looks, 50 ms apart.
constexpr std::size_t kLooks = 3;
constexpr double kMostShare = 0.03, kLoop_ns = 100;

}  // namespace

SliceDriver::SliceDriver(pmu::trace::programs::SplitPrograms& programs, split::Desk& desk,
                         std::function<void(Moment)> on_moment, Watch watch, cost::Ramps ramps)
    : SplitToggle(programs, desk),
      on_moment_(std::move(on_moment)),
      how_(watch),
      ramps_(std::move(ramps)),
      all_(watch != Watch::slices),
      pairs_(all_ && ramps_.long_enough()) {}

base::Expected<void> SliceDriver::begin() {
  on_moment_(Moment::unwatched_from);
  if (!all_ || pairs_) {
    thread_.begin();
    return {};
  }
  programs_.measure(how_ == Watch::by_cost);
  return thread_.begin_watching();
}

// After the ramp, changes directly from pairs to the slice that continues to the end.
pmu::trace::programs::Rounds SliceDriver::rounds() {
  using namespace pmu::trace::programs;
  if (!pairs_) return kOfARun;
  if (ramps_.left_ns() > cost::kLongestPair_ns) return kOfPairs;
  pairs_ = false;
  programs_.measure(how_ == Watch::by_cost);
  return {0, 0, 1, kOfARun.longest_end_ns};
}

base::Expected<void> SliceDriver::attach() {
  on_moment_(Moment::unwatched_to);
  return SplitToggle::attach();
}

void SliceDriver::watch(bool on) {
  if (on) on_moment_(Moment::watched_from);
  SplitToggle::watch(on);
  if (!on) on_moment_(Moment::watched_to);
}

void SliceDriver::over() {
  on_moment_(Moment::over);
  on_moment_(Moment::unwatched_from);
}

bool SliceDriver::may_go_on() {
  if (!all_ || pairs_) return false;
  if (how_ == Watch::all || share_of_time() <= kMostShare) return true;
  programs_.measure(false);
  return all_ = false;
}

// The share of the fastest loop's time that tracing has taken since the oldest look.
double SliceDriver::share_of_time() {
  Look now{base::monotonic_ns(), {}, programs_.run_time()};
  for (std::size_t w = 0; w < desk_.seats().size(); ++w) now.ios.push_back(desk_.ios(w));
  looks_.push_back(std::move(now));
  if (looks_.size() < kLooks) return 0;
  const Look &from = looks_.front(), &to = looks_.back();
  std::uint64_t all = 0, most = 0;
  for (std::size_t w = 0; w < to.ios.size(); ++w) {
    all += to.ios[w] - from.ios[w];
    most = std::max(most, to.ios[w] - from.ios[w]);
  }
  const double programs_ns = static_cast<double>(to.run_time.ns - from.run_time.ns) +
                             programs_.point_ns() * static_cast<double>(to.run_time.runs - from.run_time.runs);
  const double io_ns = kLoop_ns + programs_ns / static_cast<double>(std::max<std::uint64_t>(all, 1));
  const double share = static_cast<double>(most) * io_ns / static_cast<double>(to.at_ns - from.at_ns);
  looks_.pop_front();
  return share;
}

}  // namespace fathom::witness
