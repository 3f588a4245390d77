// random_distribution=.
#pragma once
#include "job/option.h"

namespace fathom::job {

Outcome read_distribution(Draft& draft, const Option& option, std::string_view value);

}  // namespace fathom::job
