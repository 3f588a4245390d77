// A JSON document as a tree. Every value has its position, which an error message shows. nlohmann-json parses it (its
// SAX interface, which is not recursive). The tree is bounded in depth and in values, since a value takes ten times its
// size in the file. Keys keep their order. Not thread-safe.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"

namespace fathom::import {

inline constexpr std::size_t kMostJsonDepth = 64;
inline constexpr std::size_t kMostJsonValues = std::size_t{1} << 24;  // 100 runs of 5 minutes have two thirds of them

struct JsonNode {
  // count: a whole number of at least 0; integer: a negative one.
  enum class Kind : std::uint8_t { null, boolean, count, integer, real, text, object, array };
  Kind kind = Kind::null;
  std::uint32_t offset = 0;  // in the document: end of the value; for a member, end of its key
  std::string_view name;     // for a member of an object
  std::string_view text;
  union {
    std::uint64_t count = 0;
    std::int64_t integer;
    double real;
    bool boolean;
  };
  std::vector<JsonNode> children;  // for objects and arrays
  std::uint32_t twice = 0;         // for an object: index of the first child with a duplicate name; 0: none

  bool is(Kind k) const { return kind == k; }
  const JsonNode* member(std::string_view member_name) const;  // for an object; nullptr: no such member
};
const char* kind_name(const JsonNode& node);  // "an object", "null", ...

class JsonTree {
 public:
  // The document is a part of the file's text, which must outlive the tree.
  JsonTree(std::string_view document, std::string_view text, std::string file_name);
  JsonTree(std::string_view text, std::string file_name) : JsonTree(text, text, std::move(file_name)) {}
  JsonTree(const JsonTree&) = delete;
  base::Expected<void> parse();
  const JsonNode& root() const { return root_; }
  // offset: in the document.
  base::Error error(std::size_t offset, std::string what, std::string cause) const;

 private:
  class Builder;
  std::string_view document_, text_;
  std::string file_name_;
  std::unordered_set<std::string> strings_;
  JsonNode root_;
};

}  // namespace fathom::import
