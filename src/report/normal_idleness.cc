// --idle-prof, at the end of fio's text.
#include <fmt/format.h>

#include "report/normal_parts.h"

namespace fathom::report {

std::string idleness_block(const result::Run& run) {
  if (!run.cpu_idleness) return "";
  const auto& idle = *run.cpu_idleness;
  std::string out = fmt::format("\nCPU idleness:\n  system: {:3.2f}%\n", idle.system_percent);
  for (std::size_t i = 0; i < idle.cpu_percent.size() && idle.each; ++i)
    out += fmt::format("{}{:3.2f}%", i == 0 ? "  percpu: " : ", ", idle.cpu_percent[i]);
  if (idle.each && !idle.cpu_percent.empty()) out += "\n";
  return out + fmt::format("  unit work: mean={:3.2f}us, stddev={:3.2f}\n", idle.unit_mean_us, idle.unit_stddev_us);
}

}  // namespace fathom::report
