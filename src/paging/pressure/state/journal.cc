// A table of the actions and the format of their fields. Everything else is rejected.
#include "paging/pressure/state/journal.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "host/proc/proc_text.h"
#include "paging/pressure/state/switches.h"

namespace fathom::paging::pressure::state {
namespace {

constexpr std::size_t kFieldMax = 4096;

template <class T>
bool parse_whole(std::string_view text, T& value) {
  const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), value);
  return err == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool is_number(std::string_view text) {
  std::uint64_t value = 0;
  return parse_whole(text, value);
}

bool is_priority(std::string_view text) {
  std::int32_t value = 0;
  return parse_whole(text, value) && value >= -32768 && value <= 32767;
}

bool is_id(std::string_view text) {
  int value = 0;
  return parse_whole(text, value) && value >= 0;
}

bool is_path(std::string_view text) {
  if (text.size() < 2 || text.size() > kFieldMax || text[0] != '/' || text.find('\0') != text.npos) return false;
  const std::string parts = std::string(text) + "/";
  return parts.find("/../") == parts.npos && parts.find("/./") == parts.npos && parts.find("//") == parts.npos;
}

bool is_id_list(std::string_view text) {
  if (text == "-") return true;
  for (;;) {
    const auto comma = text.find(',');
    if (!is_id(text.substr(0, comma))) return false;
    if (comma == text.npos) return true;
    text.remove_prefix(comma + 1);
  }
}

bool is_uuid(std::string_view text) {
  return text == "keep" || (text.size() == 32 && std::all_of(text.begin(), text.end(), [](char c) {
                              return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                            }));
}

bool is_text(std::string_view text) { return !text.empty() && text.size() <= 2 * kFieldMax; }

bool is_reason(std::string_view text) { return text == kToRuns || text == kToCleanUp; }

bool is_switch(std::string_view text) { return find_switch(text) != nullptr; }

using Shape = bool (*)(std::string_view);
struct ActionRow {
  Action action;
  const char* word;
  Shape shapes[4];  // one per field
};
constexpr ActionRow kActions[] = {
    {Action::cgroup, "cgroup", {is_path}},
    {Action::subtree, "subtree", {is_path}},
    {Action::set_switch, "switch", {is_switch, is_switch_value, is_switch_value}},
    {Action::zram_intent, "zram-intent", {is_id_list, is_number}},
    {Action::zram, "zram", {is_id, is_number, is_uuid}},
    {Action::file, "file", {is_path, is_number, is_number, is_number}},
    {Action::device, "device", {is_path, is_number, is_uuid}},
    {Action::asked, "asked", {is_path, is_text}},
    {Action::swap_off, "swap-off", {is_path, is_priority, is_uuid}},
    {Action::given_up, "given-up", {is_reason}},
    {Action::resumed, "resumed", {}},
    {Action::in_pids, "in-pids", {is_number}},
};

std::string escape(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f && c != '%') {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

std::optional<std::string> unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned byte = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const auto [end, err] = std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16);
    if (err != std::errc() || end != text.data() + i + 3) return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

std::optional<Entry> parse_line(std::string_view line) {
  const auto fields = host::proc::split_fields(line);
  if (fields.empty()) return std::nullopt;
  const auto row =
      std::find_if(std::begin(kActions), std::end(kActions), [&](const ActionRow& r) { return r.word == fields[0]; });
  if (row == std::end(kActions)) return std::nullopt;
  const auto wanted =
      std::count_if(std::begin(row->shapes), std::end(row->shapes), [](Shape s) { return s != nullptr; });
  if (fields.size() != static_cast<std::size_t>(wanted) + 1) return std::nullopt;
  Entry entry{row->action, {}};
  for (std::size_t i = 1; i < fields.size(); ++i) {
    auto field = unescape(fields[i]);
    if (!field || !row->shapes[i - 1](*field)) return std::nullopt;
    entry.fields.push_back(std::move(*field));
  }
  return entry;
}

}  // namespace

std::uint64_t Entry::number(std::size_t i) const {
  std::uint64_t value = 0;
  parse_whole(fields[i], value);
  return value;
}

std::vector<int> Entry::ids(std::size_t i) const {
  std::vector<int> ids;
  std::string_view rest = fields[i];
  while (!rest.empty() && rest != "-") {
    const auto comma = rest.find(',');
    int id = 0;
    if (parse_whole(rest.substr(0, comma), id)) ids.push_back(id);
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  return ids;
}

std::string id_list(const std::vector<int>& ids) {
  std::string text;
  for (const int id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
  return text.empty() ? "-" : text;
}

std::string format_entry(const Entry& entry) {
  std::string line;
  for (const ActionRow& row : kActions) {
    if (row.action == entry.action) line = row.word;
  }
  for (const std::string& field : entry.fields) line += " " + escape(field);
  return line + "\n";
}

ParsedJournal parse_journal(std::string_view text) {
  ParsedJournal parsed;
  for (;;) {
    const auto end = text.find('\n');
    if (end == text.npos) return parsed;
    if (auto entry = parse_line(text.substr(0, end))) {
      parsed.entries.push_back(std::move(*entry));
    } else {
      ++parsed.not_understood;
    }
    text.remove_prefix(end + 1);
  }
}

bool is_given_up(const std::vector<Entry>& entries) {
  return !entries.empty() && entries.back().action == Action::given_up;
}

std::string run_name(RunId run) { return std::to_string(run.pid) + "-" + std::to_string(run.start_ticks); }

std::optional<RunId> parse_run_name(std::string_view name) {
  const auto dash = name.find('-');
  RunId run;
  if (dash == name.npos || !parse_whole(name.substr(0, dash), run.pid) || run.pid <= 0) return std::nullopt;
  if (!parse_whole(name.substr(dash + 1), run.start_ticks) || run_name(run) != name) return std::nullopt;
  return run;
}

std::optional<std::uint64_t> start_of_living(std::string_view stat_text) {
  const auto name_end = stat_text.rfind(')');
  if (name_end == stat_text.npos) return std::nullopt;
  const auto fields = host::proc::split_fields(stat_text.substr(name_end + 1));
  constexpr std::size_t kState = 0, kStart = 19;  // fields 3 and 22
  std::uint64_t start = 0;
  if (fields.size() <= kStart || fields[kState] == "Z" || fields[kState] == "X") return std::nullopt;
  if (!parse_whole(fields[kStart], start)) return std::nullopt;
  return start;
}

}  // namespace fathom::paging::pressure::state
