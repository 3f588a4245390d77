// What varies the speed of the CPUs: frequency governors, turbo, sibling threads (SMT). A guest usually shows none of
// them. Source: admin-guide/pm/cpufreq.rst, admin-guide/pm/intel_pstate.rst,
// Documentation/ABI/testing/sysfs-devices-system-cpu. Thread-safe.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fathom::host::machine {

// "performance", "schedutil"; empty: the CPU has no frequency driver. `prefix` precedes /sys, for tests.
std::string governor_of(int cpu, const std::string& prefix = "");

struct CpusOfGovernor {
  std::string governor;
  std::vector<int> cpus;
  bool operator==(const CpusOfGovernor&) const = default;
};

struct CpuFrequency {
  std::vector<CpusOfGovernor> governors;  // in the order of their first CPU; empty: no CPU has a driver
  std::optional<bool> turbo;              // nullopt: the driver does not report it
  std::string smt;                        // "on", "off", "forceoff", "notsupported"; empty: unknown
};
CpuFrequency cpu_frequency(std::span<const int> cpus, const std::string& prefix = "");

}  // namespace fathom::host::machine
