// Documents (result/documents.h) from their JSON.
#pragma once
#include <string>
#include <string_view>

#include "import/json_tree.h"
#include "result/stored.h"

namespace fathom::import {

// The kind that its "format" names. Errors: usage, with file:line:column.
base::Expected<result::Stored> read_document(const JsonTree& tree, const JsonNode& format);

// What `fathom pmu stat -I` prints as JSON: a line an interval, and the document as the last line.
bool begins_with_interval(std::string_view text);
base::Expected<result::Stored> read_interval_lines(std::string_view text, const std::string& file_name);

}  // namespace fathom::import
