// random_distribution=.
#pragma once
#include "job/option.h"

namespace fathom::job::values {

Outcome read_distribution(Job& job, const Value& value);

}  // namespace fathom::job::values
