// A stored result: the JSON file of fathom (json, json+), schema 8, back to the result that was written. Errors: usage
// with file:line:column for what is no such file.
#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "result/stored.h"

namespace fathom::import {

base::Expected<result::Run> read_result_json(std::string_view text, const std::string& file_name);
// Of any command: a document (result/documents.h) too.
base::Expected<result::Stored> read_stored(std::string_view text, const std::string& file_name);

}  // namespace fathom::import
