// The key "fathom": all data without a place in fio's JSON. Its shape is versioned (result::kSchemaVersion) and
// described in docs/reference/json.md and docs/schema/result.schema.json; its fields are those of result/run_fields.h.
#pragma once
#include "report/parts/json_writer.h"
#include "result/result.h"

namespace fathom::report {

void write_fathom(parts::JsonWriter& w, const result::Run& run);

}  // namespace fathom::report
