// The facts of a made-up machine without any problem, for the lines of `fathom doctor`.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "audit/doctor/doctor_checks.h"

namespace fathom::audit::doctor {

inline host::machine::DiskQueue sound_disk(const std::string& name, const std::string& kind) {
  host::machine::DiskQueue disk;
  disk.facts.disk = name;
  disk.facts.model = "MODEL";
  disk.facts.scheduler = "none";
  disk.facts.size_bytes = std::uint64_t{512} << 30;
  disk.kind = kind;
  disk.write_cache = "write back";
  disk.poll_queues = true;
  return disk;
}

inline void add_sound_clock(Facts& f) {
  f.clock.source = "cpu";
  f.clock.reason = "it is invariant and passed";
  f.clock.verdict = "passed";
  f.clock.test = "long";
  f.clock.test_cached = true;
  f.clock.cpus_tested = "0-2";
  f.clock.detectable_ns = 60;
  f.clock.ticks_per_second = 2.5e9;
  f.clock.calibration = "perf_event cap_user_time";
  f.clock.calibration_error_ppm = 4;
  f.clock.drift_ppm = -0.25;
  f.clock.drift_bound_ppm = 0.5;
  f.drift_over_s = 10;
  f.readings = {{"cpu", 8, 0.4}, {"clock_gettime", 24, 1}, {"gettimeofday", 25, 1000}};
  f.record_ns = 1.5;
  f.loop_ns_depth_1 = 30;
  f.loop_ns_depth_128 = 40;
}

inline Facts sound() {
  Facts f;
  add_sound_clock(f);
  f.rights = {
      .user = 0, .capabilities = ~std::uint64_t{0}, .seccomp = 0, .locked_memory_bytes = 8 << 20, .open_files = 1024};
  f.perf.paranoid = 2;
  f.perf.kptr_restrict = 1;
  f.perf.permitted = "events of your own tasks in user mode";
  f.perf.core_pmus = {"cpu"};
  f.perf.pcie_pmus = {"pcie_bdf_200"};
  f.perf.root_ports = 4;
  f.bpf.unprivileged_disabled = 2;
  f.io_uring.disabled = 0;
  f.huge_pages = {{2 << 20, 256, 200, 50}, {1 << 30, 0, 0, 0}};
  f.thp = "madvise";
  f.cpus = {0, 1, 2, 3};
  f.frequency.governors = {{"performance", {0, 1, 2, 3}}};
  f.frequency.turbo = false;
  f.frequency.smt = "off";
  f.nvme = {.iommu_groups = 12, .vfio_driver = true, .controllers = {"0000:01:00.0 (nvme)"}};
  f.disks = {sound_disk("nvme0n1", "NVMe")};
  f.interrupts = {{"nvme0n1", {{36, "nvme0q1", {0}}, {37, "nvme0q2", {1}}}}};
  return f;
}

// The names of the lines with a problem.
inline std::vector<std::string> problems(const Facts& facts) {
  std::vector<std::string> names;
  for (const auto& line : doctor_checks(facts).checks)
    if (!line.ok()) names.push_back(line.name);
  return names;
}

inline result::DoctorCheck line_of(const Facts& facts, const std::string& name) {
  for (const auto& line : doctor_checks(facts).checks)
    if (line.name == name) return line;
  ADD_FAILURE() << "no line " << name;
  return {};
}

inline bool has_line(const Facts& facts, const std::string& name) {
  const auto checks = doctor_checks(facts).checks;
  return std::any_of(checks.begin(), checks.end(), [&](const auto& line) { return line.name == name; });
}

// The names of what cannot be measured, up to the option in parentheses.
inline std::vector<std::string> impossible(const Facts& facts) {
  std::vector<std::string> names;
  for (const auto& ability : doctor_checks(facts).abilities)
    if (!ability.can()) names.push_back(ability.name.substr(0, ability.name.find(" (")));
  return names;
}

}  // namespace fathom::audit::doctor
