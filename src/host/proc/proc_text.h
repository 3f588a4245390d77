// Parses kernel text from /proc and /sys. Pure functions, so that tests can use captured samples. A missing field gives
// an empty string or 0.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::host::proc {

std::vector<std::string_view> split_lines(std::string_view text);
std::vector<std::string_view> split_fields(std::string_view text);  // at runs of blanks and tabs

// "key : value" of the first line with that key (/proc/cpuinfo).
std::string cpuinfo_value(std::string_view cpuinfo, std::string_view key);
// The processor model, under this architecture's key for it.
std::string cpu_model(std::string_view cpuinfo);
bool cpu_has_flag(std::string_view cpuinfo, std::string_view flag);

// "MemTotal:  49369756 kB" -> bytes.
std::uint64_t meminfo_bytes(std::string_view meminfo, std::string_view key);

// os-release(5): KEY=value or KEY="value" with backslash escapes.
std::string os_release_value(std::string_view os_release, std::string_view key);

// "mq-deadline [none] kyber" -> "none": the selected value. A file without brackets holds only the value.
std::string chosen(std::string_view offered);

// The "cpu" line of /proc/stat, in clock ticks since boot. Idle and iowait are not busy. Steal is busy: this machine
// could not use that time.
struct CpuTimes {
  std::uint64_t busy = 0, total = 0, stolen = 0;
};
CpuTimes parse_cpu_times(std::string_view proc_stat);

}  // namespace fathom::host::proc
