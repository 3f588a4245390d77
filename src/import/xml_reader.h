// Reading an XML document field by field without a test after each: the first thing that is wrong is kept with its
// place, and what is read after it is zero. pugixml parses; it expands no entity but the five of XML and opens no other
// file. Not thread-safe; one reader a document.
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
  XmlReader(std::string_view text, std::string file_name);  // text lives as long as the reader
  bool parse();                                             // false: error() says why
  pugi::xml_node root() const { return document_.document_element(); }

  // A child that must be there; an empty node (and an error) where it is not.
  pugi::xml_node need(pugi::xml_node parent, const char* name);
  // The text of a child that must be there; of one that may be.
  std::string text(pugi::xml_node parent, const char* name);
  std::string optional_text(pugi::xml_node parent, const char* name) const;
  // A number as the whole text of a child that must be there.
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

// All of `text` as a number, else none. No sign for unsigned types, no infinities.
std::optional<std::uint64_t> to_count(std::string_view text);
std::optional<std::int64_t> to_integer(std::string_view text);
std::optional<double> to_real(std::string_view text);
std::optional<int> to_int(std::string_view text);  // from 0 on
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

// What stands before the first space, taken off the text with it.
std::string_view next_word(std::string_view& text);

}  // namespace fathom::import
