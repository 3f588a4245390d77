// The order of an observation: choose the method, wait until the process has its memory, try intervals, then watch in
// windows until the time is over or the process has ended, and describe (describe.h). See learn.h.
#include "paging/learn/learn.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "paging/learn/damon_sysfs.h"
#include "paging/learn/describe.h"
#include "paging/learn/methods.h"
#include "paging/learn/pace.h"

namespace fathom::paging::learn {

bool sleep_until(const Scene& scene, double until_s) {
  constexpr double kPiece_s = 0.05;
  for (;;) {
    if (scene.over()) return false;
    const double left = until_s - scene.now_s();
    if (left <= 0) return true;
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, kPiece_s)));
  }
}

namespace {

constexpr double kFirstInterval_s = 20e-3, kLeastInterval_s = 1e-3, kMostInterval_s = 60, kEndless_s = 1e9;
constexpr double kSettle_s = 0.1, kMostSettling_s = 5, kSettled = 0.02;  // growth of the memory between two looks
constexpr int kTrials = 7, kCurveTrials = 4;
constexpr unsigned kTrialIntervals = 4;
constexpr std::uint64_t kFewestPages = 50;
constexpr std::size_t kMostWindows = 512;  // the last ones, of an observation without end

base::Expected<void> check(const LearnPlan& plan) {
  base::Error error;
  if (plan.interval_ms != 0 && (plan.interval_ms < 1e3 * kLeastInterval_s || plan.interval_ms > 1e3 * kMostInterval_s))
    error.what = "interval: must be 1 ms to 60 s";
  if (plan.duration_s < 0 || !std::isfinite(plan.duration_s)) error.what = "duration: must not be below 0";
  if (plan.duration_s > 0 && plan.interval_ms * 10 > plan.duration_s * 1e3) {
    error.what = "interval: too long for the duration";
    error.cause = "ten intervals at least are needed";
  }
  if (!error.what.empty()) return error;
  return {};
}

using Phase = LearnProgress::Phase;

class Observation {
 public:
  Observation(const LearnPlan& plan, const MethodRow& method, Target target, std::atomic<std::uint32_t>* stop,
              const std::function<void(const LearnProgress&)>& progress)
      : plan_(plan),
        method_(method),
        target_(std::move(target)),
        stop_(stop),
        progress_(progress),
        sample_(plan.most_pages > 0 ? std::min(plan.most_pages, method.most_pages) : method.most_pages, plan.seed),
        scene_{target_, [this] { return over(); }, [this] { return now_s(); }, kernel_has_soft_dirty()} {}

  base::Expected<Observed> run();
  std::vector<result::Finding> findings() const {
    return observer_ ? observer_->findings() : std::vector<result::Finding>{};
  }
  bool overflowed() const { return sample_.overflowed(); }

 private:
  double now_s() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  double duration_s() const { return plan_.duration_s > 0 ? plan_.duration_s : kEndless_s; }
  bool stopped() const { return stop_ != nullptr && *stop_ > 0; }
  bool over() const { return stopped() || now_s() >= duration_s() || target_.ended(); }
  void tell(Phase phase, double touched_share = 0) const {
    if (progress_) progress_({phase, now_s(), sample_.resident_pages(), touched_share});
  }
  void settle();
  double choose_interval();
  void watch(Observed& out);
  // Looking for new pages costs a walk over all of them: at most a twentieth of the time.
  void refresh_sometimes();

  const LearnPlan& plan_;
  const MethodRow& method_;
  Target target_;
  std::atomic<std::uint32_t>* stop_;
  const std::function<void(const LearnProgress&)>& progress_;
  PageSample sample_;
  Scene scene_;
  std::unique_ptr<Observer> observer_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double refreshed_s_ = 0;
};

// Until its memory has stopped growing, or a quarter of the time is gone.
void Observation::settle() {
  const double most = std::min(kMostSettling_s, duration_s() / 4);
  PageSample looking(
      1, plan_.seed);  // the share of pages to follow is chosen once, when there are as many as there will be
  for (std::uint64_t before = 0;;) {
    if (!looking.refresh(target_)) return;
    const std::uint64_t now = looking.resident_pages();
    tell(Phase::settling);
    const bool grown = static_cast<double>(now) > static_cast<double>(before) * (1 + kSettled);
    if ((!grown && now >= kFewestPages) || now_s() >= most) break;
    before = now;
    if (!sleep_until(scene_, std::min(most, now_s() + kSettle_s))) return;
  }
  sample_.refresh(target_);
  refreshed_s_ = now_s();
}

double Observation::choose_interval() {
  double interval = plan_.interval_ms > 0 ? plan_.interval_ms / 1e3 : std::min(kFirstInterval_s, duration_s() / 50);
  if (method_.counts_only && plan_.interval_ms == 0) interval /= 10;
  const double most = plan_.duration_s > 0 ? plan_.duration_s / (method_.counts_only ? 64 * 20 : 60) : 1;
  const PaceBounds bounds{kLeastInterval_s, std::max(most, kLeastInterval_s)};
  const int trials = plan_.interval_ms > 0 ? 0 : method_.counts_only ? kCurveTrials : kTrials;
  for (int trial = 0; trial < trials && !over(); ++trial) {
    const unsigned looks = method_.counts_only ? method_.least_intervals : kTrialIntervals;
    const Window seen = observer_->window(sample_, interval, looks);
    tell(Phase::choosing);
    if (!seen.complete) break;
    const double better = better_interval(seen, interval, bounds);
    if (std::fabs(better - interval) < 0.1 * interval) break;
    interval = better;
  }
  return interval;
}

void Observation::refresh_sometimes() {
  if (now_s() - refreshed_s_ < std::max(0.25, 20 * sample_.refresh_s())) return;
  sample_.refresh(target_);
  refreshed_s_ = now_s();
}

// Of the pages that are followed, in the window's intervals.
double touched_share(const Window& window) {
  if (!window.growth.empty()) return 0;
  const Counts& counts = window.touched.intervals > 0 ? window.touched : window.written;
  double sum = 0;
  for (const std::uint16_t count : counts.pages) sum += count;
  return sum / std::max<double>(1, static_cast<double>(counts.pages.size()) * counts.intervals);
}

void Observation::watch(Observed& out) {
  const double left = plan_.duration_s > 0 ? plan_.duration_s - now_s() : 24;
  const unsigned intervals =
      method_.counts_only ? method_.least_intervals : intervals_a_window(left, out.interval_s, method_.least_intervals);
  while (!over()) {
    refresh_sometimes();
    Window window = observer_->window(sample_, out.interval_s, intervals);
    if (!window.complete) break;
    tell(Phase::observing, touched_share(window));
    if (out.windows.size() == kMostWindows) out.windows.erase(out.windows.begin());
    out.windows.push_back(std::move(window));
  }
}

std::uint64_t huge_bytes(const Target& target) {
  std::uint64_t sum = 0;
  for (const Mapping& mapping : target.mappings(true)) sum += mapping.anonymous_huge;
  return sum;
}

base::Expected<Observed> Observation::run() {
  observer_ = method_.make(scene_);
  settle();
  Observed out;
  out.method = method_.name;
  out.asked_s = plan_.duration_s;
  out.huge_bytes = huge_bytes(target_);
  if (auto good = observer_->begin(sample_); !good) return good.error();
  out.interval_s = choose_interval();
  watch(out);
  out.resident_pages = sample_.resident_pages();
  out.mapped_bytes = sample_.mapped_bytes();
  out.followed_share = method_.counts_only || sample_.share() == 0 ? 1 : sample_.share();
  out.duration_s = now_s();
  out.ended = target_.ended();
  tell(Phase::fitting);
  return out;
}

base::Error nothing_seen(const Observed& observed, const std::vector<result::Finding>& findings) {
  base::Error error;
  error.kind = base::ErrorKind::io;
  error.what = "nothing was observed";
  error.cause = observed.ended ? "the process ended before one window of intervals was over"
                               : "the time was over before one window of intervals was";
  for (const result::Finding& finding : findings) error.cause = finding.evidence;
  error.help = "a longer --duration, or a shorter --interval";
  return error;
}

// Why not a method that would tell more.
void say_method(const MethodRow& chosen, Learnt& out) {
  out.evidence.emplace_back("method", std::string(chosen.name) + ": " + chosen.tells);
  std::string causes;
  for (const MethodRow& row : method_rows()) {
    if (&row == &chosen) break;
    if (const auto cause = row.cause_against())
      causes += (causes.empty() ? "" : "; ") + std::string(row.name) + ": " + *cause;
  }
  if (causes.empty()) return;
  out.findings.push_back({"learn.method", result::Severity::note, "",
                          std::string("observed by ") + chosen.name + ", which cannot tell " + chosen.cannot_tell +
                              ". Better ones: " + causes,
                          ""});
}

}  // namespace

base::Expected<Learnt> learn(const LearnPlan& plan, std::atomic<std::uint32_t>* stop,
                             const std::function<void(const LearnProgress&)>& progress) {
  if (auto good = check(plan); !good) return good.error();
  const bool undone = undo_left_damon();
  auto target = Target::open(plan.pid);
  if (!target) return target.error();
  const auto method = choose_method(plan.method);
  if (!method) return method.error();
  Learnt out;
  out.profile.command = plan.command.empty() ? target->command() : plan.command;
  say_method(**method, out);
  if (undone)
    out.findings.push_back({"learn.damon_left", result::Severity::note, "",
                            "DAMON was still on from a run that was killed; it was put back", ""});
  Observation observation(plan, **method, std::move(*target), stop, progress);
  const auto observed = observation.run();
  if (!observed) return observed.error();
  for (result::Finding& finding : observation.findings()) out.findings.push_back(std::move(finding));
  if (observed->windows.empty())
    return nothing_seen(*observed, out.findings.size() > 1 ? observation.findings() : std::vector<result::Finding>{});
  if (observation.overflowed())
    out.findings.push_back({"learn.grew", result::Severity::note, "",
                            "its memory grew so much that pages added late were not followed",
                            "observe it when it has its memory"});
  describe(*observed, out);
  return out;
}

}  // namespace fathom::paging::learn
