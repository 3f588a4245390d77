// Names of hosts and paths occur in many sentences, not only in their own fields. So every text of the result is
// searched.
#include "report/parts/redacted.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/parts/every_value.h"

namespace fathom::report::parts {
namespace {

constexpr std::string_view kHost = "(host)", kPath = "(path)", kGone = "(redacted)";
// Options with names of files, hosts or users as values, with or without a slash at the start.
constexpr std::array<std::string_view, 25> kOfFiles = {
    "filename",      "directory",      "filename_format", "opendir",      "read_iolog",   "write_iolog", "write_bw_log",
    "write_lat_log", "write_iops_log", "write_hist_log",  "exec_prerun",  "exec_postrun", "donorname",   "program",
    "arguments",     "cgroup",         "hostname",        "interface",    "dp_scheme",    "lockfile",    "dir",
    "device-names",  "http_host",      "http_user",       "http_s3_keyid"};
// Options with values that may contain a file name between single quotes.
constexpr std::array<std::string_view, 2> kOfQuoted = {"buffer_pattern", "verify_pattern"};

bool in_word(char c) {
  return c == '_' || c == '-' || c == '.' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}
bool ends_path(char c) {
  return c == ' ' || c == ',' || c == ';' || c == ')' || c == '`' || c == '\'' || c == '"' || c == '\n' || c == ':';
}

// True for a slash, possibly after dots, that begins a word and is followed by a name: `MiB/s` and `I/O` are not paths.
bool begins_path(const std::string& text, std::size_t at) {
  if (at > 0 && in_word(text[at - 1])) return false;
  std::size_t slash = at;
  while (slash < text.size() && slash < at + 2 && text[slash] == '.') ++slash;
  if (slash + 1 >= text.size() || text[slash] != '/') return false;
  const char next = text[slash + 1];
  return in_word(next) || (static_cast<unsigned char>(next) & 0x80) != 0;
}

std::string without_paths(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (!begins_path(text, at)) {
      out += text[at++];
      continue;
    }
    while (at < text.size() && !ends_path(text[at])) ++at;
    out += kPath;
  }
  return out;
}

bool in_name(char c) { return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }
// A host may have the name of a group of kernel settings: `vm.swappiness` is not a host.
constexpr std::array<std::string_view, 5> kSettings = {"vm", "kernel", "fs", "net", "dev"};
bool is_setting(const std::string& text, std::size_t at, std::size_t end) {
  const auto name = std::string_view(text).substr(at, end - at);
  const bool dotted = end + 1 < text.size() && text[end] == '.' && in_name(text[end + 1]);
  return dotted && std::find(kSettings.begin(), kSettings.end(), name) != kSettings.end();
}

// Replaces `from` only where it is a whole word: a host `vm` is not in `kvm`.
std::string replaced(const std::string& text, const std::string& from, std::string_view to) {
  if (from.size() < 2) return text;
  std::string out;
  std::size_t done = 0;
  for (auto at = text.find(from); at != text.npos; at = text.find(from, at + 1)) {
    const auto end = at + from.size();
    const bool inside = (at > 0 && in_name(text[at - 1]) && in_name(from.front())) ||
                        (end < text.size() && in_name(text[end]) && in_name(from.back()));
    const bool gone = at > 0 && std::string_view(text).substr(at - 1).starts_with(to);  // host "host": "(host)"
    if (at < done || inside || gone || is_setting(text, at, end)) continue;
    out.append(text, done, at - done).append(to);
    done = end;
  }
  return out.append(text, done);
}

struct Redact {
  std::vector<std::pair<std::string, std::string_view>> names;
  void operator()(std::string& text) const {
    for (const auto& [name, word] : names) text = replaced(text, name, word);
    text = without_paths(text);
  }
  void operator()(const auto&) const {}
};

void redact_options(std::vector<std::pair<std::string, std::string>>& options) {
  for (auto& [name, value] : options) {
    const bool of_file = std::find(kOfFiles.begin(), kOfFiles.end(), name) != kOfFiles.end();
    const bool quoted =
        value.find('\'') != value.npos && std::find(kOfQuoted.begin(), kOfQuoted.end(), name) != kOfQuoted.end();
    if (!value.empty() && (of_file || quoted)) value = kGone;
  }
}

// Keeps flags. An option with a value may contain an address or a user.
std::string flags_of(const std::string& options) {
  std::string out;
  for (std::size_t at = 0; at < options.size();) {
    const auto end = std::min(options.find(',', at), options.size());
    const auto option = options.substr(at, end - at);
    if (option.find('=') == option.npos) out += (out.empty() ? "" : ",") + option;
    at = end + 1;
  }
  return out;
}

void redact_job(result::Job& job) {
  redact_options(job.options);
  if (job.global_options) redact_options(*job.global_options);
  if (!job.queue) return;
  for (auto& device : job.queue->devices)
    if (!device.serial.empty()) device.serial = kGone;
}

void redact_own(result::Run& run) {
  run.program.argv.clear();
  if (!run.host.hostname.empty()) run.host.hostname = kHost;
  redact_options(run.global_options);
  for (auto& device : run.host.devices) {
    device.serial = device.serial.empty() ? "" : std::string(kGone);
    device.target = std::string(kPath), device.mount_point = device.mount_point.empty() ? "" : std::string(kPath);
  }
  for (auto& device : run.host.devices) device.mount_options = flags_of(device.mount_options);
  for (auto& job : run.jobs) redact_job(job);
  for (auto& job : run.group_members) redact_job(job);
  for (auto& repetition : run.repetitions) redact_own(repetition);
}

}  // namespace

result::Run redacted(const result::Run& run) {
  result::Run out = run;
  Redact redact;
  redact.names.emplace_back(run.host.hostname, kHost);
  for (const auto& device : run.host.devices) {
    redact.names.emplace_back(device.serial, kGone);
    redact.names.emplace_back(device.target, kPath);
  }
  for (const auto& error : run.errors)
    if (error.place && !error.place->file.starts_with('<')) redact.names.emplace_back(error.place->file, kPath);
  for (const auto& job : run.jobs)
    if (job.queue)
      for (const auto& device : job.queue->devices) redact.names.emplace_back(device.serial, kGone);
  redact_own(out);
  EveryValue everywhere{redact};
  walk(everywhere, out);
  for (auto& repetition : out.repetitions) walk(everywhere, repetition);
  return out;
}

result::PmuStat redacted(const result::PmuStat& stat) {
  result::PmuStat out = stat;
  EveryValue everywhere{Redact{}};
  walk(everywhere, out);
  for (auto& interval : out.intervals) walk(everywhere, interval);
  if (!out.command.empty()) out.command = kGone;
  return out;
}

result::ClockTest redacted(const result::ClockTest& test) {
  result::ClockTest out = test;
  if (!out.stored.empty()) out.stored = kPath;
  out.not_stored = without_paths(out.not_stored);
  return out;
}

result::ClockSources redacted(const result::ClockSources& sources) { return sources; }

}  // namespace fathom::report::parts
