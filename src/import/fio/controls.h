// Reads what ended a fio job or set its depth: latency_target= and steadystate=. Errors are set in the document. Pure.
#pragma once
#include "import/fio/version.h"
#include "import/json_fields.h"

namespace fathom::import::fio {

void read_controls(JsonDocument& in, const JsonNode& node, const Version& version, result::Job& job);

}  // namespace fathom::import::fio
