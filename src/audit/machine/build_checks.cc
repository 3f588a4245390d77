// Doubts about the program, not about the machine.
#include "audit/machine/build_checks.h"

namespace fathom::audit::machine {

std::vector<result::Finding> build_findings(const BuildFacts& facts) {
  constexpr const char* kRemedy =
      "measure with a build of `cmake --preset release`, or with -DCMAKE_BUILD_TYPE=Release";
  std::vector<result::Finding> out;
  const auto add = [&](const char* id, std::string evidence) {
    out.push_back({id, result::Severity::warning, "", std::move(evidence), kRemedy});
  };
  if (!facts.optimised)
    add("build.unoptimised",
        "fathom was compiled without optimisation (-O0): what it spends itself is in every number");
  if (!facts.sanitizers.empty())
    add("build.sanitized", "fathom was compiled with -fsanitize=" + facts.sanitizers +
                               ": it checks itself at every access to memory, in every number");
  if (facts.profiled)
    add("build.profiled", "fathom was compiled with -fprofile-generate: it counts its own branches, in every number");
  return out;
}

}  // namespace fathom::audit::machine
