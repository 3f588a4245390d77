// Open counters of a list of events. Errors: permission says what perf_event_paranoid allows and what to set; a PMU
// that refuses a group says so (its events are then not_supported, as perf does). Thread rule: one thread.
#pragma once
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"
#include "pmu/events/event.h"
#include "pmu/perf_call.h"

namespace fathom::pmu {

// A counter of a PMU, of which there are few. The kernel's own events (software, tracepoints) need none: any number of
// them counts at the same time, so that turns would only lose what happens in between.
bool needs_a_counter(const events::Event& event);

struct OpenOptions {
  std::vector<pid_t> tasks;  // of Reach::task events, without all_cpus
  bool all_cpus = false;     // every task, on an event's CPUs
  bool inherit = true;       // children of the tasks too
  bool enable_on_exec = false;
  bool in_turns = false;  // the exec enables only what needs no counter; the others get their slots by enable(event)
  const PerfCalls* calls = nullptr;  // nullptr: the kernel's
};

class Counters {
 public:
  // One entry an event, in order. An event that cannot be opened ends the call with an Error, except one that its PMU
  // refuses inside a group (not_supported). Of several tasks, those that have ended are left out.
  static base::Expected<Counters> open(std::vector<events::Event> events, const OpenOptions& options);
  Counters(Counters&&) noexcept;
  Counters& operator=(Counters&&) noexcept;
  ~Counters();

  const std::vector<events::Event>& events() const;
  bool refused_in_group(std::size_t event) const;  // not_supported, but only beside the others of its group
  bool begins_by_exec(std::size_t event) const;    // the kernel enables it
  std::size_t descriptors(std::size_t event) const;
  base::Expected<void> enable();                   // all
  base::Expected<void> disable();                  // all
  base::Expected<void> enable(std::size_t event);  // one, for slots
  base::Expected<void> disable(std::size_t event);
  // Now, since open; narrow counters are unwrapped, so call it within half their wrap time. A source that vanished
  // leaves CountState::lost with what was read last.
  std::vector<events::EventCount> read();
  events::EventCount read(std::size_t event);

 private:
  struct State;
  explicit Counters(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fathom::pmu
