// A finding a limit.
#include "audit/machine/limit_checks.h"

#include <fmt/format.h>

#include "base/text/unit_text.h"

namespace fathom::audit::machine {

std::vector<result::Finding> limit_findings(const std::vector<host::CpuQuota>& stopped,
                                            const std::vector<std::string>& io_limits, double run_ns) {
  std::vector<result::Finding> out;
  for (const auto& quota : stopped) {
    if (quota.times == 0) continue;
    const auto stopped_ns = static_cast<double>(quota.stopped_ns);
    const bool much = stopped_ns > kStoppedShare * run_ns;
    out.push_back(
        {"cpu.max", much ? result::Severity::warning : result::Severity::note, "",
         fmt::format("{} lets its tasks have {:.3g} CPUs: they were stopped {} times, for {} in all, whatever "
                     "they were in the middle of",
                     quota.limit, quota.cpus, quota.times, base::text::unit_text(stopped_ns, base::text::kTime)),
         "raise the limit (--cpus of a container, limits.cpu of a pod), or let the job do less a second; "
         "`fathom run --breakdown` has these waits as `cpu`"});
  }
  for (const auto& limit : io_limits)
    out.push_back(
        {"io.limit", result::Severity::note, "", fmt::format("a limit of I/O is in force: {}", limit),
         "what is measured is at most that, and what is held for it lies in the latencies; --breakdown has it "
         "as `held`"});
  return out;
}

}  // namespace fathom::audit::machine
