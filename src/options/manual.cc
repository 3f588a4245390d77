// Options are printed in two columns, as in GNU programs: `-e, --event=EVENTS  what to count`.
#include "options/manual.h"

#include <algorithm>

#include <fmt/format.h>

namespace fathom::options {
namespace {

constexpr std::size_t kWidth = 118;  // of a help line

bool is_shown(const Row& row) { return row.texts.status != Status::hidden && row.texts.status != Status::not_built; }

bool has_long_name(const Row& row) { return row.name().size() > 1; }

// "--event=EVENTS", "--slots[=MS]", "-v".
std::string head_of(const Row& row, bool letters) {
  std::string head;
  if (row.letter() != 0)
    head = fmt::format("-{}{}", row.letter(), has_long_name(row) ? ", " : "");
  else if (letters)
    head = "    ";
  if (has_long_name(row)) head += fmt::format("--{}", row.name());
  if (row.value_optional())
    head += fmt::format("[={}", row.value().substr(1));
  else if (row.takes_value())
    head += fmt::format("{}{}", has_long_name(row) ? "=" : " ", row.value());
  return head;
}

// Breaks `text` into lines that end before kWidth. All lines but the first begin with `indent` spaces.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t at = indent;
  for (const auto word : items_in(text)) {
    const bool fits = at + 1 + word.size() <= kWidth;
    if (!out.empty()) out += fits ? " " : "\n" + std::string(indent, ' ');
    at = (out.empty() || fits ? at + 1 : indent) + word.size();
    out += word;
  }
  return out;
}

// "auto (default), full (the long test now), pmu:NAME".
std::string choices_of(const Row& row) {
  std::string out;
  if (row.examples) return out;
  for (const auto& choice : row.choices) {
    const bool open = choice.name.ends_with(':'), chosen = choice.name == row.texts.fallback;
    std::string said(open ? "" : choice.help);
    if (chosen) said += said.empty() ? "default" : "; default";
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", choice.name, open ? choice.help : "");
    if (!said.empty()) out += fmt::format(" ({})", said);
  }
  return out;
}

// "help, name: choice" on the line of the option. If choices have explanations, one line per choice.
std::string lines_of(const Row& row, std::size_t indent) {
  const auto is_explained = [](const Choice& c) { return !c.name.ends_with(':') && !c.help.empty(); };
  if (row.examples || std::none_of(row.choices.begin(), row.choices.end(), is_explained))
    return wrapped(help_of(row), indent);
  constexpr std::size_t kDeeper = 2;
  const auto name_of = [](const Choice& c) {
    return std::string(c.name) + (c.name.ends_with(':') ? std::string(c.help) : "");
  };
  std::size_t width = 0;
  bool marked = false;
  for (const auto& choice : row.choices) {
    width = std::max(width, name_of(choice).size());
    marked |= choice.name == row.texts.fallback;
  }
  std::string head(row.texts.help);
  if (!row.texts.fallback.empty() && !marked)
    head += fmt::format("{}(default: {})", head.empty() ? "" : " ", row.texts.fallback);
  std::string out = head.empty() ? "" : wrapped(head + ":", indent);
  for (const auto& choice : row.choices) {
    std::string said(is_explained(choice) ? choice.help : "");
    if (choice.name == row.texts.fallback) said += said.empty() ? "(default)" : " (default)";
    const auto name = name_of(choice);
    auto line =
        said.empty() ? name : fmt::format("{:<{}}  {}", name, width, wrapped(said, indent + kDeeper + width + 2));
    out += "\n" + std::string(indent + kDeeper, ' ') + line;
  }
  return out;
}

// As help_of(), with one line per choice. For a row without help, only the choices.
std::string scdoc_help(const Row& row) {
  std::string out = scdoc_escaped(row.texts.help);
  const std::string values = scdoc_values(row);
  const auto is_default = [&](const Choice& choice) { return choice.name == row.texts.fallback; };
  const bool marked = !values.empty() && std::any_of(row.choices.begin(), row.choices.end(), is_default);
  if (!row.texts.fallback.empty() && !marked)
    out += fmt::format("{}Default: {}.", out.empty() ? "" : ". ", scdoc_escaped(row.texts.fallback));
  if (values.empty()) return out;
  if (out.empty()) return values.substr(2);  // without the first line break and tab
  return out + (out.ends_with('.') ? " Values:" : ":") + values;
}

}  // namespace

std::string help_of(const Row& row) {
  std::string out(row.texts.help);
  const std::string choices = choices_of(row);
  if (!choices.empty()) out += (out.empty() ? "" : ": ") + choices;
  const bool said = choices.find("default)") != std::string::npos;
  if (!row.texts.fallback.empty() && !said) out += fmt::format(" ({})", row.texts.fallback);
  return out;
}

std::string option_lines(std::span<const Group> groups) {
  bool letters = false;
  for (const auto& group : groups)
    for (const auto& row : group.rows) letters |= row.letter() != 0 && has_long_name(row);
  std::size_t width = 0;
  for (const auto& group : groups)
    for (const auto& row : group.rows) width = std::max(width, head_of(row, letters).size());
  std::string out;
  for (const auto& group : groups) {
    if (std::none_of(group.rows.begin(), group.rows.end(), is_shown)) continue;
    if (!group.title.empty()) out += fmt::format("{}{}\n", out.empty() ? "" : "\n", group.title);
    for (const auto& row : group.rows)
      if (is_shown(row)) {
        auto line = fmt::format("  {:<{}}  {}", head_of(row, letters), width, lines_of(row, width + 4));
        const auto first_end = std::min(line.find('\n'), line.size());
        const auto blank = line.find_last_not_of(' ', first_end - 1) + 1;
        out += line.erase(blank, first_end - blank) + "\n";
      }
  }
  return out;
}

std::string help_text(const Manual& manual) {
  return fmt::format("usage: {} {}\n\n{}\n{}{}{}", manual.command, manual.usage, manual.about,
                     option_lines(manual.groups), manual.after.empty() ? "" : "\n", manual.after);
}

std::string scdoc_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool item = c == '-' && (out.empty() || out.back() == '\n');  // begins a list item
    if (item || std::string_view("*_\\#`<>|[]").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string scdoc_values(const Row& row) {
  std::string out;
  if (row.examples) return out;
  for (const auto& choice : row.choices) {
    const bool open = choice.name.ends_with(':');
    out += fmt::format("\n\t- *{}*", scdoc_escaped(choice.name));
    if (!choice.help.empty()) out += (open ? "" : ": ") + scdoc_escaped(choice.help);
    if (choice.name == row.texts.fallback) out += " (default)";
  }
  return out;
}

std::string scdoc_options(const Manual& manual) {
  std::string out;
  for (const auto& group : manual.groups) {
    if (std::none_of(group.rows.begin(), group.rows.end(), is_shown)) continue;
    if (!group.title.empty()) out += fmt::format("{}_{}_\n", out.empty() ? "" : "\n", scdoc_escaped(group.title));
    for (const auto& row : group.rows)
      if (is_shown(row))
        out +=
            fmt::format("{}*{}*\n\t{}\n", out.empty() ? "" : "\n", scdoc_escaped(head_of(row, false)), scdoc_help(row));
  }
  return out;
}

std::string scdoc_section(const Manual& manual) {
  std::string out = fmt::format("## {}\n\n```\n{} {}\n```\n\n{}\n", manual.command, manual.command, manual.usage,
                                scdoc_escaped(manual.about));
  if (const auto options = scdoc_options(manual); !options.empty()) out += options + "\n";
  return out + (manual.after.empty() ? "" : fmt::format("```\n{}```\n\n", manual.after));
}

}  // namespace fathom::options
