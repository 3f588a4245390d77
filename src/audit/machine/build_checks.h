// How the program was built. A build that is slow by its options measures itself.
#pragma once
#include <string>
#include <vector>

#include "result/finding.h"

namespace fathom::audit::machine {

struct BuildFacts {
  bool optimised = true;
  std::string sanitizers;  // -fsanitize= values; empty: none
  bool profiled = false;   // counts its own branches (-fprofile-generate)
};

// build.unoptimised, build.sanitized, build.profiled
std::vector<result::Finding> build_findings(const BuildFacts& facts);

}  // namespace fathom::audit::machine
