// The lines determine what can be measured. The first line that prevents an ability is the cause.
#include "audit/doctor/doctor_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/doctor/lines.h"

namespace fathom::audit::doctor {
namespace {

struct Check {
  const char* heading;
  void (*make)(const Facts&, Lines&);
};
constexpr Check kChecks[] = {{"clock", check_choice},
                             {"clock", check_test},
                             {"clock", check_calibration},
                             {"clock", check_drift},
                             {"clock", check_readings},
                             {"overhead", check_record},
                             {"overhead", check_loops},
                             {"permissions", check_capabilities},
                             {"permissions", check_locked_memory},
                             {"permissions", check_open_files},
                             {"permissions", check_perf_rights},
                             {"permissions", check_seccomp},
                             {"limits", check_limits},
                             {"limits", check_paging_limit},
                             {"counters and traces", check_core_pmu},
                             {"counters and traces", check_pcie_pmus},
                             {"counters and traces", check_bpf},
                             {"counters and traces", check_tracepoints},
                             {"processor", check_governor},
                             {"processor", check_turbo},
                             {"processor", check_smt},
                             {"memory", check_huge_pages},
                             {"memory", check_thp},
                             {"I/O and disks", check_io_uring},
                             {"I/O and disks", check_disks},
                             {"I/O and disks", check_interrupts},
                             {"NVMe from user space", check_iommu},
                             {"NVMe from user space", check_vfio},
                             {"NVMe from user space", check_controllers},
                             {"earlier runs", check_left_by_killed}};

struct AbilityName {
  Ability ability;
  const char* name;
};
constexpr AbilityName kAbilities[] = {{Ability::short_latency, "latencies below 1 us"},
                                      {Ability::io_uring, "I/O through io_uring (ioengine=io_uring)"},
                                      {Ability::breakdown, "latency by layer (--breakdown)"},
                                      {Ability::disk_bytes, "bytes that reach a disk (--audit)"},
                                      {Ability::trace, "bytes of each process (--audit=trace)"},
                                      {Ability::pcie, "bytes at the PCIe port (--audit=pmu)"},
                                      {Ability::events, "events of the processor (fathom pmu stat)"},
                                      {Ability::paging_limit, "page faults in limited memory (fathom paging --limit)"},
                                      {Ability::user_nvme, "NVMe from user space (fathom nvme perf)"}};

std::string cause_of(Ability ability, const Lines& lines) {
  const auto prevents = [&](const Line& line) {
    return std::find(line.prevents.begin(), line.prevents.end(), ability) != line.prevents.end();
  };
  const auto first = std::find_if(lines.begin(), lines.end(), prevents);
  return first == lines.end() ? "" : fmt::format("{}: {}", first->check.name, first->check.text);
}

}  // namespace

result::Doctor doctor_checks(const Facts& facts) {
  Lines lines;
  for (const auto& check : kChecks) {
    const std::size_t before = lines.size();
    check.make(facts, lines);
    for (std::size_t i = before; i < lines.size(); ++i) lines[i].check.heading = check.heading;
  }
  result::Doctor doctor;
  for (const auto& row : kAbilities) doctor.abilities.push_back({row.name, cause_of(row.ability, lines)});
  for (auto& line : lines) doctor.checks.push_back(std::move(line.check));
  return doctor;
}

}  // namespace fathom::audit::doctor
