// Takes lines of strace apart. Source: strace(1); the output of strace 6.1.
#include "trace/readers/strace_call.h"

#include <charconv>

#include "trace/text_reader.h"

namespace fathom::trace::readers {
namespace {

constexpr std::string_view kUnfinished = "<unfinished ...>", kResumed = " resumed>";

bool is_name(std::string_view s) {
  if (s.empty()) return false;
  for (const char c : s)
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
  return true;
}

// `PID ` or `[pid PID] ` in front of the time.
void take_task(std::string_view& rest, StraceLine& line) {
  auto after = rest;
  auto word = take_word(after);
  if (word == "[pid") {
    word = take_word(after);
    if (!word.ends_with(']')) return;
    word.remove_suffix(1);
  } else if (word.find('.') != std::string_view::npos) {
    return;
  }
  std::uint64_t task = 0;
  if (!to_number(word, task) || task == 0 || task > 0xffffffff) return;
  line.task = static_cast<std::uint32_t>(task);
  rest = after;
}

// ` <0.000012>` at the end of a line.
void take_duration(StraceLine& line) {
  auto& text = line.text;
  if (!text.ends_with('>')) return;
  const auto open = text.rfind('<');
  std::uint64_t duration_ns = 0;
  if (open == std::string_view::npos || !to_ns(text.substr(open + 1, text.size() - open - 2), duration_ns)) return;
  line.duration_ns = duration_ns;
  text = stripped(text.substr(0, open));
}

// Where a string that begins at `at` ends: behind its closing quote.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return at + 1;
  }
  return text.size();
}

std::vector<std::string_view> arguments_of(std::string_view text) {
  std::vector<std::string_view> all;
  std::size_t begin = 0, at = 0;
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    if (c == '<') {  // the name of a descriptor may contain anything but its end
      const auto close = text.find('>', at);
      if (close != std::string_view::npos && depth == 0) at = close;
    }
    depth += c == '(' || c == '[' || c == '{' ? 1 : 0;
    depth -= c == ')' || c == ']' || c == '}' ? 1 : 0;
    if (c == ',' && depth == 0) {
      all.push_back(stripped(text.substr(begin, at - begin)));
      begin = at + 1;
    }
    ++at;
  }
  if (const auto last = stripped(text.substr(begin)); !last.empty()) all.push_back(last);
  return all;
}

}  // namespace

StraceLine parse_strace_line(std::string_view text) {
  StraceLine line;
  auto rest = stripped(text);
  take_task(rest, line);
  const auto time = take_word(rest);
  if (time.find('.') == std::string_view::npos || !to_ns(time, line.time_ns)) return line;
  line.text = stripped(rest);
  if (line.text.starts_with("+++") || line.text.starts_with("---")) return line.kind = StraceKind::other, line;
  if (line.text.starts_with("<... ")) {
    const auto end = line.text.find(kResumed);
    if (end == std::string_view::npos) return line;
    line.name = line.text.substr(5, end - 5);
    line.text = line.text.substr(end + kResumed.size());
    line.kind = StraceKind::resumed;
    take_duration(line);
    return line;
  }
  line.name = line.text.substr(0, line.text.find('('));
  if (line.name.size() == line.text.size() || !is_name(line.name)) return line;
  line.kind = line.text.ends_with(kUnfinished) ? StraceKind::unfinished : StraceKind::call;
  if (line.kind == StraceKind::unfinished)
    line.text.remove_suffix(kUnfinished.size());
  else
    take_duration(line);
  return line;
}

bool parse_strace_call(std::string_view text, StraceCall& call) {
  const auto open = text.find('('), equals = text.rfind(" = ");
  if (open == std::string_view::npos || equals == std::string_view::npos || equals < open) return false;
  const auto before = stripped(text.substr(0, equals));
  if (!before.ends_with(')') || before.size() < open + 2) return false;
  call.name = text.substr(0, open);
  call.arguments = arguments_of(before.substr(open + 1, before.size() - open - 2));
  call.result_text = stripped(text.substr(equals + 3));
  return strace_number(call.result_text, call.result);
}

bool strace_number(std::string_view argument, std::int64_t& number) {
  const auto* const begin = argument.data();
  const auto [stop, error] = std::from_chars(begin, begin + argument.size(), number);
  return error == std::errc() && stop != begin;
}

std::string_view strace_path(std::string_view argument) {
  const auto open = argument.find('<');
  if (open == std::string_view::npos || !argument.ends_with('>')) return {};
  return argument.substr(open + 1, argument.size() - open - 2);
}

std::string strace_string(std::string_view argument) {
  if (!argument.starts_with('"')) return {};
  std::string text;
  for (std::size_t i = 1; i < argument.size() && argument[i] != '"'; ++i) {
    if (argument[i] != '\\' || i + 1 == argument.size()) {
      text += argument[i];
      continue;
    }
    unsigned value = 0, digits = 0;
    while (digits < 3 && i + 1 < argument.size() && argument[i + 1] >= '0' && argument[i + 1] <= '7')
      value = value * 8 + static_cast<unsigned>(argument[++i] - '0'), ++digits;
    if (digits > 0) {
      text += static_cast<char>(value);
      continue;
    }
    constexpr std::string_view kLetters = "nrtvfab", kMeans = "\n\r\t\v\f\a\b";
    const auto letter = kLetters.find(argument[++i]);
    text += letter == std::string_view::npos ? argument[i] : kMeans[letter];
  }
  return text;
}

}  // namespace fathom::trace::readers
