// One thread takes one look at everything per interval. A late look (memory pressure is intended here) makes one long
// interval, and never two invented ones. Counts are differences of values read, times come from the clock, and the
// points add up to the total. Pressure uses "total=" of PSI in microseconds (Documentation/accounting/psi.rst), because
// its averages cover 10 s and more.
#include "paging/series.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>

#include "paging/kernel_counts.h"

namespace fathom::paging {
namespace {

using Clock = std::chrono::steady_clock;
using Point = result::PagingSeriesPoint;

constexpr const char* kResources[] = {"memory", "io", "cpu"};
constexpr std::size_t kResourceCount = std::size(kResources);

struct Look {
  Clock::time_point at;
  ThreadTotals totals;
  SeriesCounts counts;
  std::array<Stalls, kResourceCount> stalls;
};

// The pressure file of the cgroup, or of the machine. A kernel booted without PSI has files that cannot be read.
OpenText pressure_file(const std::string& cgroup_path, const std::string& prefix, const std::string& resource) {
  if (!cgroup_path.empty()) {
    OpenText own(cgroup_path + "/" + resource + ".pressure");
    if (own && !own.read().empty()) return own;
  }
  return OpenText(prefix + "/proc/pressure/" + resource);
}

void put_stall(Point& point, const std::string& name, std::optional<std::uint64_t> before,
               std::optional<std::uint64_t> now, double interval_us) {
  if (!before || !now || *now < *before || interval_us <= 0) return;
  point.pressure_percent[name] = 100.0 * static_cast<double>(*now - *before) / interval_us;
}

std::uint64_t ms_between(Clock::time_point begin, Clock::time_point end) {
  return static_cast<std::uint64_t>(std::chrono::round<std::chrono::milliseconds>(end - begin).count());
}

Point point_between(Clock::time_point start, const Look& before, const Look& now) {
  Point p;
  p.time_ms = ms_between(start, now.at);
  p.interval_ms = p.time_ms - ms_between(start, before.at);
  p.accesses = now.totals.accesses - before.totals.accesses;
  p.minor = now.totals.minor - before.totals.minor;
  p.major = now.totals.major - before.totals.major;
  for (std::size_t i = 0; i < kSeriesColumnCount; ++i) {
    if (!before.counts[i] || !now.counts[i] || *now.counts[i] < *before.counts[i]) continue;
    p.kernel[std::string(kSeriesColumns[i].name)] = *now.counts[i] - *before.counts[i];
  }
  const double interval_us = std::chrono::duration<double, std::micro>(now.at - before.at).count();
  for (std::size_t i = 0; i < kResourceCount; ++i) {
    const std::string name = kResources[i];
    put_stall(p, name + ".some", before.stalls[i].some_us, now.stalls[i].some_us, interval_us);
    put_stall(p, name + ".full", before.stalls[i].full_us, now.stalls[i].full_us, interval_us);
  }
  return p;
}

void leave_out_idle_columns(std::vector<Point>& points) {
  for (const auto& column : kSeriesColumns) {
    const std::string name(column.name);
    bool moved = column.always;
    for (const auto& p : points) {
      const auto found = p.kernel.find(name);
      moved = moved || (found != p.kernel.end() && found->second > 0);
    }
    if (moved) continue;
    for (auto& p : points) p.kernel.erase(name);
  }
}

}  // namespace

struct SeriesSampler::State {
  State(std::function<ThreadTotals()> t, const std::string& cgroup_path, std::uint64_t ms, const std::string& prefix)
      : totals(std::move(t)), interval(ms), vmstat(prefix + "/proc/vmstat") {
    for (const auto* const resource : kResources) pressure.push_back(pressure_file(cgroup_path, prefix, resource));
  }

  Look look() {
    Look l;
    l.counts = pick_series(vmstat.read());
    for (std::size_t i = 0; i < kResourceCount; ++i) l.stalls[i] = parse_pressure(pressure[i].read());
    l.totals = totals();
    l.at = Clock::now();
    return l;
  }

  void sample(const Look& first) {
    std::vector<Look> looks{first};  // the last two
    const auto start = first.at;
    auto next = start + interval;
    std::unique_lock lock(mutex);
    do {
      wake.wait_until(lock, next, [&] { return stopping; });
      const Look now = look();
      if (now.at - looks.back().at < interval / 2 && !points.empty()) {  // a short rest joins the last point
        points.pop_back();
        looks.pop_back();
      }
      points.push_back(point_between(start, looks.back(), now));
      looks.push_back(now);
      if (looks.size() > 2) looks.erase(looks.begin());
      while (next <= now.at) next += interval;
    } while (!stopping);
  }

  std::function<ThreadTotals()> totals;
  const std::chrono::milliseconds interval;
  OpenText vmstat;
  std::vector<OpenText> pressure;
  std::vector<Point> points;
  std::mutex mutex;
  std::condition_variable wake;
  bool stopping = false;
  std::thread thread;
};

SeriesSampler::SeriesSampler(std::function<ThreadTotals()> totals, const std::string& cgroup_path,
                             std::uint64_t interval_ms, const std::string& prefix)
    : state_(std::make_unique<State>(std::move(totals), cgroup_path, interval_ms, prefix)) {}

SeriesSampler::~SeriesSampler() { stop(); }

void SeriesSampler::start() {
  state_->thread = std::thread([state = state_.get(), first = state_->look()] { state->sample(first); });
}

std::vector<Point> SeriesSampler::stop() {
  if (!state_->thread.joinable()) return {};
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->wake.notify_one();
  state_->thread.join();
  leave_out_idle_columns(state_->points);
  return std::move(state_->points);
}

}  // namespace fathom::paging
