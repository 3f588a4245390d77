// Results of `fathom doctor`: what can be measured, and one line per check. audit/doctor/ makes them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "result/documents.h"

namespace fathom::result {

struct DoctorAbility {
  std::string name;   // "latency by layer (--breakdown)"
  std::string cause;  // the check that prevents it, with its text; empty: it can be measured
  bool can() const { return cause.empty(); }
};

struct DoctorCheck {
  std::string name;
  std::string text;
  std::optional<double> value;  // the number in the text, in `unit`
  std::string unit;
  std::string remedy;        // empty: no problem
  std::string heading = {};  // "clock", "memory"; of a group of checks
  std::string cost = {};     // what cannot be measured, or what affects the numbers; empty: nothing, or see the text
  // If there is a problem. note: it limits what can be measured. warning: it affects the numbers of usual runs.
  Severity severity = Severity::warning;
  bool ok() const { return remedy.empty(); }
};

struct Doctor {
  static constexpr const char* kFormat = "fathom doctor";

  std::string program;
  std::vector<DoctorAbility> abilities;
  std::vector<DoctorCheck> checks;  // those of a heading follow each other
};

template <class W>
void walk(W& w, Like<DoctorAbility> auto& ability) {
  w.field(Key("name", "what may be measured, with the option or command"), ability.name);
  w.derived("can", [&] { return ability.can(); });
  w.field(Key("cause", "check that prevents it, and what it found; empty: it can be measured"), ability.cause);
}

// Files from before the headings have none of heading, cost and severity.
template <class W>
void walk(W& w, Like<DoctorCheck> auto& check) {
  w.field(Key("name", "name of the check"), check.name);
  if (w.there("heading", !check.heading.empty()))
    w.field(Key("heading", "group of the check: `clock`, `memory`, ..."), check.heading);
  w.derived("ok", [&] { return check.ok(); });
  w.field(Key("text", "what was found"), check.text);
  w.maybe(Key("value", "number in the text; absent: the text has no number"), check.value);
  if (check.value) w.field(Key("unit", "unit of the value"), check.unit);
  if (w.there("cost", !check.cost.empty()))
    w.field(Key("cost", "what cannot be measured, or what affects the numbers; absent: nothing, or see `text`"),
            check.cost);
  w.field(Key("remedy", "what to do; empty: nothing"), check.remedy);
  if (w.there("severity", !check.ok()))
    w.field(Key("severity",
                "`note`: it limits what can be measured; `warning`: it affects the numbers of usual runs; "
                "absent: `ok`"),
            check.severity, Severity::error);
}

template <class W>
void walk(W& w, Like<Doctor> auto& doctor) {
  w.field(Key("program", "version and commit of fathom"), doctor.program);
  if (w.there("abilities", !doctor.abilities.empty()))
    w.list(Key("abilities", "what can be measured, and what cannot"), "ability", doctor.abilities);
  w.list(Key("checks", "one per line"), "check", doctor.checks);
}

}  // namespace fathom::result
