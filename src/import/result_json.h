// A stored result: the JSON file of fathom (json, json+) of schema result::kOldestRead or later, back to the result that
// was written; of an older schema than the newest a finding says what is not there. Errors: usage with file:line:column
// for what is no such file.
#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "import/json_tree.h"
#include "result/stored.h"

namespace fathom::import {

base::Expected<result::Run> read_result_json(std::string_view text, const std::string& file_name);
// Of any command: a document (result/documents.h) too.
base::Expected<result::Stored> read_stored(std::string_view text, const std::string& file_name);

// Why a document could not be parsed: empty, binary, cut off; `error` is the parser's.
base::Error unreadable(const JsonTree& tree, std::string_view document, base::Error error);
// Of a result of another command.
base::Error not_of_a_run(std::string_view text, const std::string& file_name);

}  // namespace fathom::import
