// The kernel's view of the CPU clock: the clock that it uses itself, whether it lists the flags of a counter with a
// constant rate in all power states, what its log of this boot reports against the counter, and its command line.
// Only the log can contain a measurement. The rest is a choice: a guest's kernel uses the hypervisor's clock although
// the counter is sound, and `tsc=unstable` is an operator's setting. available_clocksource is not read, since a kernel
// omits the counter from it for either reason.
// Thread rule: any thread. Reads a few small files and, if the kernel uses another clock, its log.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fathom::clock {

struct KernelView {
  std::string clocksource;          // "tsc", "kvm-clock", "arch_sys_counter"; empty: not readable
  std::optional<bool> lists_flags;  // constant_tsc and nonstop_tsc; empty: not readable, or the architecture lacks them
  bool log_read = false;            // false: not readable, or not needed
  std::string unstable;  // why the log calls the counter unstable, except the operator's reasons; empty: it does not
  std::string operators_word;  // on the command line: "tsc=unstable"; empty: not set
  // The kernel uses the counter for its own time, and monitors it.
  bool uses_counter() const;
};

// nullopt: not readable.
std::optional<std::string> kernel_log();

// Locations of the files; other locations in a test.
struct KernelSources {
  std::string clocksource = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  std::string cpuinfo = "/proc/cpuinfo", command_line = "/proc/cmdline";
  std::function<std::optional<std::string>()> log = kernel_log;
};
KernelView kernel_view(const KernelSources& from = {});

// Pure. Input: the text of a log ("tsc: Marking TSC unstable due to clocksource watchdog"), a command line, a cpuinfo.
std::string unstable_reason(std::string_view log);
std::string operators_word(std::string_view command_line);
std::optional<bool> flags_listed(std::string_view cpuinfo);

}  // namespace fathom::clock
