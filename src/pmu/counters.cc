// One perf_event_open(2) per event and per CPU or task. A group is a leader and siblings on the same CPU. The sum so
// far is kept in addition to the last value: a counter narrower than 64 bits may wrap between two reads.
#include "pmu/counters.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "pmu/events/places.h"
#include "pmu/open_errors.h"
#include "pmu/scaling.h"

namespace fathom::pmu {
namespace {

// One file descriptor: an event on one CPU, or for one task.
struct Where {
  pid_t task = -1;
  int cpu = -1;
  bool operator==(const Where&) const = default;
};
struct One {
  int fd = -1;  // below 0: the task had ended
  Where where;
  bool leads = true;  // no group, or the leader of its group: enabling it enables the group
  std::uint64_t last = 0;
  events::Reading sum;
  events::CountState state = events::CountState::not_counted;
};

struct Opened {
  std::vector<One> ones;
  bool supported = true;
  bool refused_in_group = false;
  bool on_exec = false;  // the kernel enables it
};

// True for a kernel type (not a PMU of sysfs) without a counter on this machine. It is shown as unsupported and is no
// error.
bool may_be_absent(const events::Event& event, int err) {
  const bool generic =
      event.type == PERF_TYPE_HARDWARE || event.type == PERF_TYPE_HW_CACHE || event.type == PERF_TYPE_RAW;
  return generic && (err == ENOENT || err == ENXIO || err == EOPNOTSUPP || err == ENODEV);
}

// Headers older than Linux 6.3 end before config3, those up to 6.18 before config4. The kernel reads the words that
// follow.
struct Attribute : perf_event_attr {
#ifndef PERF_ATTR_SIZE_VER8
  static_assert(sizeof(perf_event_attr) == PERF_ATTR_SIZE_VER7);
  std::uint64_t config3;
#endif
#ifndef PERF_ATTR_SIZE_VER9
  std::uint64_t config4;
#endif
};
constexpr std::uint32_t kPlainSize = PERF_ATTR_SIZE_VER7, kSizeToConfig3 = 136, kSizeToConfig4 = 144;
static_assert(sizeof(Attribute) >= kSizeToConfig4);

Attribute attribute_of(const events::Event& event) {
  Attribute attr;
  std::memset(static_cast<void*>(&attr), 0, sizeof attr);
  attr.size = event.config[4] != 0 ? kSizeToConfig4 : event.config[3] != 0 ? kSizeToConfig3 : kPlainSize;
  attr.type = event.type;
  attr.config = event.config[0];
  attr.config1 = event.config[1];
  attr.config2 = event.config[2];
  attr.config3 = event.config[3];
  attr.config4 = event.config[4];
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attr.disabled = 1;
  attr.exclude_user = event.exclude_user;
  attr.exclude_kernel = event.exclude_kernel;
  attr.exclude_hv = event.exclude_hv;
  attr.pinned = event.pinned;
  return attr;
}

std::vector<Where> on_its_cpus(const events::Event& event) {
  std::vector<Where> all;
  for (const int cpu : event.cpus.empty() ? events::online_cpus() : event.cpus) all.push_back({-1, cpu});
  return all;
}

}  // namespace

bool needs_a_counter(const events::Event& event) {
  return event.type != PERF_TYPE_SOFTWARE && event.type != PERF_TYPE_TRACEPOINT;
}

struct Counters::State {
  std::vector<events::Event> events;
  std::vector<Opened> opened;
  OpenOptions options;
  const PerfCalls* calls = nullptr;
  std::map<int, std::size_t> leaders;  // group number -> event

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  bool of_task(const events::Event& event) const { return event.reach == events::Reach::task && !options.all_cpus; }
  base::Expected<void> open_all();
  base::Expected<void> open_event(std::size_t index);
  int open_everywhere(std::size_t index, const std::vector<Where>& wheres, bool of_task);
  const Opened* leader_of(std::size_t index, const std::vector<Where>& wheres) const;
  void close(Opened& one);
  base::Expected<void> control(std::size_t index, unsigned long request, bool leaders_only);
  void look_at(const events::Event& event, One& one) const;
};

Counters::State::~State() {
  for (auto& event : opened) close(event);
}

// Siblings first: closing a leader would turn them into leaders.
void Counters::State::close(Opened& event) {
  for (auto& one : event.ones)
    if (one.fd >= 0) calls->close(std::exchange(one.fd, -1));
  event.ones.clear();
}

// The event with the descriptors that this one's join. null: it has no group, leads it, or the leader counts at other
// places.
const Opened* Counters::State::leader_of(std::size_t index, const std::vector<Where>& wheres) const {
  const auto found = leaders.find(events[index].group);
  if (events[index].group < 0 || found == leaders.end()) return nullptr;
  const Opened& leader = opened[found->second];
  const bool same = std::equal(wheres.begin(), wheres.end(), leader.ones.begin(), leader.ones.end(),
                               [](const Where& where, const One& one) { return where == one.where; });
  return same ? &leader : nullptr;
}

// Returns 0, or the errno of the first failure. After a failure none stays open.
int Counters::State::open_everywhere(std::size_t index, const std::vector<Where>& wheres, bool task) {
  const events::Event& event = events[index];
  Opened& into = opened[index];
  const Opened* leader = leader_of(index, wheres);
  Attribute attr = attribute_of(event);
  attr.disabled = leader == nullptr;
  attr.inherit = task && options.inherit;
  attr.enable_on_exec = into.on_exec =
      task && options.enable_on_exec && leader == nullptr && !(options.in_turns && needs_a_counter(event));
  if (leader != nullptr) attr.pinned = 0;
  std::size_t ended = 0;
  for (std::size_t i = 0; i < wheres.size(); ++i) {
    One one;
    one.where = wheres[i];
    one.leads = leader == nullptr;
    one.fd = calls->open(&attr, one.where.task, one.where.cpu, leader ? leader->ones[i].fd : -1, PERF_FLAG_FD_CLOEXEC);
    if (one.fd == -ESRCH && ++ended < wheres.size()) {
      into.ones.push_back(one);
      continue;
    }
    if (one.fd < 0) {
      close(into);
      return -one.fd;
    }
    into.ones.push_back(one);
  }
  return 0;
}

base::Expected<void> Counters::State::open_event(std::size_t index) {
  events::Event& event = events[index];
  bool task = of_task(event);
  std::vector<Where> wheres;
  for (const pid_t one : options.tasks) wheres.push_back({one, -1});
  if (!task) wheres = on_its_cpus(event);
  int err = open_everywhere(index, wheres, task);
  if (task && (err == EACCES || err == EPERM) && !event.exclude_kernel && !event.exclude_user) {
    event.exclude_kernel = event.exclude_hv = true;  // what perf_event_paranoid=2 permits
    event.modifiers += 'u';
    err = open_everywhere(index, wheres, task);
    if (err != 0) event.exclude_kernel = event.exclude_hv = false, event.modifiers.pop_back();
  }
  if (task && (err == EINVAL || err == EOPNOTSUPP) &&
      event.type >= PERF_TYPE_MAX) {  // a PMU without a cpumask that cannot count tasks
    task = false;
    event.reach = events::Reach::system;
    err = open_everywhere(index, on_its_cpus(event), task);
  }
  if (err == 0) {
    if (event.group >= 0) leaders.emplace(event.group, index);
    return {};
  }
  const bool refused_in_group = err == EINVAL && leaders.count(event.group) > 0;
  const bool lane_it_lacks = err == EINVAL && event.lane > 0;
  opened[index].supported = false;
  opened[index].refused_in_group = refused_in_group;
  if (refused_in_group || lane_it_lacks || may_be_absent(event, err)) return {};
  return open_error(event, err, !task, read_paranoid());
}

base::Expected<void> Counters::State::open_all() {
  opened.resize(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    auto done = open_event(i);
    if (!done) return done.error();
    for (auto& one : opened[i].ones) {
      look_at(events[i], one);  // its start value
      one.sum = {};
    }
  }
  return {};
}

base::Expected<void> Counters::State::control(std::size_t index, unsigned long request, bool leaders_only) {
  for (const auto& one : opened[index].ones) {
    if (one.fd < 0 || (leaders_only && !one.leads)) continue;
    const int done = calls->control(one.fd, request, 0);
    if (done < 0) return base::system_error("start or stop event `" + events[index].shown() + "`", -done);
  }
  return {};
}

// Adds the growth since the last read. An empty read means that the event could not stay on its counter.
void Counters::State::look_at(const events::Event& event, One& one) const {
  if (one.fd < 0) return;
  events::Reading now;
  const std::ptrdiff_t n = calls->read(one.fd, &now, sizeof now);
  if (n != static_cast<std::ptrdiff_t>(sizeof now)) {
    one.state = n == 0 && event.pinned ? events::CountState::taken : events::CountState::lost;
    return;
  }
  one.sum.value += grown(one.last, now.value, event.width_bits);
  one.sum.enabled_ns = now.enabled_ns;
  one.sum.running_ns = now.running_ns;
  one.last = now.value;
}

Counters::Counters(std::unique_ptr<State> state) : state_(std::move(state)) {}
Counters::Counters(Counters&&) noexcept = default;
Counters& Counters::operator=(Counters&&) noexcept = default;
Counters::~Counters() = default;

base::Expected<Counters> Counters::open(std::vector<events::Event> events, const OpenOptions& options) {
  auto state = std::make_unique<State>();
  state->events = std::move(events);
  state->options = options;
  state->calls = options.calls != nullptr ? options.calls : &kernel_calls();
  auto done = state->open_all();
  if (!done) return done.error();
  return Counters(std::move(state));
}

const std::vector<events::Event>& Counters::events() const { return state_->events; }

bool Counters::refused_in_group(std::size_t event) const { return state_->opened[event].refused_in_group; }

bool Counters::begins_by_exec(std::size_t event) const { return state_->opened[event].on_exec; }

std::size_t Counters::descriptors(std::size_t event) const { return state_->opened[event].ones.size(); }

base::Expected<void> Counters::enable() {
  for (std::size_t i = 0; i < state_->events.size(); ++i) {
    if (state_->opened[i].on_exec) continue;
    auto done = state_->control(i, PERF_EVENT_IOC_ENABLE, true);
    if (!done) return done;
  }
  return {};
}

base::Expected<void> Counters::disable() {
  base::Expected<void> first;
  for (std::size_t i = 0; i < state_->events.size(); ++i) {
    auto done = state_->control(i, PERF_EVENT_IOC_DISABLE, true);
    if (!done && first) first = done;
  }
  return first;
}

base::Expected<void> Counters::enable(std::size_t event) {
  return state_->control(event, PERF_EVENT_IOC_ENABLE, false);
}
base::Expected<void> Counters::disable(std::size_t event) {
  return state_->control(event, PERF_EVENT_IOC_DISABLE, false);
}

events::EventCount Counters::read(std::size_t event) {
  std::vector<events::EventCount> parts;
  for (auto& one : state_->opened[event].ones) {
    if (one.state != events::CountState::lost && one.state != events::CountState::taken)
      state_->look_at(state_->events[event], one);
    events::EventCount part = scale(one.sum);
    if (one.state == events::CountState::lost || one.state == events::CountState::taken) part.state = one.state;
    parts.push_back(part);
  }
  events::EventCount count = sum(parts);
  if (!state_->opened[event].supported) count.state = events::CountState::not_supported;
  return count;
}

std::vector<events::EventCount> Counters::read() {
  std::vector<events::EventCount> counts;
  for (std::size_t i = 0; i < state_->events.size(); ++i) counts.push_back(read(i));
  return counts;
}

}  // namespace fathom::pmu
