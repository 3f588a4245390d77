// One thread, one slot after the other. It sleeps on a condition variable, so that the end of the window wakes it.
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

constexpr std::size_t kManySlots = 1 << 15;  // a window of so many is known well enough: slots grow with it from here
// And this many it keeps, cheap or not: a dozen long slots say nothing of their spread.
constexpr double kFewSlots = 64;
// After every so many all lengths double, asked for or not: a day of the shortest takes less than 100 MB.
constexpr std::size_t kDoubleAfter = 1 << 16;

constexpr std::size_t kMostBeside = 4;        // events that are read at every slot
constexpr std::size_t kMostDescriptors = 16;  // of one of them: a reading of another CPU's counter interrupts it

// Of the events that can count at all: those that take turns, or those that need not.
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
  std::vector<std::uint32_t> takers;         // what the schedule draws from
  std::vector<std::uint32_t> whole;          // what counts for the whole window
  std::vector<std::uint64_t> beside_before;  // of run.beside, at the slot's begin
  double beside_ns = 0;
  SlotSchedule schedule;
  Clock::time_point origin;
  PlannedSlot current;
  Slot first;
  double mean_ns = 0;  // of the plans
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

// False: the window has ended.
bool SlotRunner::State::sleep_until(double at_ns) {
  const auto at = origin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::nano>(at_ns));
  std::unique_lock lock(mutex);
  return !wake.wait_until(lock, at, [this] { return stop; });
}

// Where all events count on one CPU, stay there. Without leave to, it works from afar as well.
void SlotRunner::State::stay_near() {
  const auto& events = counters.events();
  const auto& cpus = events.front().cpus;
  const bool one = cpus.size() == 1 && std::all_of(events.begin(), events.end(),
                                                   [&](const events::Event& event) { return event.cpus == cpus; });
  if (one) base::system::run_on(cpus);
}

// A reading in the middle: the load may follow the slots (slots.h, `locked`).
void SlotRunner::State::sub_read(Slot& slot, double at_ns) {
  if (at_ns <= 0 || !sleep_until(at_ns)) return;
  const events::EventCount& before = run.counts[slot.event];
  const double wall_ns = now_ns() - slot.start_ns;
  const events::EventCount middle = counters.read(slot.event);
  if (middle.state != events::CountState::counted) return;
  slot.sub_count = static_cast<double>(middle.raw - before.raw);
  slot.sub_ns = held_ns(before, middle, wall_ns, options.of_task);
}

// Both: false if the source has vanished; what was counted until then stays.
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

// How far what is counted all the time has come; keep: since the slot's begin, for the slot that was closed.
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

// Enables what counts for the whole window, then the first slot's event.
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
    (void)counters.disable(event);  // what cannot be stopped is gone, and its last reading stands
    run.counts[event] = counters.read(event);
  }
}

// Once a round: so that this thread stays within its share, and longer in a window of many slots.
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
