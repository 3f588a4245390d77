// ${ENV} and $pagesize, $mb_memory, $ncpus in option values.
#pragma once
#include <string>
#include <string_view>

#include "job/command.h"

namespace fathom::job {

struct Substituted {
  std::string text;
  bool keyword = false;  // a $keyword was replaced: arithmetic needs no parentheses then
};

// An environment variable that is not set is replaced by nothing. $jobname, $jobnum and $filenum stay: they are known
// later.
Substituted substitute(std::string_view value, const Environment& env);

}  // namespace fathom::job
