// Writes the fields of result/fields.h and result/paging_fields.h as JSON, for those parts whose names are the same
// there as in our XML: attributes are fields like the others, lists are arrays.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/json_writer.h"
#include "result/paging_fields.h"

namespace fathom::report {

class JsonFields {
 public:
  explicit JsonFields(JsonWriter& w) : w_(w) {}

  void attribute(const char* name, const std::string& text) { w_.field(name, text); }
  template <class T>
  void field(const char* name, const T& value) {
    w_.field(name, value);
  }
  template <class Enum>
  void field(const char* key, Enum value, Enum /*last*/) {
    w_.field(key, name(value));
  }
  template <class T>
  static bool present(const char*, const std::optional<T>& part) {
    return part.has_value();
  }
  template <class T>
  void part(const char* name, const T& value) {
    w_.begin_object(name);
    walk(*this, value);
    w_.end_object();
  }
  template <class T>
  void list(const char* name, const char* /*each*/, const std::vector<T>& values) {
    w_.begin_array(name);
    for (const auto& value : values) {
      w_.begin_object();
      walk(*this, value);
      w_.end_object();
    }
    w_.end_array();
  }
  template <class Number>
  void counts(const char* name, const char* /*each*/, const std::map<std::string, Number>& values) {
    if (values.empty()) return;
    w_.begin_object(name);
    for (const auto& [key, value] : values) w_.field(key, value);
    w_.end_object();
  }

 private:
  JsonWriter& w_;
};

}  // namespace fathom::report
