// The key "fathom": all that fio's JSON has no place for. Its shape is versioned (result::kSchemaVersion) and described
// in docs/schema.md and docs/schema/result.schema.json; later work only adds.
#pragma once
#include "report/json_writer.h"
#include "result/result.h"

namespace fathom::report {

// bins: histograms of the jobs too (those of repetitions are always written: they are the raw results).
void write_fathom(JsonWriter& w, const result::Run& run, bool bins);
// ci95_low and ci95_high where there are enough repetitions for an interval, else range_low and range_high.
void write_spread(JsonWriter& w, bool interval, double low, double high);

}  // namespace fathom::report
