// Turbo is a file of the driver: one driver says that it is off, the others that it is on.
#include "host/machine/cpu_frequency.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/proc/text_file.h"

namespace fathom::host::machine {
namespace {

constexpr const char* kCpus = "/sys/devices/system/cpu";

struct TurboFile {
  const char* name;
  const char* on;
};
constexpr TurboFile kTurboFiles[] = {{"/intel_pstate/no_turbo", "0"}, {"/cpufreq/boost", "1"}};

std::optional<bool> turbo(const std::string& folder) {
  for (const auto& file : kTurboFiles)
    if (const auto value = proc::read_line(folder + file.name); !value.empty()) return value == file.on;
  return std::nullopt;
}

}  // namespace

std::string governor_of(int cpu, const std::string& prefix) {
  return proc::read_line(fmt::format("{}{}/cpu{}/cpufreq/scaling_governor", prefix, kCpus, cpu));
}

CpuFrequency cpu_frequency(std::span<const int> cpus, const std::string& prefix) {
  CpuFrequency found;
  for (const int cpu : cpus) {
    const std::string governor = governor_of(cpu, prefix);
    if (governor.empty()) continue;
    const auto same = std::find_if(found.governors.begin(), found.governors.end(),
                                   [&](const auto& known) { return known.governor == governor; });
    if (same != found.governors.end())
      same->cpus.push_back(cpu);
    else
      found.governors.push_back({governor, {cpu}});
  }
  found.turbo = turbo(prefix + kCpus);
  found.smt = proc::read_line(prefix + kCpus + "/smt/control");
  return found;
}

}  // namespace fathom::host::machine
