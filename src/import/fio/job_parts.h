// The parts of a job and a run that fio's JSON of any version has. Errors are set in the document. Pure.
#pragma once
#include <string>
#include <string_view>

#include "import/json_fields.h"

namespace fathom::import::fio {

// Reads an optional field.
template <class T>
void get(JsonReader& fio, const char* key, T& value) {
  if (fio.there(key, false)) fio.field(key, value);
}

// The job's option, otherwise that of [global]; nullptr: neither has it.
const std::string* option_of(const result::Run& run, const result::Job& job, std::string_view name);
void take_job(JsonDocument& in, const JsonNode& node, const result::Run& run, result::Job& job);
void take_head(JsonDocument& in, const JsonNode& document, result::Run& run);  // zone, options, disks

}  // namespace fathom::import::fio
