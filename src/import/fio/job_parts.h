// The parts of a job and a run that fio's JSON of any version has. Errors are set in the document. Pure.
#pragma once
#include <string>
#include <string_view>

#include "import/json_fields.h"
#include "result/option_of.h"

namespace fathom::import::fio {

// Reads an optional field.
template <class T>
void get(JsonReader& fio, const char* key, T& value) {
  if (fio.there(key, false)) fio.field(key, value);
}

using result::option_of;
void take_job(JsonDocument& in, const JsonNode& node, const result::Run& run, result::Job& job);
void take_head(JsonDocument& in, const JsonNode& document, result::Run& run);  // zone, options, disks

}  // namespace fathom::import::fio
