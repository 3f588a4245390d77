// What ended a job of fio or set its depth: latency_target= and steadystate=. Mistakes are in the document. Pure.
#pragma once
#include "import/fio/version.h"
#include "import/json_fields.h"

namespace fathom::import::fio {

void read_controls(JsonDocument& in, const JsonNode& node, const Version& version, result::Job& job);

}  // namespace fathom::import::fio
