// What the kernel says of the CPU clock: which clock it uses itself, whether it lists the flags of a counter that runs at
// one rate in all power states, what its log of this boot holds against the counter, and what its command line says.
// Only the log can hold a measurement. The rest is a choice: a guest's kernel takes the hypervisor's clock although the
// counter is sound, and `tsc=unstable` is an operator's word. available_clocksource is not read: a kernel leaves the
// counter out of it for either reason. Thread rule: any thread; reads a few small files and, where the kernel uses
// another clock, its log.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fathom::clock {

struct KernelView {
  std::string clocksource;          // "tsc", "kvm-clock", "arch_sys_counter"; empty: not readable
  std::optional<bool> lists_flags;  // constant_tsc and nonstop_tsc; none: not readable, or an architecture without them
  bool log_read = false;            // false: not readable, or nobody had to ask
  std::string unstable;  // why the log calls the counter unstable, the operator's reasons left out; empty: it does not
  std::string operators_word;  // of the command line: "tsc=unstable"; empty: there is none
  // It keeps its own time with the counter, and watches it.
  bool uses_counter() const;
};

// nullopt: not readable.
std::optional<std::string> kernel_log();

// Where it is found; another place in a test.
struct KernelSources {
  std::string clocksource = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  std::string cpuinfo = "/proc/cpuinfo", command_line = "/proc/cmdline";
  std::function<std::optional<std::string>()> log = kernel_log;
};
KernelView kernel_view(const KernelSources& from = {});

// Pure: of the text of a log ("tsc: Marking TSC unstable due to clocksource watchdog"), a command line, a cpuinfo.
std::string unstable_reason(std::string_view log);
std::string operators_word(std::string_view command_line);
std::optional<bool> flags_listed(std::string_view cpuinfo);

}  // namespace fathom::clock
