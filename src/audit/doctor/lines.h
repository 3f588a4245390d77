// The checks of `fathom doctor`: a value of the machine, whether it is good, what it costs if not, and the help.
// Each check is a function below, and a row of the table in doctor_checks.cc, which has its heading. Pure. Thread-safe.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "audit/doctor/facts.h"
#include "result/commands/doctor.h"

namespace fathom::audit::doctor {

inline constexpr double kSlowReading_ns = 100;  // a counter that traps or a clock_gettime without vDSO is slower
inline constexpr double kSlowLoop_ns = 250;     // several times what a release build needs
inline constexpr double kSlowRecord_ns = 50;
inline constexpr std::uint64_t kLittleLocked_bytes = std::uint64_t{64} << 20;  // rings and buffers of a deep queue
inline constexpr std::uint64_t kFewFiles = 1024;                               // descriptors; the usual soft limit

// What a machine may let fathom measure; the names are in doctor_checks.cc.
enum class Ability { short_latency, io_uring, breakdown, disk_bytes, trace, pcie, events, paging_limit, user_nvme };

struct Line {
  result::DoctorCheck check;
  std::vector<Ability> prevents = {};
};
using Lines = std::vector<Line>;

// clock_lines.cc: clock and overhead.
void check_choice(const Facts& facts, Lines& out);
void check_test(const Facts& facts, Lines& out);
void check_calibration(const Facts& facts, Lines& out);
void check_drift(const Facts& facts, Lines& out);
void check_readings(const Facts& facts, Lines& out);
void check_record(const Facts& facts, Lines& out);
void check_loops(const Facts& facts, Lines& out);
// rights_lines.cc: permissions and limits.
void check_capabilities(const Facts& facts, Lines& out);
void check_locked_memory(const Facts& facts, Lines& out);
void check_open_files(const Facts& facts, Lines& out);
void check_perf_rights(const Facts& facts, Lines& out);
void check_seccomp(const Facts& facts, Lines& out);
void check_limits(const Facts& facts, Lines& out);
void check_paging_limit(const Facts& facts, Lines& out);
void check_left_by_killed(const Facts& facts, Lines& out);
// kernel_lines.cc: counters, traces and io_uring.
void check_core_pmu(const Facts& facts, Lines& out);
void check_pcie_pmus(const Facts& facts, Lines& out);
void check_bpf(const Facts& facts, Lines& out);
void check_tracepoints(const Facts& facts, Lines& out);
void check_io_uring(const Facts& facts, Lines& out);
// machine_lines.cc: processor, memory, disks, NVMe from user space.
void check_governor(const Facts& facts, Lines& out);
void check_turbo(const Facts& facts, Lines& out);
void check_smt(const Facts& facts, Lines& out);
void check_huge_pages(const Facts& facts, Lines& out);
void check_thp(const Facts& facts, Lines& out);
void check_disks(const Facts& facts, Lines& out);
void check_interrupts(const Facts& facts, Lines& out);
void check_iommu(const Facts& facts, Lines& out);
void check_vfio(const Facts& facts, Lines& out);
void check_controllers(const Facts& facts, Lines& out);

// A line without a problem.
inline Line sound_line(std::string name, std::string text) { return {{std::move(name), std::move(text), {}, "", ""}}; }
// A line with a number. remedy: empty: no problem; the severity is a warning.
inline Line measured_line(std::string name, std::string text, std::optional<double> value, std::string unit,
                          std::string remedy) {
  return {{std::move(name), std::move(text), value, std::move(unit), std::move(remedy)}};
}
// Something is missing: what that prevents or costs, and the help. The severity is a note.
inline Line lacking_line(std::string name, std::string text, std::string cost, std::string remedy,
                         std::vector<Ability> prevents = {}) {
  Line line{{std::move(name), std::move(text), {}, "", std::move(remedy)}, std::move(prevents)};
  line.check.cost = std::move(cost);
  line.check.severity = result::Severity::note;
  return line;
}

}  // namespace fathom::audit::doctor
