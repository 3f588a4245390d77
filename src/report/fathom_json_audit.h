// fathom.audit: what the witnesses of the bytes said, and what was made of it.
#pragma once
#include "report/json_writer.h"
#include "result/audit.h"

namespace fathom::report {

void write_audit(JsonWriter& w, const result::Audit& audit);

}  // namespace fathom::report
