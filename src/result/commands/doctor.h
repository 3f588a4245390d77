// Results of `fathom doctor`, one line per check: audit/doctor.h makes the lines.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "result/documents.h"

namespace fathom::result {

struct DoctorCheck {
  std::string name;
  std::string text;
  std::optional<double> value;  // the number in the text, in `unit`
  std::string unit;
  std::string remedy;  // empty: no problem
  bool ok() const { return remedy.empty(); }
};

struct Doctor {
  static constexpr const char* kFormat = "fathom doctor";

  std::string program;
  std::vector<DoctorCheck> checks;
};

template <class W>
void walk(W& w, Like<DoctorCheck> auto& check) {
  w.field(Key("name", "name of the check"), check.name);
  w.derived("ok", [&] { return check.ok(); });
  w.field(Key("text", "what was found"), check.text);
  w.maybe(Key("value", "number in the text; absent: the text has no number"), check.value);
  if (check.value) w.field(Key("unit", "unit of the value"), check.unit);
  w.field(Key("remedy", "what to do; empty: nothing"), check.remedy);
}

template <class W>
void walk(W& w, Like<Doctor> auto& doctor) {
  w.field(Key("program", "version and commit of fathom"), doctor.program);
  w.list(Key("checks", "one per line"), "check", doctor.checks);
}

}  // namespace fathom::result
