// One event to count, resolved against sysfs: what perf_event_open wants, and how its count is to be read.
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
  std::string pmu;    // folder under /sys/bus/event_source/devices: "pcie_bdf_200", "software", "tracepoint"
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
  std::string place;                                                      // of CPUs shown apart: "CPU3", "S0-D0"
  int mention = 0;  // one thing the user wrote may be several events (lane=*, pmu globs): they share this number
  int lane = -1;    // of lane=*: a lane that the port lacks is refused and left out
  std::string shown() const {  // "page-faults:u", "msr/tsc/u"
    return modifiers.empty() ? name : name + (name.ends_with('/') ? "" : ":") + modifiers;
  }
};

// What one open counter said. PERF_FORMAT_TOTAL_TIME_ENABLED | TOTAL_TIME_RUNNING.
struct Reading {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0, running_ns = 0;
};

// What an event counted, over all its CPUs or tasks: times are sums over them. taken: the event is pinned and the
// counter is held by another user, or by another pinned event of ours.
enum class CountState { counted, not_counted, not_supported, lost, taken };
struct EventCount {
  CountState state = CountState::not_counted;
  std::uint64_t raw = 0;     // increments while it ran
  double scaled = 0;         // raw x enabled / running
  double running_share = 0;  // running / enabled; 1: the counter was never shared
  std::uint64_t enabled_ns = 0, running_ns = 0;
  std::uint64_t window_ns = 0;  // enabled, of the one CPU that was longest: what a rate is divided by
};

}  // namespace fathom::pmu::events
