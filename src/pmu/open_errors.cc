// One row per errno that users meet; strerror describes the others.
#include "pmu/open_errors.h"

#include <fmt/format.h>

#include <cerrno>

#include "host/machine/kernel_settings.h"

namespace fathom::pmu {
namespace {

struct Row {
  int err;
  std::string_view cause, help;
};
constexpr Row kRows[] = {
    {EINVAL, "the PMU does not accept this event as written",
     "`fathom pmu list -v` shows the terms and their ranges; a PMU outside a CPU accepts no :u, :k or :h, and some "
     "count "
     "nothing for a single task (add -a)"},
    {ENOENT, "the PMU has no such event", "`fathom pmu list` shows its events"},
    {EBUSY, "another user of the counter holds it exclusively",
     "end the other user (`perf`, a hypervisor, the NMI watchdog: `sysctl kernel.nmi_watchdog=0`) and try again"},
    {ENOSPC, "the PMU has no free counter for this event", "count fewer events at a time, or use `--passes`"},
    {ENODEV, "the PMU, or the CPU it counts on, no longer exists", "`fathom pmu list` shows the events that exist now"},
    {ESRCH, "the process or thread has ended or does not exist", "`ps -eL` shows the running processes and threads"},
    {EMFILE, "the process has no file descriptor left: an event needs one per CPU or task",
     "raise `ulimit -n`, for example `ulimit -n 65536`"},
    {E2BIG, "the event has a term in config3 or config4, which this kernel does not have",
     "use Linux 6.3 or later for config3, one later than 6.18 for config4"},
    {ENOSYS, "this kernel is built without perf events (CONFIG_PERF_EVENTS)", ""},
};

base::Error permission(base::Error error, bool system_wide, int paranoid) {
  const int wanted = system_wide ? 0 : 1;
  error.kind = base::ErrorKind::privilege;
  error.cause = paranoid == kParanoidUnknown
                    ? "the kernel does not permit this user to count the event"
                    : fmt::format("kernel.perf_event_paranoid is {}: without CAP_PERFMON it permits {}", paranoid,
                                  permitted_at(paranoid));
  error.help = fmt::format(
      "as root: `sysctl kernel.perf_event_paranoid={}`, or run as root, or `setcap cap_perfmon+ep` the program",
      wanted);
  return error;
}

}  // namespace

std::string_view permitted_at(int paranoid) {
  if (paranoid <= 0) return "everything but raw tracepoints of other users";
  if (paranoid == 1) return "events of your own tasks, kernel included (without -a)";
  if (paranoid == 2) return "events of your own tasks in user mode (without -a, with :u)";
  return "nothing without CAP_PERFMON";
}

int read_paranoid() {
  return static_cast<int>(host::machine::kernel_setting("kernel.perf_event_paranoid").value_or(kParanoidUnknown));
}

base::Error open_error(const events::Event& event, int err, bool system_wide, int paranoid) {
  base::Error error = base::system_error("open event `" + event.shown() + "`", err);
  if (err == EACCES || err == EPERM) return permission(std::move(error), system_wide, paranoid);
  for (const auto& row : kRows) {
    if (row.err != err) continue;
    error.cause = row.cause;
    error.help = row.help;
  }
  return error;
}

}  // namespace fathom::pmu
