// PMUs, BPF programs, tracepoints and io_uring. All but the PCIe PMUs were tried, and a refusal contains its cause.
#include <fmt/format.h>

#include <cerrno>

#include "audit/doctor/lines.h"

namespace fathom::audit::doctor {
namespace {

constexpr std::uint64_t kSeccompFilter = 2;

std::string or_else(const std::string& help, const char* otherwise) { return help.empty() ? otherwise : help; }

std::string ring_help(const Facts& f) {
  const auto& uring = f.io_uring;
  if (uring.disabled.value_or(0) > 0) return "sudo sysctl kernel.io_uring_disabled=0; or use ioengine=libaio";
  if (uring.error == EPERM && f.rights.seccomp == kSeccompFilter)
    return "allow io_uring_setup, io_uring_enter and io_uring_register in the container's seccomp profile; or use "
           "ioengine=libaio";
  if (uring.error == ENOSYS) return "boot a kernel with CONFIG_IO_URING; or use ioengine=libaio";
  return or_else(uring.ring.help, "use ioengine=libaio");
}

}  // namespace

void check_core_pmu(const Facts& f, Lines& out) {
  constexpr const char* kName = "processor events";
  constexpr const char* kCost = "`fathom pmu stat` counts no cycles, instructions or caches";
  const auto& perf = f.perf;
  if (perf.core_pmus.empty())
    out.push_back(lacking_line(kName, "the kernel has no PMU of the processor", kCost,
                               "use a machine without hypervisor, or pass the PMU through (QEMU: -cpu host,pmu=on)",
                               {Ability::events}));
  else if (!perf.cycles.possible())
    out.push_back(lacking_line(kName, perf.cycles.refusal, kCost,
                               or_else(perf.cycles.help, "`fathom pmu list` shows the events of this machine"),
                               {Ability::events}));
  else
    out.push_back(sound_line(kName, fmt::format("cycles are counted ({})", fmt::join(perf.core_pmus, ", "))));
}

void check_pcie_pmus(const Facts& f, Lines& out) {
  constexpr const char* kName = "PCIe counters";
  const auto& pmus = f.perf.pcie_pmus;
  const std::string ports = fmt::format("{} root port{}", f.perf.root_ports, f.perf.root_ports == 1 ? "" : "s");
  out.push_back(pmus.empty()
                    ? lacking_line(kName, fmt::format("no PMU counts the bytes of a port ({})", ports),
                                   "bytes are not compared with a counter of the port",
                                   "load the driver of the PMU, if the processor has one: docs/reference/audit.md",
                                   {Ability::pcie})
                    : sound_line(kName, fmt::format("{} ({})", fmt::join(pmus, ", "), ports)));
}

void check_bpf(const Facts& f, Lines& out) {
  constexpr const char* kName = "BPF programs";
  constexpr const char* kCost = "no latency by layer (`--breakdown`), no device times in `fathom paging`";
  const auto& bpf = f.bpf;
  const std::string setting =
      bpf.unprivileged_disabled ? fmt::format("; kernel.unprivileged_bpf_disabled={}", *bpf.unprivileged_disabled) : "";
  if (!bpf.load.possible())
    out.push_back(lacking_line(kName, bpf.load.refusal + setting, kCost,
                               or_else(bpf.load.help,
                                       "run as root: sudo fathom ...; or sudo setcap "
                                       "cap_bpf,cap_perfmon+ep \"$(command -v fathom)\""),
                               {Ability::breakdown}));
  else if (bpf.classic)
    out.push_back(lacking_line(kName, "loaded on classic tracepoints: the kernel's BTF cannot be used" + setting,
                               "the breakdown has fewer parts",
                               "boot a kernel with CONFIG_DEBUG_INFO_BTF (/sys/kernel/btf/vmlinux)"));
  else
    out.push_back(sound_line(kName, "loaded, with the kernel's BTF" + setting));
}

void check_tracepoints(const Facts& f, Lines& out) {
  constexpr const char* kName = "tracepoints";
  const auto& points = f.tracepoints;
  out.push_back(points.possible()
                    ? sound_line(kName, "tracefs is readable")
                    : lacking_line(kName, points.refusal, "no bytes of each process, no tracepoints in `fathom pmu`",
                                   or_else(points.help, "sudo mount -t tracefs nodev /sys/kernel/tracing"),
                                   {Ability::trace}));
}

void check_io_uring(const Facts& f, Lines& out) {
  constexpr const char* kName = "io_uring rings";
  const auto& uring = f.io_uring;
  const std::string setting =
      uring.disabled ? fmt::format("; kernel.io_uring_disabled={}", *uring.disabled) : std::string();
  if (!uring.ring.possible()) {
    out.push_back(lacking_line(kName, uring.ring.refusal + setting, "no ioengine=io_uring and io_uring_cmd",
                               ring_help(f), {Ability::io_uring}));
    return;
  }
  out.push_back(uring.missing.empty()
                    ? sound_line(kName, "a ring was set up" + setting)
                    : lacking_line(kName, fmt::format("{}{}", fmt::join(uring.missing, "; "), setting),
                                   "an I/O takes more CPU time than on a newer kernel", "boot Linux 6.1 or later"));
}

}  // namespace fathom::audit::doctor
