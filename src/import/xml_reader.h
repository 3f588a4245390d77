// Reads an XML document field by field, without a check after each. The reader keeps the first error with its place,
// and later reads return zero. pugixml parses; it expands no entities except XML's five and opens no other
// file. Not thread-safe; one reader per document.
#pragma once
#include <pugixml.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/error.h"

namespace fathom::import {

class XmlReader {
 public:
  XmlReader(std::string_view text, std::string file_name);  // text must outlive the reader
  bool parse();                                             // false: see error()
  pugi::xml_node root() const { return document_.document_element(); }

  // A required child. If it is missing, this returns an empty node and sets an error.
  pugi::xml_node need(pugi::xml_node parent, const char* name);
  // The text of a required child; optional_text(): of an optional one.
  std::string text(pugi::xml_node parent, const char* name);
  std::string optional_text(pugi::xml_node parent, const char* name) const;
  // A number as the whole text of a required child.
  std::uint64_t count(pugi::xml_node parent, const char* name);
  std::int64_t integer(pugi::xml_node parent, const char* name);
  double real(pugi::xml_node parent, const char* name);
  bool flag(pugi::xml_node parent, const char* name) { return count(parent, name) != 0; }

  void fail(pugi::xml_node at, std::string what, std::string cause);
  bool failed() const { return error_.has_value(); }
  base::Error error() const { return *error_; }

 private:
  void fail_at(std::ptrdiff_t offset, std::string what, std::string cause);
  template <class T>
  T number(pugi::xml_node parent, const char* name, const char* kind);

  std::string_view text_;
  std::string file_name_;
  pugi::xml_document document_;
  std::optional<base::Error> error_;
};

// All of `text` as a number; empty: not a number. Unsigned types accept no sign, and no type accepts infinities.
std::optional<std::uint64_t> to_count(std::string_view text);
std::optional<std::int64_t> to_integer(std::string_view text);
std::optional<double> to_real(std::string_view text);
std::optional<int> to_int(std::string_view text);  // 0 or more
std::optional<unsigned __int128> to_wide(std::string_view text);

template <class Number>
std::optional<Number> to_number(std::string_view text) {
  if constexpr (std::is_floating_point_v<Number>) {
    return to_real(text);
  } else if constexpr (std::is_same_v<Number, int>) {
    return to_int(text);
  } else if constexpr (std::is_signed_v<Number>) {
    return to_integer(text);
  } else {
    return to_count(text);
  }
}

// Removes the text up to and including the first space, and returns the part before the space.
std::string_view next_word(std::string_view& text);

}  // namespace fathom::import
