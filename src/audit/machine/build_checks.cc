// Warnings about fathom's own build, not about the machine.
#include "audit/machine/build_checks.h"

#include "result/findings/rows.h"

namespace fathom::audit::machine {

std::vector<result::Finding> build_findings(const BuildFacts& facts) {
  using result::findings::found;
  std::vector<result::Finding> out;
  if (!facts.optimised) out.push_back(found("build.unoptimised", {}));
  if (!facts.sanitizers.empty())
    out.push_back(found("build.sanitized", {.values = {{"sanitizers", facts.sanitizers}}}));
  if (facts.profiled) out.push_back(found("build.profiled", {}));
  return out;
}

}  // namespace fathom::audit::machine
