// Error texts for events that the kernel does not open. Pure. Source: perf_event_open(2), "ERRORS";
// Documentation/admin-guide/perf-security.rst.
#pragma once
#include <string_view>

#include "base/error.h"
#include "pmu/events/event.h"

namespace fathom::pmu {

constexpr int kParanoidUnknown = 100;
// /proc/sys/kernel/perf_event_paranoid, or kParanoidUnknown.
int read_paranoid();
// What a process without CAP_PERFMON may count at that value: "events of your own tasks in user mode ...".
std::string_view permitted_at(int paranoid);

// The error for errno `err`. system_wide: the event was to count every task. ErrorKind::privilege: permission is
// missing.
base::Error open_error(const events::Event& event, int err, bool system_wide, int paranoid);

}  // namespace fathom::pmu
