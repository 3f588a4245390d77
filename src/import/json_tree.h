// A JSON document as a tree in which every value knows where it stood: what an error message points at. nlohmann-json
// parses (its SAX interface, which is not recursive); the tree is bounded in depth and in values, since a value takes
// ten times the memory that it takes in a file. Keys keep their order. Not thread-safe.
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
  // count: a whole number from 0 on; integer: one below 0.
  enum class Kind : std::uint8_t { null, boolean, count, integer, real, text, object, array };
  Kind kind = Kind::null;
  std::uint32_t offset = 0;  // of the value's end, of a member's of its key's, in the document
  std::string_view name;     // of a member of an object
  std::string_view text;
  union {
    std::uint64_t count = 0;
    std::int64_t integer;
    double real;
    bool boolean;
  };
  std::vector<JsonNode> children;  // of objects and arrays
  std::uint32_t twice = 0;         // of an object: index of the first child whose name another had before; 0: none

  bool is(Kind k) const { return kind == k; }
  const JsonNode* member(std::string_view member_name) const;  // of an object; nullptr: none
};
const char* kind_name(const JsonNode& node);  // "an object", "null", ...

class JsonTree {
 public:
  // The document is a part of the text of the file, which lives as long as the tree.
  JsonTree(std::string_view document, std::string_view text, std::string file_name);
  JsonTree(std::string_view text, std::string file_name) : JsonTree(text, text, std::move(file_name)) {}
  JsonTree(const JsonTree&) = delete;
  base::Expected<void> parse();
  const JsonNode& root() const { return root_; }
  // At an offset in the document.
  base::Error error(std::size_t offset, std::string what, std::string cause) const;

 private:
  class Builder;
  std::string_view document_, text_;
  std::string file_name_;
  std::unordered_set<std::string> strings_;
  JsonNode root_;
};

}  // namespace fathom::import
