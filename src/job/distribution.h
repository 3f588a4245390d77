// random_distribution=.
#pragma once
#include "job/option.h"

namespace fathom::job {

Outcome read_distribution(Job& job, const Value& value);

}  // namespace fathom::job
