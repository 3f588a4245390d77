// A finding a limit.
#include "audit/machine/limit_checks.h"

#include "base/text/unit_text.h"
#include "result/findings/rows.h"

namespace fathom::audit::machine {

std::vector<result::Finding> limit_findings(const std::vector<host::CpuQuota>& stopped,
                                            const std::vector<std::string>& io_limits, double run_ns) {
  using result::findings::found;
  std::vector<result::Finding> out;
  for (const auto& quota : stopped) {
    if (quota.times == 0) continue;
    const auto stopped_ns = static_cast<double>(quota.stopped_ns);
    const bool much = stopped_ns > kStoppedShare * run_ns;
    out.push_back(
        found("cpu.max", {.values = {{"limit", quota.limit},
                                     {"cpus", quota.cpus},
                                     {"times", quota.times},
                                     {"stopped", base::text::unit_text(stopped_ns, base::text::kTime)},
                                     {"stopped_ns", stopped_ns}},
                          .effect = result::Effect{result::EffectOn::time, run_ns > 0 ? stopped_ns / run_ns : 0},
                          .severity = much ? result::Severity::warning : result::Severity::note}));
  }
  for (const auto& limit : io_limits) out.push_back(found("io.limit", {.values = {{"limit", limit}}}));
  return out;
}

}  // namespace fathom::audit::machine
