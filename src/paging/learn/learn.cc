// The order of an observation: choose the method, wait until the process has its memory, and try intervals. Then
// observe in windows until the time is over or the process has ended, and describe (describe.h). Of a command with
// several processes, the one with the most memory is observed (family.h). If another process turns out to have more,
// the observation starts again. See learn.h.
#include "paging/learn/learn.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "paging/learn/describe.h"
#include "paging/learn/family.h"
#include "paging/learn/methods.h"
#include "paging/learn/pace.h"
#include "result/findings/rows.h"

namespace fathom::paging::learn {

bool observe::sleep_until(const Scene& scene, double until_s) {
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
constexpr double kHeavier = 1.1, kMuchHeavier = 2;  // another process of the command: before and after the start
constexpr std::uint64_t kMuchMore = 1 << 20;        // bytes, after the start
constexpr double kHardlyUsed = 0.1;                 // of the other process's memory
constexpr std::uint64_t kFewPages = 8;              // the kernel's own touches of a process that only waits
constexpr double kClock_s = 0.02;                   // the kernel counts CPU time in steps of 10 ms
constexpr std::size_t kMostWindows = 512;           // the last ones, for an observation without end

base::Expected<void> check(const LearnPlan& plan) {
  base::Error error;
  if (plan.interval_ms != 0 && (plan.interval_ms < 1e3 * kLeastInterval_s || plan.interval_ms > 1e3 * kMostInterval_s))
    error.what = "interval: must be 1 ms to 60 s";
  if (plan.duration_s < 0 || !std::isfinite(plan.duration_s)) error.what = "duration: must not be below 0";
  if (plan.duration_s > 0 && plan.interval_ms * 10 > plan.duration_s * 1e3) {
    error.what = "interval: too long for the duration";
    error.cause = "at least ten intervals are needed";
  }
  if (!error.what.empty()) return error;
  return {};
}

using Phase = LearnProgress::Phase;

class Observation {
 public:
  Observation(const LearnPlan& plan, const MethodRow& method, observe::Target target, Family& family,
              std::atomic<std::uint32_t>* stop, const std::function<void(const LearnProgress&)>& progress)
      : plan_(plan),
        method_(method),
        target_(std::move(target)),
        family_(family),
        stop_(stop),
        progress_(progress),
        sample_(plan.most_pages > 0 ? std::min(plan.most_pages, method.most_pages) : method.most_pages, plan.seed),
        scene_{target_, [this] { return over(); }, [this] { return now_s(); }, observe::kernel_has_soft_dirty()} {}

  base::Expected<Observed> run();
  std::vector<result::Finding> findings() const {
    return observer_ ? observer_->findings() : std::vector<result::Finding>{};
  }
  bool overflowed() const { return sample_.overflowed(); }
  bool is_left() const { return left_; }  // for a process with more memory

 private:
  double now_s() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  double duration_s() const { return plan_.duration_s > 0 ? plan_.duration_s : kEndless_s; }
  bool stopped() const { return stop_ != nullptr && *stop_ > 0; }
  bool over() { return stopped() || now_s() >= duration_s() || target_.ended() || family_.over() || leaves(); }
  void tell(Phase phase, double touched_share = 0) const {
    if (progress_) progress_({phase, now_s(), sample_.resident_pages(), touched_share});
  }
  void settle();
  double followed_share() const { return method_.counts_only || sample_.share() == 0 ? 1 : sample_.share(); }
  bool take_heavier();
  bool leaves();
  double choose_interval();
  void watch(Observed& out);
  // The search for new pages walks over all of them, so it takes at most a twentieth of the time.
  void refresh_sometimes();

  const LearnPlan plan_;
  const MethodRow& method_;
  observe::Target target_;
  Family& family_;
  std::atomic<std::uint32_t>* stop_;
  const std::function<void(const LearnProgress&)>& progress_;
  observe::PageSample sample_;
  observe::Scene scene_;
  std::unique_ptr<observe::Observer> observer_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double refreshed_s_ = 0, used_bytes_ = 0;  // in the last window
  bool begun_ = false, left_ = false;
};

// Chooses among the command's processes, before the observation has begun.
bool Observation::take_heavier() {
  family_.look_sometimes();
  const auto other = family_.heavier_than(target_.pid(), kHeavier, 0);
  if (!other) return false;
  auto target = observe::Target::open(other->pid);
  if (!target) return false;
  target_ = std::move(*target);
  return true;
}

double pages_used(const observe::Window& window) {
  if (!window.growth.empty()) return window.growth.back().pages;
  const auto used = [](const observe::Counts& counts) {
    return static_cast<double>(std::count_if(counts.pages.begin(), counts.pages.end(), [](auto n) { return n > 0; }));
  };
  return std::max({used(window.touched), used(window.written), window.touched_pages});
}

// True if another process has much more memory, and this one used little in its last window compared with that. Before
// its first window is over, it counts as having used nothing.
bool Observation::leaves() {
  if (left_ || !begun_ || !family_.chooses()) return left_;
  family_.look_sometimes();
  const auto other = family_.heavier_than(target_.pid(), kMuchHeavier, kMuchMore);
  left_ = other && used_bytes_ < kHardlyUsed * static_cast<double>(other->resident_bytes);
  return left_;
}

// Waits until the memory has stopped growing, but for a quarter of the time and for 5 s at most.
void Observation::settle() {
  const double most = std::min(kMostSettling_s, duration_s() / 4);
  observe::PageSample looking(1, plan_.seed);  // the share of followed pages is chosen once, when all pages exist
  for (std::uint64_t before = 0;;) {
    if (take_heavier()) looking = observe::PageSample(1, plan_.seed), before = 0;
    if (!looking.refresh(target_)) return;
    const std::uint64_t now = looking.resident_pages();
    tell(Phase::settling);
    const bool grown = static_cast<double>(now) > static_cast<double>(before) * (1 + kSettled);
    if ((!grown && now >= kFewestPages) || now_s() >= most) break;
    before = now;
    if (!observe::sleep_until(scene_, std::min(most, now_s() + kSettle_s))) return;
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
    const observe::Window seen = observer_->window(sample_, interval, looks);
    tell(Phase::choosing);
    if (!seen.complete) break;
    const double better = better_interval(seen, interval, bounds);
    if (std::fabs(better - interval) < 0.1 * interval) break;
    interval = better;
  }
  return interval;
}

void Observation::refresh_sometimes() {
  family_.look_sometimes();
  if (now_s() - refreshed_s_ < std::max(0.25, 20 * sample_.refresh_s())) return;
  sample_.refresh(target_);
  refreshed_s_ = now_s();
}

// The share of the followed pages touched in the window's intervals.
double touched_share(const observe::Window& window) {
  if (!window.growth.empty()) return 0;
  const observe::Counts& counts = window.touched.intervals > 0 ? window.touched : window.written;
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
    observe::Window window = observer_->window(sample_, out.interval_s, intervals);
    if (!window.complete) break;
    tell(Phase::observing, touched_share(window));
    used_bytes_ = pages_used(window) / followed_share() * observe::kPageBytes;
    if (out.windows.size() == kMostWindows) out.windows.erase(out.windows.begin());
    out.windows.push_back(std::move(window));
  }
}

std::uint64_t huge_bytes(const observe::Target& target) {
  std::uint64_t sum = 0;
  for (const observe::Mapping& mapping : target.mappings(true)) sum += mapping.anonymous_huge;
  return sum;
}

base::Expected<Observed> Observation::run() {
  observer_ = method_.make(scene_);
  settle();
  begun_ = true;
  family_.begins(target_.pid());
  Observed out;
  out.method = method_.name;
  out.asked_s = plan_.duration_s;
  out.huge_bytes = huge_bytes(target_);
  if (auto good = observer_->begin(sample_); !good) return good.error();
  out.interval_s = choose_interval();
  const double cpu_s = target_.cpu_s(), from_s = now_s();
  watch(out);
  const double passed_s = now_s() - from_s, used_s = target_.cpu_s() - cpu_s;
  if (passed_s > 0 && used_s >= 0) out.cpu_share = (used_s + kClock_s) / passed_s;
  out.resident_pages = sample_.resident_pages();
  out.mapped_bytes = sample_.mapped_bytes();
  out.followed_share = followed_share();
  out.duration_s = now_s();
  out.ended = target_.ended() || family_.over();
  tell(Phase::fitting);
  return out;
}

base::Error nothing_seen(const Observed& observed, const Family& family, const std::vector<result::Finding>& findings) {
  base::Error error;
  error.kind = base::ErrorKind::io;
  error.what = "nothing was observed";
  if (!findings.empty()) {
    error.cause = findings.back().evidence;
    error.help = findings.back().remedy;
  } else if (!observed.windows.empty()) {
    error.cause = "process " + shown(family.observed()) +
                  " touched hardly any of its memory: the process only waited, or " +
                  "does not use its memory; no profile can be written";
    const TreeProcess* other = family.largest_other();
    error.help = "observe the process that does the work, while the work runs: --pid=N" +
                 (other != nullptr ? "; in addition: " + shown(*other) : std::string());
  } else if (observed.ended) {
    error.cause = "the process ended before the end of the first window of intervals";
    error.help = "observe a process that runs for some seconds, or use a shorter --interval";
  } else {
    error.cause = "the observation ended before the end of the first window of intervals";
    error.help = "use a longer --duration, or a shorter --interval";
  }
  return error;
}

// States why no method with more information was chosen.
void say_method(const MethodRow& chosen, Learnt& out) {
  out.evidence.emplace_back("method", std::string(chosen.name) + ": " + chosen.tells);
  std::string causes;
  for (const MethodRow& row : method_rows()) {
    if (&row == &chosen) break;
    if (const auto cause = row.cause_against())
      causes += (causes.empty() ? "" : "; ") + std::string(row.name) + ": " + *cause;
  }
  if (causes.empty()) return;
  out.findings.push_back(result::findings::found(
      "learn.method", {.values = {{"method", chosen.name}, {"unknown", chosen.cannot_tell}, {"causes", causes}}}));
}

// One observation, described as far as it has data.
base::Expected<Learnt> observe_once(Observation& observation, const Family& family, Observed& observed) {
  auto seen = observation.run();
  if (!seen) return seen.error();
  observed = std::move(*seen);
  Learnt out;
  out.findings = observation.findings();
  if (observed.windows.empty()) return out;
  for (result::Finding& finding : family.findings()) out.findings.push_back(std::move(finding));
  if (observation.overflowed()) out.findings.push_back(result::findings::found("learn.grew", {}));
  describe(observed, out);
  return out;
}

// The command's process with the most memory, once one can be observed. null: the command has ended.
std::unique_ptr<observe::Target> next_target(Family& family, const std::function<bool()>& over) {
  constexpr std::chrono::milliseconds kPause{20};
  for (;;) {
    std::this_thread::sleep_for(kPause);
    family.look();
    const auto most = family.heavier_than(0, 0, 0);
    if (!most || over()) return nullptr;
    if (auto target = observe::Target::open(most->pid)) return std::make_unique<observe::Target>(std::move(*target));
  }
}

void put_first(Learnt& out, Learnt head) {
  head.profile = std::move(out.profile);
  for (auto& finding : out.findings) head.findings.push_back(std::move(finding));
  for (auto& evidence : out.evidence) head.evidence.push_back(std::move(evidence));
  out = std::move(head);
}

}  // namespace

base::Expected<void> check_learn(const LearnPlan& plan) {
  if (auto good = check(plan); !good) return good;
  if (const auto method = choose_method(plan.method); !method) return method.error();
  return {};
}

base::Expected<Learnt> learn(const LearnPlan& plan, std::atomic<std::uint32_t>* stop,
                             const std::function<void(const LearnProgress&)>& progress) {
  if (auto good = check(plan); !good) return good.error();
  auto first = observe::Target::open(plan.pid);
  if (!first) return first.error();
  const auto method = choose_method(plan.method);
  if (!method) return method.error();
  Learnt head;
  const std::string command = plan.command.empty() ? first->command() : plan.command;
  say_method(**method, head);

  const auto begin = std::chrono::steady_clock::now();
  const auto left_s = [&] {
    return plan.duration_s - std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto over = [&] { return (stop != nullptr && *stop > 0) || (plan.duration_s > 0 && left_s() <= 0); };
  Family family(plan.pid, plan.whole_command);
  family.look();
  std::optional<Learnt> learnt;
  for (auto target = std::make_unique<observe::Target>(std::move(*first)); target != nullptr;) {
    LearnPlan rest = plan;
    if (plan.duration_s > 0) rest.duration_s = std::max(left_s(), 1e-3);
    Observation observation(rest, **method, std::move(*target), family, stop, progress);
    Observed observed;
    auto seen = observe_once(observation, family, observed);
    if (!seen) return seen.error();
    if (seen->profile.working_set_bytes >= kFewPages * observe::kPageBytes) learnt = std::move(*seen);
    if (learnt && !observation.is_left()) break;
    target.reset();
    if (family.chooses() && !over()) target = next_target(family, over);
    if (!target && !learnt) return nothing_seen(observed, family, observation.findings());
  }
  learnt->profile.command = command;
  put_first(*learnt, std::move(head));
  return *learnt;
}

}  // namespace fathom::paging::learn
