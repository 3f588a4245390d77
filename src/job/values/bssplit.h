// bssplit=: I/O sizes with their shares.
#pragma once
#include "job/option.h"

namespace fathom::job::values {

// "4k/50:8k/30:16k[,write[,trim]]"
Outcome read_bssplit(Job& job, const Value& value);

}  // namespace fathom::job::values
