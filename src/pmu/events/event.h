// One event to count, resolved with sysfs: the arguments of perf_event_open, and how to read the count.
// Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-*, perf-list(1).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fathom::pmu::events {

enum class Reach {
  system,  // the PMU counts for the whole machine (uncore): one open per CPU of its cpumask, pid -1
  task,    // core, software, tracepoint: per task, or with -a on every CPU
};

inline constexpr std::size_t kConfigWords = 5;

struct Event {
  std::string name;   // as the user wrote it, without modifiers: "pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/"
  std::string pmu;    // directory under /sys/bus/event_source/devices: "pcie_bdf_200", "software", "tracepoint"
  std::string alias;  // "Rx_PCIe_TLP_Data_Payload", empty where raw terms were written
  std::uint32_t type = 0;
  std::uint64_t config[kConfigWords] = {};  // config, config1, ... config4
  double scale = 1;                         // <event>.scale
  std::string unit;                         // <event>.unit
  Reach reach = Reach::task;
  std::vector<int> cpus;     // cpumask, for Reach::system; empty there: every online CPU
  unsigned width_bits = 64;  // of the counter; narrower ones are polled and unwrapped
  int group = -1;            // events of one {…} share a number
  bool pinned = false;       // :D
  bool exclude_user = false, exclude_kernel = false, exclude_hv = false;  // :u :k :h
  std::string modifiers;                                                  // as written, "uD"
  std::string place;           // CPUs that are shown separately: "CPU3", "S0-D0"
  int mention = 0;             // one item of the user may be several events (lane=*, pmu globs): they share this number
  int lane = -1;               // of lane=*: a lane that the port lacks is refused and omitted
  std::string shown() const {  // "page-faults:u", "msr/tsc/u"
    return modifiers.empty() ? name : name + (name.ends_with('/') ? "" : ":") + modifiers;
  }
};

// One read of an open counter. PERF_FORMAT_TOTAL_TIME_ENABLED | TOTAL_TIME_RUNNING.
struct Reading {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0, running_ns = 0;
};

// The count of an event over all its CPUs or tasks: times are sums over them. taken: the event is pinned, and another
// user or another pinned event of ours has the counter.
enum class CountState { counted, not_counted, not_supported, lost, taken };
struct EventCount {
  CountState state = CountState::not_counted;
  std::uint64_t raw = 0;     // increments while it ran
  double scaled = 0;         // raw x enabled / running
  double running_share = 0;  // running / enabled; 1: the counter was never shared
  std::uint64_t enabled_ns = 0, running_ns = 0;
  std::uint64_t window_ns = 0;  // enabled time of the CPU with the longest one: the divisor of a rate
};

}  // namespace fathom::pmu::events
