// Counters are opened before the command runs, and enabled immediately before it or by its exec. Events of the whole
// system and counters narrower than 64 bits are read at intervals. If a PMU disappears, the last values are kept.
#include "session/count.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>

#include "host/proc/text_file.h"

namespace fathom::session {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kLookEvery_s = 1, kLookAtNarrowEvery_s = 0.2, kLookAtTasksEvery_s = 0.1;

double in_s(std::uint64_t ms) { return static_cast<double>(ms) / 1e3; }

// A zombie has ended too: its counts no longer change.
bool has_ended(pid_t task) {
  const std::string stat = host::proc::read_line(fmt::format("/proc/{}/stat", task));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return true;
  const char state = stat[name_end + 2];
  return state == 'Z' || state == 'X';
}

// The signal for the command; 0: no signal.
int signal_of(StopLevel level) {
  return level == StopLevel::terminate ? SIGTERM : level == StopLevel::kill ? SIGKILL : 0;
}

base::Error cannot_start(const std::string& name, int err) {
  base::Error error;
  error.what = "the command `" + name + "` cannot be started: " + std::strerror(err);
  error.help = err == ENOENT ? "check that the command is in PATH" : "";
  error.sys_errno = err;
  return error;
}

class Count {
 public:
  explicit Count(const CountPlan& plan) : plan_(plan) {}
  base::Expected<Counted> run(bool& not_started);

 private:
  base::Expected<pmu::Counters> open(const std::vector<pmu::events::Event>& events, pid_t pid);
  base::Expected<pmu::Counters> open_or_apart(pid_t pid);
  void say_what_changed();
  bool has_vanished(const pmu::events::Event& event) const;
  bool one_has_vanished() const;
  void watch(std::optional<base::system::Subprocess>& work, pmu::Counters& counters);
  base::Expected<Counted> run_slots(std::optional<base::system::Subprocess>& work, pmu::Counters counters,
                                    bool& not_started);
  base::Expected<void> begin(std::optional<base::system::Subprocess>& work, pmu::Counters& counters, bool& not_started);
  bool tasks_have_ended() const;
  std::optional<base::system::Ended> pause(std::optional<base::system::Subprocess>& work, double until_s);
  bool interrupted(const std::optional<base::system::Subprocess>& work);
  void look(pmu::Counters& counters);
  double now_s() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  const CountPlan& plan_;
  Counted counted_;
  Clock::time_point start_{};
  StopLevel seen_ = StopLevel::none;
  bool timed_out_ = false;
};

base::Expected<pmu::Counters> Count::open(const std::vector<pmu::events::Event>& events, pid_t pid) {
  pmu::OpenOptions options;
  options.tasks = plan_.tasks;
  if (pid > 0 && plan_.tasks.empty()) options.tasks = {pid};
  options.all_cpus = plan_.all_cpus;
  options.enable_on_exec = pid > 0 && plan_.tasks.empty() && plan_.delay_ms == 0;
  options.in_turns = plan_.slots.has_value();
  options.calls = plan_.calls;
  return pmu::Counters::open(events, options);
}

// perf shows a group that its PMU rejects as not counted. fathom counts the events of the group separately, with a
// note.
base::Expected<pmu::Counters> Count::open_or_apart(pid_t pid) {
  auto counters = open(plan_.events, pid);
  if (!counters) return counters;
  const auto& events = counters->events();
  std::set<int> refused;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (counters->refused_in_group(i) && refused.insert(events[i].group).second)
      counted_.notes.push_back(
          fmt::format("{} rejects {} in one group with the others: its events are counted separately, in turn if "
                      "counters are too few (--passes "
                      "counts each alone)",
                      events[i].pmu, events[i].shown()));
  }
  if (refused.empty()) return counters;
  std::vector<pmu::events::Event> apart = events;
  for (auto& event : apart)
    if (refused.count(event.group) > 0) event.group = -1;
  return open(apart, pid);
}

void Count::say_what_changed() {
  for (std::size_t i = 0; i < counted_.events.size(); ++i) {
    const auto& event = counted_.events[i];
    if (event.modifiers != plan_.events[i].modifiers)
      counted_.notes.push_back(
          fmt::format("{}: user mode only, as kernel.perf_event_paranoid allows no more", event.shown()));
    if (event.reach != plan_.events[i].reach)
      counted_.notes.push_back(fmt::format(
          "{}: its PMU cannot count a single task: the count covers the whole machine, not only the command",
          event.shown()));
  }
}

bool Count::has_vanished(const pmu::events::Event& event) const {
  if (event.type < PERF_TYPE_MAX || (plan_.calls != nullptr && plan_.prefix.empty())) return false;
  return ::access((plan_.prefix + "/sys/bus/event_source/devices/" + event.pmu).c_str(), F_OK) != 0;
}

bool Count::one_has_vanished() const {
  return std::any_of(counted_.events.begin(), counted_.events.end(), [this](const auto& e) { return has_vanished(e); });
}

bool Count::interrupted(const std::optional<base::system::Subprocess>& work) {
  const StopLevel level = plan_.stop != nullptr ? plan_.stop->load() : StopLevel::none;
  if (level == seen_) return false;
  seen_ = level;
  if (work && signal_of(level) != 0) work->send(signal_of(level));
  return true;
}

std::optional<base::system::Ended> Count::pause(std::optional<base::system::Subprocess>& work, double until_s) {
  const int ms = static_cast<int>(std::max(0.0, (until_s - now_s()) * 1e3)) + 1;
  if (work) return work->wait(ms);
  ::poll(nullptr, 0, ms);
  return std::nullopt;
}

// A PMU without its directory in sysfs is lost, even if the kernel still answers. Later values are not used.
void Count::look(pmu::Counters& counters) {
  counted_.counts.resize(counted_.events.size());
  for (std::size_t i = 0; i < counted_.counts.size(); ++i) {
    if (counted_.lost_at_s[i]) continue;
    auto& count = counted_.counts[i];
    if (has_vanished(counted_.events[i]))
      count.state = pmu::events::CountState::lost;
    else
      count = counters.read(i);
    if (count.state == pmu::events::CountState::lost) counted_.lost_at_s[i] = now_s();
  }
}

void Count::watch(std::optional<base::system::Subprocess>& work, pmu::Counters& counters) {
  const bool narrow =
      std::any_of(counted_.events.begin(), counted_.events.end(), [](const auto& e) { return e.width_bits < 64; });
  const bool uncore = std::any_of(counted_.events.begin(), counted_.events.end(),
                                  [](const auto& e) { return e.reach == pmu::events::Reach::system; });
  const double never = 1e9, interval_s = in_s(plan_.interval_ms);
  const double every_s = narrow ? kLookAtNarrowEvery_s : uncore ? kLookEvery_s : never;
  double look_at_s = every_s, show_at_s = interval_s > 0 ? interval_s : never;
  double end_at_s = plan_.timeout_ms > 0 ? in_s(plan_.timeout_ms) : never;
  const double wake_every_s = work || plan_.tasks.empty() ? kLookEvery_s : kLookAtTasksEvery_s;
  while (true) {
    counted_.ended = pause(work, std::min({look_at_s, show_at_s, end_at_s, now_s() + wake_every_s}));
    if (counted_.ended) return;
    interrupted(work);
    if (!work && (seen_ != StopLevel::none || tasks_have_ended())) return;
    const double now = now_s();
    if (now >= end_at_s) {
      if (!work) return;
      work->send(SIGTERM);
      timed_out_ = true;
      end_at_s = never;
    }
    if (now >= look_at_s) look(counters), look_at_s = now + every_s;
    if (now < show_at_s) continue;
    look(counters);
    if (!plan_.on_interval(now_s(), counted_.counts)) {
      if (!work) return;
      work->send(SIGTERM);
      show_at_s = never;
    }
    while (show_at_s <= now) show_at_s += interval_s;
  }
}

// The events take turns. Nothing is read before the end of the window.
base::Expected<Counted> Count::run_slots(std::optional<base::system::Subprocess>& work, pmu::Counters counters,
                                         bool& not_started) {
  pmu::slots::SlotRunnerOptions how = *plan_.slots;
  how.of_task = !plan_.all_cpus && std::any_of(counted_.events.begin(), counted_.events.end(), [](const auto& event) {
    return event.reach == pmu::events::Reach::task;
  });
  start_ = Clock::now();
  auto slots = pmu::slots::SlotRunner::start(std::move(counters), how);
  if (!slots) return slots.error();
  if (work) {
    if (const int err = work->let_go(); err != 0) return not_started = true, cannot_start(plan_.command[0], err);
  }
  bool vanished = false;
  do {
    counted_.ended = pause(work, now_s() + kLookEvery_s);
    if (vanished || !one_has_vanished()) continue;
    vanished = true;
    (*slots)->end_turns();
  } while (!counted_.ended && !(interrupted(work) && !work));
  counted_.slots = (*slots)->finish();
  if (vanished && !counted_.slots->lost_at_ns) counted_.slots->lost_at_ns = counted_.slots->window_ns;
  counted_.elapsed_s = now_s();
  for (std::size_t i = 0; counted_.slots->lost_at_ns && i < counted_.lost_at_s.size(); ++i)
    if (!counted_.slots->whole[i]) counted_.lost_at_s[i] = *counted_.slots->lost_at_ns / 1e9;
  counted_.open = std::shared_ptr<pmu::slots::SlotRunner>(std::move(*slots));
  return std::move(counted_);
}

bool Count::tasks_have_ended() const {
  return !plan_.tasks.empty() && std::all_of(plan_.tasks.begin(), plan_.tasks.end(), has_ended);
}

// Starts to count: at the exec of the command, or after a delay.
base::Expected<void> Count::begin(std::optional<base::system::Subprocess>& work, pmu::Counters& counters,
                                  bool& not_started) {
  start_ = Clock::now();
  if (plan_.delay_ms == 0)
    if (auto done = counters.enable(); !done) return done;
  if (work) {
    if (const int err = work->let_go(); err != 0) return not_started = true, cannot_start(plan_.command[0], err);
  }
  if (plan_.delay_ms == 0) return {};
  const double begin_s = in_s(plan_.delay_ms);
  while (!counted_.ended && now_s() < begin_s && (work || seen_ == StopLevel::none)) {
    counted_.ended = pause(work, begin_s);
    interrupted(work);
  }
  start_ = Clock::now();
  return counters.enable();
}

base::Expected<Counted> Count::run(bool& not_started) {
  std::optional<base::system::Subprocess> work;
  if (!plan_.command.empty()) {
    auto held =
        base::system::Subprocess::hold(plan_.command, base::system::Subprocess::Orphan::killed, plan_.before_exec);
    if (!held) return held.error();
    work.emplace(std::move(*held));
  }
  auto counters = open_or_apart(work && !plan_.all_cpus ? work->pid() : -1);
  if (!counters) return counters.error();
  counted_.events = counters->events();
  counted_.lost_at_s.resize(counted_.events.size());
  say_what_changed();
  if (plan_.slots) return run_slots(work, std::move(*counters), not_started);
  if (auto done = begin(work, *counters, not_started); !done) return done.error();
  if (!counted_.ended) watch(work, *counters);
  if (timed_out_ && counted_.ended && counted_.ended->status == base::system::kBySignal + SIGTERM)
    counted_.ended->status = 0;  // the timeout was requested
  (void)counters->disable();     // if counters cannot be stopped, their PMU is gone and the last reading is used
  counted_.elapsed_s = now_s();
  look(*counters);
  if (plan_.interval_ms > 0) (void)plan_.on_interval(counted_.elapsed_s, counted_.counts);
  counted_.open = std::make_shared<pmu::Counters>(std::move(*counters));
  return std::move(counted_);
}

}  // namespace

base::Expected<Counted> count_once(const CountPlan& plan, bool& not_started) {
  not_started = false;
  return Count(plan).run(not_started);
}

}  // namespace fathom::session
