// Reads a stored result: fathom's JSON file (json, json+) with schema result::kOldestRead or later, back to the result
// that was written. If the schema is not the newest, a finding lists what is missing.
// Errors: usage with file:line:column if the text is no such file.
#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "import/json_tree.h"
#include "result/stored.h"

namespace fathom::import {

base::Expected<result::Run> read_result_json(std::string_view text, const std::string& file_name);
// Reads the result of any command, including documents (result/documents.h).
base::Expected<result::Stored> read_stored(std::string_view text, const std::string& file_name);

// Why a document could not be parsed: empty, binary, truncated. `error` is the parser's.
base::Error unreadable(const JsonTree& tree, std::string_view document, base::Error error);
// The error for a result of another command.
base::Error not_of_a_run(std::string_view text, const std::string& file_name);

}  // namespace fathom::import
