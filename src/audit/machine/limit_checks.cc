// A finding a limit.
#include "audit/machine/limit_checks.h"

#include "base/text/unit_text.h"
#include "result/findings/rows.h"

namespace fathom::audit::machine {
namespace {

using result::findings::found;

bool is_near(double achieved, double limit) {
  return limit > 0 && achieved >= kNearLimit * limit && achieved <= kPastLimit * limit;
}

const char* when(const SeenLimit& seen) {
  if (seen.at_begin) return seen.at_end ? "at its begin and end" : "at its begin";
  return seen.at_end ? "at its end" : "in its middle";
}

result::Finding io_finding(const SeenLimit& seen, const Achieved& achieved) {
  const auto& limit = seen.limit;
  if (!seen.is_of_all())
    return found("io.limit", {.variant = "changed",
                              .values = {{"limit", limit.text}, {"when", when(seen)}},
                              .effect = result::Effect{result::EffectOn::time, 0.5}});
  constexpr const char* kNames[] = {"read", "write"};
  const auto reached = [&](std::size_t d, std::string did, std::string allowed) {
    return found("io.limit", {.variant = "reached",
                              .values = {{"limit", limit.text},
                                         {"direction", kNames[d]},
                                         {"achieved", std::move(did)},
                                         {"allowed", std::move(allowed)}},
                              .effect = result::Effect{result::EffectOn::time, kNearLimit}});
  };
  const auto bytes = [](double rate) { return base::text::unit_text(rate, base::text::kBytesThree) + "/s"; };
  const auto ios = [](double rate) { return base::text::unit_text(rate, base::text::kRateLive) + " IOPS"; };
  for (std::size_t d = 0; d < 2; ++d) {
    if (is_near(achieved.iops[d], limit.iops[d])) return reached(d, ios(achieved.iops[d]), ios(limit.iops[d]));
    if (is_near(achieved.bytes_per_s[d], limit.bytes_per_s[d]))
      return reached(d, bytes(achieved.bytes_per_s[d]), bytes(limit.bytes_per_s[d]));
  }
  return found("io.limit", {.values = {{"limit", limit.text}}});
}

}  // namespace

std::vector<result::Finding> limit_findings(const std::vector<host::CpuQuota>& stopped,
                                            const std::vector<SeenLimit>& io_limits, double run_ns,
                                            const Achieved& achieved) {
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
  for (const auto& seen : io_limits) out.push_back(io_finding(seen, achieved));
  return out;
}

std::vector<result::Finding> steal_findings(const host::proc::CpuTimes& before, const host::proc::CpuTimes& after) {
  if (after.total <= before.total || after.stolen < before.stolen + kFewestStolenTicks) return {};
  const double share =
      static_cast<double>(after.stolen - before.stolen) / static_cast<double>(after.total - before.total);
  if (share <= kStolenShare) return {};
  return {found("cpu.steal", {.values = {{"stolen_percent", 100 * share}},
                              .effect = result::Effect{result::EffectOn::time, share}})};
}

}  // namespace fathom::audit::machine
