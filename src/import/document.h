// Documents (result/documents.h) from their JSON.
#pragma once
#include "import/json_tree.h"
#include "result/stored.h"

namespace fathom::import {

// The kind that its "format" names. Errors: usage, with file:line:column.
base::Expected<result::Stored> read_document(const JsonTree& tree, const JsonNode& format);

}  // namespace fathom::import
