// Reads a document (result/documents.h) of a kind that the caller names, by its list of fields.
// Errors: usage with file:line:column if the text is no such file. Not thread-safe.
#pragma once
#include <fmt/format.h>

#include "import/json_fields.h"
#include "import/json_tree.h"
#include "result/documents.h"

namespace fathom::import {

template <class T>
base::Expected<T> read_fields(const JsonTree& tree) {
  JsonDocument in(tree, result::is_exact<T>() ? Unknown::null : Unknown::absent);
  JsonReader reader(in, tree.root());
  T result;
  if (!in.failed()) walk(reader, result);
  if (in.failed()) return in.error();
  if (!in.lacking().empty())
    return tree.error(0, fmt::format("no \"{}\"", in.lacking()),
                      "a damaged file, or one from an older fathom, which stored less");
  return result;
}

template <class T>
base::Expected<T> read_document_of(const JsonTree& tree) {
  for (const auto& child : tree.root().children)
    if (child.name == "format_version" && !(child.is(JsonNode::Kind::count) && child.count == result::kFormatVersion))
      return tree.error(child.offset, "a file of another format_version",
                        fmt::format("this fathom reads {}", result::kFormatVersion));
  return read_fields<T>(tree);
}

}  // namespace fathom::import
