// The permissions of this process: its capabilities, its limits and those of its cgroups. Also the stale state
// of killed runs.
#include <fmt/format.h>
#include <linux/capability.h>

#include "audit/doctor/lines.h"
#include "base/text/unit_text.h"

namespace fathom::audit::doctor {
namespace {

struct Capability {
  unsigned number;
  const char *name, *cost;
  bool of_admin;  // CAP_SYS_ADMIN includes it
};
constexpr Capability kCapabilities[] = {
    {CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "no swap for `fathom paging`, no health logs of disks (`--audit=smart`)", false},
    {CAP_PERFMON, "CAP_PERFMON", "kernel.perf_event_paranoid limits the events", true},
    {CAP_BPF, "CAP_BPF", "no latency by layer (`--breakdown`)", true},
    {CAP_IPC_LOCK, "CAP_IPC_LOCK", "`ulimit -l` limits locked memory", false},
    {CAP_SYS_NICE, "CAP_SYS_NICE", "no real-time I/O priority (`prioclass=1`), no negative `nice=`", false}};

void join(std::string& list, const std::string& more, const char* separator) {
  list += (list.empty() ? "" : separator) + more;
}

bool has(const Facts& f, const Capability& row) {
  return f.rights.has(row.number) || (row.of_admin && f.rights.has(CAP_SYS_ADMIN));
}

bool may_count_all(const Facts& f) { return f.rights.has(CAP_PERFMON) || f.rights.has(CAP_SYS_ADMIN); }

std::string user_text(const Facts& f) {
  return f.rights.user ? fmt::format("user {}", *f.rights.user) : std::string("unknown user");
}

std::string setting_text(const char* name, const std::optional<std::int64_t>& value) {
  return value ? fmt::format("{}={}", name, *value) : fmt::format("{} is unknown", name);
}

}  // namespace

void check_capabilities(const Facts& f, Lines& out) {
  std::string present, missing, cost;
  for (const auto& row : kCapabilities) {
    if (has(f, row)) {
      join(present, row.name, ", ");
      continue;
    }
    join(missing, row.name, ", ");
    join(cost, row.cost, "; ");
  }
  if (missing.empty()) {
    out.push_back(sound_line("capabilities", fmt::format("{}, with {}", user_text(f), present)));
    return;
  }
  const bool root = f.rights.user.value_or(1) == 0;
  out.push_back(lacking_line("capabilities", fmt::format("{}, without {}", user_text(f), missing), cost,
                             root ? "start the container or service with these capabilities, for example docker run "
                                    "--cap-add=SYS_ADMIN"
                                  : "run as root: sudo fathom ..."));
}

void check_locked_memory(const Facts& f, Lines& out) {
  constexpr const char* kName = "locked memory";
  const auto limit = f.rights.locked_memory_bytes;
  const bool may_lock_all = f.rights.has(CAP_IPC_LOCK);
  if (may_lock_all || !limit || *limit == host::machine::kUnlimited) {
    const char* const text = may_lock_all ? "unlimited, by CAP_IPC_LOCK" : limit ? "unlimited" : "unknown limit";
    out.push_back(sound_line(kName, text));
  } else {
    const std::string text = base::text::size_text(*limit) + " (ulimit -l)";
    Line line = *limit >= kLittleLocked_bytes
                    ? sound_line(kName, text)
                    : lacking_line(kName, text, "buffers of `fixedbufs=1` and of NVMe from user space must fit into it",
                                   "as root: ulimit -l unlimited; or memlock in /etc/security/limits.conf");
    line.check.value = static_cast<double>(*limit);
    line.check.unit = "bytes";
    out.push_back(std::move(line));
  }
}

void check_open_files(const Facts& f, Lines& out) {
  constexpr const char* kName = "open files";
  const auto limit = f.rights.open_files;
  if (!limit || *limit == host::machine::kUnlimited) {
    out.push_back(sound_line(kName, limit ? "unlimited" : "unknown limit"));
    return;
  }
  const std::string text = fmt::format("{} (ulimit -n)", *limit);
  Line line = *limit >= kFewFiles
                  ? sound_line(kName, text)
                  : lacking_line(kName, text, "jobs with many files, and many events, do not start", "ulimit -n 65536");
  line.check.value = static_cast<double>(*limit);
  line.check.unit = "files";
  out.push_back(std::move(line));
}

void check_perf_rights(const Facts& f, Lines& out) {
  constexpr const char* kName = "perf events";
  const std::string settings = setting_text("kernel.perf_event_paranoid", f.perf.paranoid) + ", " +
                               setting_text("kernel.kptr_restrict", f.perf.kptr_restrict);
  if (may_count_all(f) || f.perf.paranoid.value_or(0) < 0) {
    out.push_back(sound_line(kName, settings + ": every event is permitted"));
    return;
  }
  std::vector<Ability> prevents = {Ability::trace};
  std::string cost = "no counts of tracepoints (`--audit=trace`)";
  if (f.perf.paranoid.value_or(1) > 0) {
    prevents.push_back(Ability::pcie);
    cost += ", of PMUs outside a CPU, or of other processes";
  }
  out.push_back(lacking_line(kName, fmt::format("{}: permits {}", settings, f.perf.permitted), cost,
                             "sudo sysctl kernel.perf_event_paranoid=-1; or run as root", std::move(prevents)));
}

void check_seccomp(const Facts& f, Lines& out) {
  const auto mode = f.rights.seccomp;
  out.push_back(sound_line("seccomp", !mode        ? "unknown"
                                      : *mode == 0 ? "off"
                                                   : fmt::format("mode {}: a filter may refuse system calls", *mode)));
}

// The limits of a container or a service.
void check_limits(const Facts& f, Lines& out) {
  const std::size_t before = out.size();
  for (const auto& quota : f.cpu_quotas) {
    out.push_back(measured_line(
        "limit of CPU time",
        fmt::format("{}: {:.3g} CPUs; its tasks were stopped {} times so far", quota.limit, quota.cpus, quota.times),
        quota.cpus, "CPUs", "raise the limit, or measure on another machine"));
    out.back().check.cost = "a job that needs more CPU time is stopped during I/Os";
  }
  for (const auto& limit : f.io_limits) {
    out.push_back(measured_line("limit of I/O", limit, std::nullopt, "", "raise the limit to measure the disk"));
    out.back().check.cost = "no result on that disk can exceed it";
  }
  std::string memory;
  if (f.memory_limit.bytes) join(memory, "memory.max " + base::text::size_text(*f.memory_limit.bytes), ", ");
  if (f.memory_limit.high_bytes) join(memory, "memory.high " + base::text::size_text(*f.memory_limit.high_bytes), ", ");
  if (!memory.empty())
    out.push_back(lacking_line("limit of memory", fmt::format("{} of {}", memory, f.memory_limit.group),
                               "it keeps the page cache of buffered jobs small",
                               "raise the limit; or measure the disk with direct=1"));
  if (out.size() == before) out.push_back(sound_line("limits of cgroups", "no limit of CPU time, I/O or memory"));
}

void check_paging_limit(const Facts& f, Lines& out) {
  constexpr const char* kName = "cgroup for paging";
  const auto& limit = f.paging_limit;
  out.push_back(limit.possible()
                    ? sound_line(kName, "can be made")
                    : lacking_line(kName, limit.refusal, "no memory limit in `fathom paging` (`--limit`)",
                                   limit.help.empty() ? "run as root: sudo fathom paging --limit=512M" : limit.help,
                                   {Ability::paging_limit}));
}

void check_left_by_killed(const Facts& f, Lines& out) {
  constexpr const char* kName = "left by killed runs";
  for (const auto& left : f.left_by_killed)
    out.push_back(measured_line(kName, left, std::nullopt, "", "fathom paging cleanup"));
  if (!f.left_by_killed_unknown.empty())
    out.push_back(measured_line(kName, "not known: " + f.left_by_killed_unknown, std::nullopt, "",
                                "run `fathom doctor` as root"));
  else if (f.left_by_killed.empty())
    out.push_back(sound_line(kName, "nothing"));
}

}  // namespace fathom::audit::doctor
