// Documents (result/documents.h): the file of a result other than a run.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "report/parts/every_value.h"
#include "report/parts/json_fields.h"
#include "result/documents.h"

namespace fathom::report {

template <class T>
std::string document(const T& result) {
  parts::JsonWriter w;
  w.begin_object();
  w.field("format", T::kFormat);
  w.field("format_version", result::kFormatVersion);
  parts::JsonFields fields(w, result::is_exact<T>());
  walk(fields, result);
  w.end_object();
  return w.take();
}

// The result as its file has it: numbers with six decimals. A command reports this, so that its formats and those of
// its file are identical to the byte.
struct Rounded {
  void operator()(double& value) const {
    value = std::isfinite(value) ? std::strtod(fmt::format("{:f}", value).c_str(), nullptr) : 0;
  }
  void operator()(const auto&) const {}
};
template <class T>
T as_stored(T result) {
  if constexpr (!result::is_exact<T>()) {
    parts::EveryValue rounded{Rounded{}};
    walk(rounded, result);
  }
  return result;
}

}  // namespace fathom::report
