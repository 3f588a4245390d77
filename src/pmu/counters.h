// Opens and reads the counters of a list of events. Errors: permission: the text has the current perf_event_paranoid
// and the value to set; a PMU that refuses a group (its events are then not_supported, as in perf).
// Thread rule: one thread.
#pragma once
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"
#include "pmu/events/event.h"
#include "pmu/perf_call.h"

namespace fathom::pmu {

// True if the event needs a hardware counter of a PMU, which are few. The kernel's own events (software, tracepoints)
// do not: any number of them counts at the same time, and slots would only lose what happens in between.
bool needs_a_counter(const events::Event& event);

struct OpenOptions {
  std::vector<pid_t> tasks;  // for Reach::task events, without all_cpus
  bool all_cpus = false;     // every task, on an event's CPUs
  bool inherit = true;       // children of the tasks too
  bool enable_on_exec = false;
  bool in_turns = false;  // the exec enables only events without a PMU counter; enable(event) gives the others slots
  const PerfCalls* calls = nullptr;  // nullptr: the kernel's
};

class Counters {
 public:
  // One entry per event, in order. An event that cannot be opened ends the call with an Error, except one that its PMU
  // refuses inside a group (not_supported). If some of several tasks have ended, they are omitted.
  static base::Expected<Counters> open(std::vector<events::Event> events, const OpenOptions& options);
  Counters(Counters&&) noexcept;
  Counters& operator=(Counters&&) noexcept;
  ~Counters();

  const std::vector<events::Event>& events() const;
  bool refused_in_group(std::size_t event) const;  // not_supported, but only together with the others of its group
  bool begins_by_exec(std::size_t event) const;    // the kernel enables it
  std::size_t descriptors(std::size_t event) const;
  base::Expected<void> enable();                   // all
  base::Expected<void> disable();                  // all
  base::Expected<void> enable(std::size_t event);  // one, for slots
  base::Expected<void> disable(std::size_t event);
  // The counts since open(). Narrow counters are unwrapped, so call this within half their wrap time. A source that
  // vanished leaves CountState::lost with the last count.
  std::vector<events::EventCount> read();
  events::EventCount read(std::size_t event);

 private:
  struct State;
  explicit Counters(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fathom::pmu
