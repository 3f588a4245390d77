// A doubt about a measurement, as a typed value with its remedy: it stands in every report format.
#pragma once
#include <string>

namespace fathom::result {

enum class Severity { note, warning, error };

constexpr const char* name(Severity s) {
  constexpr const char* names[] = {"note", "warning", "error"};
  return names[static_cast<int>(s)];
}

struct Finding {
  std::string id;  // stable and machine-readable: "clock.unfit", "option.ignored"
  Severity severity = Severity::note;
  std::string job;       // job name, empty when it concerns the whole run
  std::string evidence;  // what was seen, with numbers
  std::string remedy;    // what the user can do
  bool operator==(const Finding&) const = default;
};

}  // namespace fathom::result
