// Reads CPU times and faults from /proc. A process name may contain spaces and parentheses, so fields are counted after
// the last `)`.
#include "run/records/process_usage.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/text/parse.h"
#include "base/time.h"

namespace fathom::run::records {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto begin = text.find_first_not_of(" \n");
    if (begin == text.npos) break;
    const auto end = std::min(text.find_first_of(" \n", begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
  return out;
}

std::uint64_t number(std::string_view text) {
  const auto n = base::text::parse_int(text);
  return n && *n > 0 ? static_cast<std::uint64_t>(*n) : 0;
}

std::uint64_t line_value(std::string_view status, std::string_view key) {
  const auto at = status.find(key);
  if (at == status.npos) return 0;
  const auto rest = status.substr(at + key.size());
  return number(base::text::trim(rest.substr(0, rest.find('\n'))));
}

}  // namespace

std::optional<ProcessUsage> parse_process_usage(std::string_view stat, std::string_view status, long ticks_per_s,
                                                double uptime_s) {
  // Index 0 is field 3 (state). minflt has index 7, majflt 9, utime 11, stime 12, starttime 19.
  const auto name_end = stat.rfind(')');
  if (name_end == stat.npos || ticks_per_s <= 0) return std::nullopt;
  const auto fields = fields_of(stat.substr(name_end + 1));
  if (fields.size() < 20) return std::nullopt;
  const auto seconds = [&](std::size_t i) {
    return static_cast<double>(number(fields[i])) / static_cast<double>(ticks_per_s);
  };
  ProcessUsage usage;
  usage.minor_faults = number(fields[7]);
  usage.major_faults = number(fields[9]);
  usage.user_cpu_s = seconds(11);
  usage.system_cpu_s = seconds(12);
  usage.age_s = std::max(0.0, uptime_s - seconds(19));
  usage.ctx_switches =
      line_value(status, "\nvoluntary_ctxt_switches:") + line_value(status, "\nnonvoluntary_ctxt_switches:");
  return usage;
}

std::optional<ProcessUsage> usage_of_process(int pid, int tid) {
  if (pid <= 0) return std::nullopt;
  const auto folder = tid != 0 ? fmt::format("/proc/{}/task/{}/", pid, tid) : fmt::format("/proc/{}/", pid);
  const double uptime_s = static_cast<double>(base::clock_ns(CLOCK_BOOTTIME)) * 1e-9;
  return parse_process_usage(text_of(folder + "stat"), text_of(folder + "status"), ::sysconf(_SC_CLK_TCK), uptime_s);
}

}  // namespace fathom::run::records
