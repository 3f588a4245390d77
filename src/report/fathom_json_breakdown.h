// The latency split in `fathom.breakdown` (docs/breakdown.md).
#pragma once
#include "report/json_writer.h"
#include "result/result.h"

namespace fathom::report {

// bins: histograms too, as json+ has them.
void write_breakdown(JsonWriter& w, const result::Breakdown& breakdown, bool bins);

}  // namespace fathom::report
