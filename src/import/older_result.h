// What makes a result of schema 1 to 7 whole, as far as its file allows: see older_result.cc. Nothing of fathom's half
// is changed. What is filled in is no longer in.lacking(); mistakes are in.failed().
#pragma once
#include "import/json_fields.h"

namespace fathom::import {

// `document`: the file; `run`: what fathom's half gave.
void complete_older(JsonDocument& in, const JsonNode& document, result::Run& run);
// The finding that names what is lacking still.
result::Finding older_finding(int schema, const result::Run& run);

}  // namespace fathom::import
