// Reading and spelling of switches. The journal has values in the kernel's spelling. So a comparison of texts shows
// whether a switch still has the run's value.
#include "paging/pressure/state/switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/nearest.h"
#include "base/text/parse.h"
#include "host/proc/proc_text.h"

namespace fathom::paging::pressure::state {
namespace {

constexpr std::size_t kValueMax = 64;

base::Error not_a_value(const Switch& s, const std::string& written, const std::string& allowed) {
  return {base::ErrorKind::usage,
          fmt::format("{}={}: not a value of this switch", s.name, written),
          s.path,
          "write " + allowed,
          {},
          0};
}

std::optional<bool> yes_or_no(const std::string& written) {
  const std::string low = base::text::to_lower(written);
  for (const char* yes : {"1", "y", "yes", "on", "true"}) {
    if (low == yes) return true;
  }
  for (const char* no : {"0", "n", "no", "off", "false"}) {
    if (low == no) return false;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number(std::string_view text) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (err != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string offered_text(std::string_view text) {
  std::string words;
  for (const auto word : host::proc::split_fields(text)) {
    const bool chosen = word.size() > 2 && word.front() == '[' && word.back() == ']';
    words += (words.empty() ? "" : ", ") + std::string(chosen ? word.substr(1, word.size() - 2) : word);
  }
  return words;
}

base::Expected<std::string> choice_value(Machine& machine, const Switch& s, const std::string& written) {
  const auto text = read_value(machine, s.path);
  if (!text) return written;
  const std::string offered = offered_text(*text);
  const std::string list = ", " + offered + ",";
  if (written.find(',') != written.npos || list.find(", " + written + ",") == list.npos) {
    return not_a_value(s, written, "one of " + offered);
  }
  return written;
}

std::string nearest_switch(const std::string& name) {
  std::vector<std::string> known;
  for (const Switch& s : kSwitches) known.emplace_back(s.name);
  return base::did_you_mean(name, known, fmt::format("known values: {}", fmt::join(known, ", ")));
}

}  // namespace

const Switch* find_switch(std::string_view name) {
  const auto row =
      std::find_if(std::begin(kSwitches), std::end(kSwitches), [&](const Switch& s) { return s.name == name; });
  return row == std::end(kSwitches) ? nullptr : row;
}

bool is_switch_value(std::string_view text) {
  return !text.empty() && text.size() <= kValueMax && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '+' || c == '-';
  });
}

std::optional<std::string> read_switch(Machine& machine, const Switch& s) {
  auto text = read_value(machine, s.path);
  if (!text) return std::nullopt;
  if (s.text == SwitchText::choice) *text = host::proc::chosen(*text);
  if (!is_switch_value(*text)) return std::nullopt;
  return text;
}

base::Expected<std::string> switch_value(Machine& machine, const Switch& s, const std::string& written) {
  const auto yes = yes_or_no(written);
  const auto value = number(written);
  switch (s.text) {
    case SwitchText::number:
      if (!value) return not_a_value(s, written, "a number");
      return std::to_string(*value);
    case SwitchText::yes_no:
      if (!yes) return not_a_value(s, written, "on or off");
      return std::string(*yes ? "Y" : "N");
    case SwitchText::true_false:
      if (!yes) return not_a_value(s, written, "on or off");
      return std::string(*yes ? "true" : "false");
    case SwitchText::mask:
      if (value) return fmt::format("0x{:04x}", *value);
      if (!yes) return not_a_value(s, written, "on, off or a mask such as 0x0007");
      return std::string(*yes ? "0x0007" : "0x0000");
    case SwitchText::choice:
      return choice_value(machine, s, written);
    case SwitchText::word:
      if (!is_switch_value(written)) return not_a_value(s, written, "one word");
      return written;
  }
  return written;
}

base::Expected<void> check_settings(Machine& machine,
                                    const std::vector<std::pair<std::string, std::string>>& settings) {
  for (const auto& [name, written] : settings) {
    const Switch* s = find_switch(name);
    if (s == nullptr) {
      return base::Error{base::ErrorKind::usage, name + ": unknown kernel setting", "", nearest_switch(name), {}, 0};
    }
    if (const auto value = switch_value(machine, *s, written); !value) return value.error();
  }
  return {};
}

}  // namespace fathom::paging::pressure::state
