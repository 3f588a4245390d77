// Line-oriented text, scanned in place. Numbers are read with from_chars, so that a truncated or unexpected file gives
// 0 and never throws.
#include "host/proc/proc_text.h"

#include <algorithm>
#include <charconv>

#include "base/text/parse.h"

namespace fathom::host::proc {
namespace {

std::uint64_t number(std::string_view word) {
  std::uint64_t v = 0;
  std::from_chars(word.data(), word.data() + word.size(), v);
  return v;
}

// The rest of the first line that starts with `key`, blanks and `separator`.
std::string_view field(std::string_view text, std::string_view key, char separator) {
  for (const auto line : split_lines(text)) {
    const auto at = line.find(separator);
    if (at != std::string_view::npos && base::text::trim(line.substr(0, at)) == key)
      return base::text::trim(line.substr(at + 1));
  }
  return {};
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return lines;
}

std::vector<std::string_view> split_fields(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  std::vector<std::string_view> fields;
  for (auto begin = text.find_first_not_of(kBlank); begin != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(kBlank, begin), text.size());
    fields.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBlank, end);
  }
  return fields;
}

std::string cpuinfo_value(std::string_view cpuinfo, std::string_view key) {
  return std::string(field(cpuinfo, key, ':'));
}

std::string cpu_model(std::string_view cpuinfo) {
  for (const auto* key : {"model name", "Processor", "cpu model", "cpu", "uarch", "Hardware"}) {
    if (auto value = cpuinfo_value(cpuinfo, key); !value.empty()) return value;
  }
  return {};
}

bool cpu_has_flag(std::string_view cpuinfo, std::string_view flag) {
  const auto fields = split_fields(field(cpuinfo, "flags", ':'));
  return std::find(fields.begin(), fields.end(), flag) != fields.end();
}

std::uint64_t meminfo_bytes(std::string_view meminfo, std::string_view key) {
  return number(field(meminfo, key, ':')) * 1024;
}

std::string os_release_value(std::string_view os_release, std::string_view key) {
  std::string_view raw = field(os_release, key, '=');
  const bool quoted = raw.size() >= 2 && (raw.front() == '"' || raw.front() == '\'') && raw.back() == raw.front();
  if (quoted) raw = raw.substr(1, raw.size() - 2);
  std::string value;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\\' && i + 1 < raw.size()) ++i;
    value += raw[i];
  }
  return value;
}

std::string chosen(std::string_view offered) {
  const auto open = offered.find('[');
  const auto close = offered.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::string(base::text::trim(offered));
  }
  return std::string(offered.substr(open + 1, close - open - 1));
}

CpuTimes parse_cpu_times(std::string_view proc_stat) {
  constexpr std::size_t kIdle = 4, kIoWait = 5,
                        kSteal = 8;  // columns; guest times after steal are already in user and nice
  for (const auto line : split_lines(proc_stat)) {
    const auto fields = split_fields(line);
    if (fields.empty() || fields[0] != "cpu") continue;
    CpuTimes times;
    for (std::size_t i = 1; i < fields.size() && i <= kSteal; ++i) {
      const auto v = number(fields[i]);
      times.total += v;
      if (i != kIdle && i != kIoWait) times.busy += v;
      if (i == kSteal) times.stolen = v;
    }
    return times;
  }
  return {};
}

}  // namespace fathom::host::proc
