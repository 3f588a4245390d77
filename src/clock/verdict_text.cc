// Writes stored verdicts, and parses them strictly.
#include "clock/verdict_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>

#include "clock/verdict_cache.h"

namespace fathom::clock {
namespace {

constexpr unsigned kMostCpus = 65536;
using Fields = std::map<std::string, std::string, std::less<>>;

std::string head(std::string_view what, std::string_view boot_id) {
  return fmt::format("fathom clock {} {}\nboot {}\n", what, kVerdictVersion, boot_id);
}

// The fields by key, after the head with this boot and version.
std::optional<Fields> fields_of(std::string_view text, std::string_view what, std::string_view boot_id) {
  const auto expected = head(what, boot_id);
  if (boot_id.empty() || !text.starts_with(expected) || !text.ends_with('\n')) return std::nullopt;
  text.remove_prefix(expected.size());
  Fields fields;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    const auto space = line.find(' ');
    if (space == std::string_view::npos || space == 0) return std::nullopt;
    if (!fields.emplace(line.substr(0, space), line.substr(space + 1)).second) return std::nullopt;
  }
  return fields;
}

template <class T>
bool read_number(std::string_view text, T& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_finite(std::string_view text, double& into) { return read_number(text, into) && std::isfinite(into); }

template <class Enum>
bool read_name(std::string_view text, Enum last, Enum& into) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (name(static_cast<Enum>(i)) == text) {
      into = static_cast<Enum>(i);
      return true;
    }
  return false;
}

bool read_cpus(std::string_view text, std::vector<unsigned>& into) {
  while (true) {
    const auto word = text.substr(0, text.find(' '));
    unsigned cpu = 0;
    if (!read_number(word, cpu) || cpu >= kMostCpus || (!into.empty() && cpu <= into.back())) return false;
    into.push_back(cpu);
    if (word.size() == text.size()) return true;
    text.remove_prefix(word.size() + 1);
  }
}

bool read_words(std::string_view text, std::string& into) {
  into = text;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

// How a value is written and read, one row per key.
template <class T>
struct Row {
  std::string_view key;
  std::string (*write)(const T&);
  bool (*read)(std::string_view, T&);
};

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define FATHOM_NUMBER(T, key, member)                                     \
  Row<T> {                                                                \
    key, [](const T& v) { return fmt::format("{}", v.member); },          \
        [](std::string_view s, T& v) { return read_number(s, v.member); } \
  }
#define FATHOM_NAME(T, key, member, last)                                     \
  Row<T> {                                                                    \
    key, [](const T& v) { return std::string(name(v.member)); },              \
        [](std::string_view s, T& v) { return read_name(s, last, v.member); } \
  }
#define FATHOM_FINITE(T, key, member)                                     \
  Row<T> {                                                                \
    key, [](const T& v) { return fmt::format("{}", v.member); },          \
        [](std::string_view s, T& v) { return read_finite(s, v.member); } \
  }
// NOLINTEND(bugprone-macro-parentheses)

constexpr Row<StoredVerdict> kVerdictRows[] = {
    FATHOM_NUMBER(StoredVerdict, "stored_at_ns", stored_at_ns),
    FATHOM_NAME(StoredVerdict, "outcome", test.outcome, Outcome::failed),
    FATHOM_NAME(StoredVerdict, "kind", test.kind, TestKind::full),
    {"cpus", [](const StoredVerdict& v) { return fmt::format("{}", fmt::join(v.test.cpus, " ")); },
     [](std::string_view s, StoredVerdict& v) { return read_cpus(s, v.test.cpus); }},
    FATHOM_NUMBER(StoredVerdict, "entries_per_cpu", test.entries_per_cpu),
    FATHOM_NUMBER(StoredVerdict, "mismatches", test.mismatches),
    FATHOM_NUMBER(StoredVerdict, "largest_backward_ticks", test.largest_backward_ticks),
    FATHOM_NUMBER(StoredVerdict, "detectable_ticks", test.detectable_ticks),
    FATHOM_NUMBER(StoredVerdict, "took_ns", test.took_ns),
    {"words", [](const StoredVerdict& v) { return v.test.text; },
     [](std::string_view s, StoredVerdict& v) { return read_words(s, v.test.text); }},
};

constexpr Row<Drift> kDriftRows[] = {
    FATHOM_FINITE(Drift, "drift_ppm", drift_ppm),
    FATHOM_FINITE(Drift, "bound_ppm", bound_ppm),
    FATHOM_NUMBER(Drift, "over_ns", over_ns),
    FATHOM_FINITE(Drift, "ticks_per_second", ticks_per_second),
};

template <class T, std::size_t N>
std::string write_rows(const Row<T> (&rows)[N], const T& value) {
  std::string text;
  for (const auto& row : rows) text += fmt::format("{} {}\n", row.key, row.write(value));
  return text;
}

template <class T, std::size_t N>
std::optional<T> read_rows(const Row<T> (&rows)[N], const std::optional<Fields>& fields) {
  if (!fields || fields->size() != N) return std::nullopt;
  T value;
  for (const auto& row : rows) {
    const auto field = fields->find(row.key);
    if (field == fields->end() || !row.read(field->second, value)) return std::nullopt;
  }
  return value;
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

}  // namespace

std::string verdict_text(const StoredVerdict& verdict, std::string_view boot_id) {
  auto clean = verdict;
  clean.test.text = one_line(clean.test.text);
  return head("verdict", boot_id) + write_rows(kVerdictRows, clean);
}

std::optional<StoredVerdict> parse_verdict(std::string_view text, std::string_view boot_id) {
  return read_rows(kVerdictRows, fields_of(text, "verdict", boot_id));
}

std::string drift_text(const Drift& drift, std::string_view boot_id) {
  return head("drift", boot_id) + write_rows(kDriftRows, drift);
}

std::optional<Drift> parse_drift(std::string_view text, std::string_view boot_id) {
  return read_rows(kDriftRows, fields_of(text, "drift", boot_id));
}

}  // namespace fathom::clock
