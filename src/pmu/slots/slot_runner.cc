// One thread, one slot after the other. It sleeps on a condition variable, so that the end of the measured interval
// wakes it.
#include "pmu/slots/slot_runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "base/system/affinity.h"
#include "base/time.h"

namespace fathom::pmu::slots {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kManySlots = 1 << 15;  // enough for a precise estimate: from here, slots grow with the interval
// The fewest slots, regardless of their cost: a dozen long slots do not show their spread.
constexpr double kFewSlots = 64;
// After each kDoubleAfter slots, all lengths double, even without a request: a day of the shortest takes less than 100
// MB.
constexpr std::size_t kDoubleAfter = 1 << 16;

constexpr std::size_t kMostBeside = 4;        // events read at every slot
constexpr std::size_t kMostDescriptors = 16;  // of one such event: reading another CPU's counter interrupts that CPU

// The events that can be counted at all: those that need turns, or those that do not.
std::vector<std::uint32_t> that_count(const Counters& counters, const std::vector<events::EventCount>& counts,
                                      bool in_turns) {
  std::vector<std::uint32_t> events;
  for (std::uint32_t i = 0; i < counts.size(); ++i)
    if (counts[i].state != events::CountState::not_supported && needs_a_counter(counters.events()[i]) == in_turns)
      events.push_back(i);
  return events;
}

std::uint64_t drawn_seed() { return static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()); }

}  // namespace

double stretch_to_keep(std::size_t slots) { return std::ldexp(1.0, static_cast<int>(slots / kDoubleAfter)); }

double held_ns(const events::EventCount& before, const events::EventCount& after, double wall_ns, bool of_task) {
  const double enabled = static_cast<double>(after.enabled_ns - before.enabled_ns);
  if (enabled <= 0) return of_task ? wall_ns : 0;
  const double running = static_cast<double>(after.running_ns - before.running_ns);
  if (of_task) return wall_ns * running / enabled;
  const double all = static_cast<double>(after.enabled_ns), longest = static_cast<double>(after.window_ns);
  return running / std::max(1.0, std::round(all / std::max(1.0, longest)));
}

struct SlotRunner::State {
  Counters counters;
  SlotRunnerOptions options;
  SlotRun run;
  std::vector<std::uint32_t> takers;         // the schedule chooses from these
  std::vector<std::uint32_t> whole;          // these count for the whole interval
  std::vector<std::uint64_t> beside_before;  // of Beside::events, at the start of the slot
  double beside_ns = 0;
  SlotSchedule schedule;
  Clock::time_point origin;
  PlannedSlot current;
  Slot first;
  double mean_ns = 0;  // mean of the plans
  std::mutex mutex;
  std::condition_variable wake;
  bool stop = false;  // under mutex
  std::thread thread;

  State(Counters c, SlotRunnerOptions o)
      : counters(std::move(c)),
        options(std::move(o)),
        run{{}, 0, counters.read(), {}, {}, 0, 1, std::nullopt},
        takers(that_count(counters, run.counts, true)),
        whole(that_count(counters, run.counts, false)),
        schedule(takers.size(), options.plans, options.seed != 0 ? options.seed : drawn_seed()) {
    for (const auto& plan : options.plans) mean_ns += plan.mean_ns / static_cast<double>(options.plans.size());
    run.whole.resize(run.counts.size());
    for (const auto event : whole) run.whole[event] = true;
    for (const auto event : whole)
      if (takers.size() > 1 && run.beside.events.size() < kMostBeside &&
          counters.descriptors(event) <= kMostDescriptors)
        run.beside.events.push_back(event);
    beside_before.resize(run.beside.events.size());
  }

  PlannedSlot draw(double now_ns) {
    PlannedSlot slot = schedule.next(now_ns);
    slot.event = takers[slot.event];
    return slot;
  }
  double now_ns() const { return std::chrono::duration<double, std::nano>(Clock::now() - origin).count(); }
  bool sleep_until(double at_ns);
  void sub_read(Slot& slot, double at_ns);
  bool close_slot(Slot& slot, bool disable);
  bool open_slot(Slot& slot);
  void look_beside(bool keep);
  base::Expected<void> begin();
  void read_whole();
  void stay_near();
  void stay_cheap();
  bool loop();
};

// False: the measured interval has ended.
bool SlotRunner::State::sleep_until(double at_ns) {
  const auto at = origin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::nano>(at_ns));
  std::unique_lock lock(mutex);
  return !wake.wait_until(lock, at, [this] { return stop; });
}

// If all events count on one CPU, this thread stays there. Without permission to, it also works from another CPU.
void SlotRunner::State::stay_near() {
  const auto& events = counters.events();
  const auto& cpus = events.front().cpus;
  const bool one = cpus.size() == 1 && std::all_of(events.begin(), events.end(),
                                                   [&](const events::Event& event) { return event.cpus == cpus; });
  if (one) base::system::run_on(cpus);
}

// A read in the middle of a slot: the load may follow the slots (slots.h, `locked`).
void SlotRunner::State::sub_read(Slot& slot, double at_ns) {
  if (at_ns <= 0 || !sleep_until(at_ns)) return;
  const events::EventCount& before = run.counts[slot.event];
  const double wall_ns = now_ns() - slot.start_ns;
  const events::EventCount middle = counters.read(slot.event);
  if (middle.state != events::CountState::counted) return;
  slot.sub_count = static_cast<double>(middle.raw - before.raw);
  slot.sub_ns = held_ns(before, middle, wall_ns, options.of_task);
}

// Both: false if the source has vanished; the count until then remains.
bool SlotRunner::State::open_slot(Slot& slot) {
  const double before_ns = now_ns();
  const bool done = counters.enable(slot.event).ok();
  slot.edge_ns += now_ns() - before_ns;
  return done;
}

bool SlotRunner::State::close_slot(Slot& slot, bool disable) {
  const double at_ns = now_ns(), wall_ns = at_ns - slot.start_ns;
  if (disable && !counters.disable(slot.event)) return false;
  if (disable) slot.edge_ns += now_ns() - at_ns;
  events::EventCount& before = run.counts[slot.event];
  const events::EventCount after = counters.read(slot.event);
  if (after.state == events::CountState::lost) return false;
  slot.count = static_cast<double>(after.raw - before.raw);
  slot.length_ns = held_ns(before, after, wall_ns, options.of_task);
  before = after;
  run.slots.push_back(slot);
  return true;
}

// Reads the events that count all the time. keep: stores their growth since the start of the slot that was just closed.
void SlotRunner::State::look_beside(bool keep) {
  if (beside_before.empty()) return;
  const double at_ns = now_ns();
  for (std::size_t i = 0; i < beside_before.size(); ++i) {
    const std::uint64_t now = counters.read(run.beside.events[i]).raw;
    if (keep) run.beside.grown.push_back(static_cast<double>(now - beside_before[i]));
    beside_before[i] = now;
  }
  if (keep) run.beside.wall_ns.push_back(at_ns - beside_ns);
  beside_ns = at_ns;
}

// Enables the events that count for the whole interval, then the event of the first slot.
base::Expected<void> SlotRunner::State::begin() {
  for (const auto event : whole) {
    if (counters.begins_by_exec(event)) continue;
    if (auto done = counters.enable(event); !done) return done;
  }
  if (takers.empty()) return {};
  current = draw(0);
  first = {current.event, 0, 0, 0, 0, current.plan, 0, 0, 0};
  if (auto done = counters.enable(current.event); !done) return done;
  first.edge_ns = now_ns();
  look_beside(false);
  return {};
}

void SlotRunner::State::read_whole() {
  for (const auto event : whole) {
    (void)counters.disable(event);  // an event that cannot be stopped is gone, and its last value remains
    run.counts[event] = counters.read(event);
  }
}

// Once per round: keeps this thread within its share, and lengthens slots in an interval with many of them.
void SlotRunner::State::stay_cheap() {
  const double slots = static_cast<double>(run.slots.size());
  run.stretch = stretch_to_keep(run.slots.size());
  if (options.cpu_share > 0) {
    const double affordable_ns = static_cast<double>(base::thread_cpu_ns()) / slots / options.cpu_share;
    const double cheap = std::max(affordable_ns / mean_ns, slots / static_cast<double>(kManySlots));
    run.stretch = std::max(run.stretch, std::min(cheap, now_ns() / kFewSlots / mean_ns));
  }
  schedule.stretch(run.stretch);
}

// False: lost.
bool SlotRunner::State::loop() {
  if (takers.empty()) {
    std::unique_lock lock(mutex);
    wake.wait(lock, [this] { return stop; });
    return true;
  }
  stay_near();
  Slot slot = first;
  while (true) {
    sub_read(slot, current.sub_ns);
    const bool goes_on = sleep_until(current.end_ns);
    const PlannedSlot next = draw(now_ns());
    const bool changes = !goes_on || next.event != current.event;
    if (!close_slot(slot, changes)) return false;
    look_beside(true);
    if (!goes_on) return true;
    slot = {next.event, now_ns(), 0, 0, next.round, next.plan, 0, 0, 0};
    if (changes && !open_slot(slot)) return false;
    if (next.round != current.round) stay_cheap();
    current = next;
  }
}

SlotRunner::SlotRunner(std::unique_ptr<State> state) : state_(std::move(state)) {}

SlotRunner::~SlotRunner() {
  if (state_->thread.joinable()) finish();
}

base::Expected<std::unique_ptr<SlotRunner>> SlotRunner::start(Counters counters, SlotRunnerOptions options) {
  auto state = std::make_unique<State>(std::move(counters), std::move(options));
  state->origin = Clock::now();
  if (state->takers.empty() && state->whole.empty()) {
    base::Error error;
    error.what = "none of the events can be counted on this machine";
    return error;
  }
  if (auto begun = state->begin(); !begun) return begun.error();
  State* const raw = state.get();
  state->thread = std::thread([raw] {
    const bool to_the_end = raw->loop();
    raw->run.window_ns = raw->now_ns();
    if (!to_the_end) raw->run.lost_at_ns = raw->run.window_ns;
    raw->run.cpu_ns = static_cast<double>(base::thread_cpu_ns());
  });
  return std::unique_ptr<SlotRunner>(new SlotRunner(std::move(state)));
}

void SlotRunner::end_turns() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_one();
  if (state_->thread.joinable()) state_->thread.join();
}

SlotRun SlotRunner::finish() {
  end_turns();
  state_->read_whole();
  return std::move(state_->run);
}

}  // namespace fathom::pmu::slots
