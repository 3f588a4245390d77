// The findings of a run's checks, as typed values; every report format has them. A row of findings/rows.inc makes the
// texts from the values. Findings from an older file contain their texts.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace fathom::result {

enum class Severity { note, warning, error };

constexpr const char* name(Severity s) {
  constexpr const char* names[] = {"note", "warning", "error"};
  return names[static_cast<int>(s)];
}

// A number, with its unit as the end of its name, or a text.
struct FindingValue {
  std::string name;  // "lost_bytes", "device"
  std::optional<double> number = {};
  std::string text;  // if it is not a number

  FindingValue() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> FindingValue(std::string a_name, Number a_number)
      : name(std::move(a_name)), number(static_cast<double>(a_number)) {}
  FindingValue(std::string a_name, std::string a_text) : name(std::move(a_name)), text(std::move(a_text)) {}
  FindingValue(std::string a_name, const char* a_text) : name(std::move(a_name)), text(a_text) {}
  bool operator==(const FindingValue&) const = default;
};

// How much of the result the finding affects, for ranking.
enum class EffectOn { time, bytes, latency };
constexpr const char* name(EffectOn on) {
  constexpr const char* names[] = {"time", "bytes", "latency"};
  return names[static_cast<int>(on)];
}
struct Effect {
  EffectOn on = EffectOn::time;
  double value = 0;  // time, bytes: the share of all; latency: the ratio to the median
  bool operator==(const Effect&) const = default;
};

struct Finding {
  std::string id;  // stable and machine-readable: "clock.unfit", "option.ignored"
  Severity severity = Severity::note;
  std::string job;       // job name; empty: it concerns the whole run
  std::string evidence;  // what was seen, with numbers
  std::string remedy;    // what the user can do
  std::vector<FindingValue> values = {};
  std::optional<Effect> effect = {};
  bool operator==(const Finding&) const = default;
};

}  // namespace fathom::result
