// The facts that the checks of `fathom doctor` compare with limits (audit/doctor/lines.h). session/doctor/ reads them;
// a test makes them up. A `refusal` is why something is not possible, and `help` what the refusing code recommends;
// an empty refusal: it is possible. Plain data.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/cpu_quotas.h"
#include "host/machine/cpu_frequency.h"
#include "host/machine/disk_queues.h"
#include "host/machine/huge_pages.h"
#include "host/machine/queue_interrupts.h"
#include "host/machine/rights.h"
#include "result/result.h"

namespace fathom::audit::doctor {

struct ClockReading {
  std::string source;
  double read_ns = 0, resolution_ns = 0;
};

struct Attempt {
  std::string refusal = {}, help = {};
  bool possible() const { return refusal.empty(); }
};

struct MemoryLimit {
  std::optional<std::uint64_t> bytes, high_bytes;  // of memory.max and memory.high; nullopt: none
  std::string group;                               // "/user.slice"
};

struct PerfEvents {
  std::optional<std::int64_t> paranoid, kptr_restrict;  // kernel.perf_event_paranoid, kernel.kptr_restrict
  std::string permitted;                                // without CAP_PERFMON, at that value
  std::vector<std::string> core_pmus;                   // of the processor's cores; empty: the kernel has none
  Attempt cycles;                                       // to count cycles of an own task in user mode
  std::vector<std::string> pcie_pmus;                   // that count bytes of PCIe ports
  std::size_t root_ports = 0;
};

struct BpfPrograms {
  Attempt load;                                       // the programs of the latency breakdown
  bool classic = false;                               // on classic tracepoints, without the kernel's BTF
  std::optional<std::int64_t> unprivileged_disabled;  // kernel.unprivileged_bpf_disabled
};

struct IoUring {
  Attempt ring;                          // the smallest one
  int error = 0;                         // errno of the refusal
  std::vector<std::string> missing;      // features that an older kernel lacks
  std::optional<std::int64_t> disabled;  // kernel.io_uring_disabled
};

struct UserNvme {
  std::size_t iommu_groups = 0;
  bool vfio_driver = false;              // vfio-pci is loaded
  std::vector<std::string> controllers;  // "0000:01:00.0 (nvme)": address, driver
};

struct Facts {
  result::ClockFacts clock;  // for a job without clocksource=; its drift: the best known of this boot
  double drift_over_s = 0;
  std::vector<ClockReading> readings;
  double record_ns = 0;
  std::optional<double> loop_ns_depth_1, loop_ns_depth_128;  // empty: could not be measured
  std::vector<host::CpuQuota> cpu_quotas;                    // of cgroups that apply to jobs started here
  std::vector<std::string> io_limits;                        // the same, for any disk
  MemoryLimit memory_limit;
  host::machine::Rights rights;
  PerfEvents perf;
  BpfPrograms bpf;
  Attempt tracepoints;  // to read their descriptions
  IoUring io_uring;
  Attempt paging_limit;  // `fathom paging --limit`
  std::vector<host::machine::HugePages> huge_pages;
  std::string thp;        // "madvise"; empty: a kernel without transparent huge pages
  std::vector<int> cpus;  // that this process may use
  host::machine::CpuFrequency frequency;
  UserNvme nvme;
  std::vector<host::machine::DiskQueue> disks;
  std::vector<host::machine::DiskInterrupts> interrupts;
  std::vector<std::string> left_by_killed;  // by killed runs, one entry per run
  std::string left_by_killed_unknown;       // why there may be more; empty: no more are possible
};

}  // namespace fathom::audit::doctor
