// Only fathom's half of the document is read: fio's half follows from it. The file may have text around the document
// (several formats in one report). Then the document is between a line "{" and a line "}", as scripts extract it.
#include "import/result_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "import/document.h"
#include "import/json_fields.h"
#include "import/json_tree.h"
#include "result/findings/rows.h"
#include "result/stored.h"

namespace fathom::import {
namespace {

// Documents (result/documents.h) from their JSON.

// The kind that "format" names. Errors: usage, with file:line:column.
base::Expected<result::Stored> read_document(const JsonTree& tree, const JsonNode& format);

// The JSON of `fathom pmu stat -I`: one line per interval, and the document as the last line.
bool begins_with_interval(std::string_view text);
base::Expected<result::Stored> read_interval_lines(std::string_view text, const std::string& file_name);

using Read = base::Expected<result::Stored>;

template <class T>
Read read(const JsonTree& tree) {
  auto result = read_document_of<T>(tree);
  if (!result) return result.error();
  return result::Stored(std::move(*result));
}

// The alternatives of the variant after the run.
template <std::size_t... I>
std::optional<Read> read_kind(const JsonTree& tree, std::string_view format, std::index_sequence<I...>) {
  std::optional<Read> found;
  const auto look = [&]<class T>(T*) {
    if (format == T::kFormat) found.emplace(read<T>(tree));
  };
  (look(static_cast<std::variant_alternative_t<I + 1, result::Stored>*>(nullptr)), ...);
  return found;
}

Read read_document(const JsonTree& tree, const JsonNode& format) {
  constexpr auto kKinds = std::make_index_sequence<std::variant_size_v<result::Stored> - 1>();
  if (auto found = read_kind(tree, format.text, kKinds)) return *std::move(found);
  return tree.error(format.offset, fmt::format("unknown format \"{:.40}\"", format.text),
                    "a damaged file, or one from another program or a newer fathom");
}

bool begins_with_interval(std::string_view text) { return text.starts_with("{\"time_s\""); }

Read read_interval_lines(std::string_view text, const std::string& file_name) {
  std::vector<result::PmuIntervalRows> intervals;
  for (auto rest = text; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    JsonTree tree(one, text, file_name);
    if (auto ok = tree.parse(); !ok) return ok.error();
    if (!begins_with_interval(one)) {
      auto stat = read_fields<result::PmuStat>(tree);
      if (!stat) return stat.error();
      stat->intervals = std::move(intervals);
      return result::Stored(std::move(*stat));
    }
    auto rows = read_fields<result::PmuIntervalRows>(tree);
    if (!rows) return rows.error();
    intervals.push_back(std::move(*rows));
  }
  return JsonTree(text.substr(0, 0), text, file_name)
      .error(0, "intervals without the result of the whole run",
             "the command was killed before it wrote its last line");
}

constexpr const char* kLastOfOlder = "4eb4bbd8f6f6";  // reads schemas 1 to 13

std::string_view document_in(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] == '{') return text;
  const auto begin = text.find("\n{\n"), end = text.find("\n}\n");
  return begin == std::string_view::npos || end == std::string_view::npos || end < begin
             ? text
             : text.substr(begin + 1, end + 2 - begin);
}

constexpr const char* kWanted =
    "JSON of fathom, JSON, terse lines (3 to 5) and logs of fio, and XML of pmbench can be read";

base::Error no_result(const JsonTree& tree) {
  auto error = tree.error(0, "not a result of fathom", "a JSON document without \"fathom\"");
  error.help = kWanted;
  return error;
}

base::Expected<int> schema_of(const JsonTree& tree, const JsonNode& fathom) {
  const auto* node = fathom.member("schema_version");
  if (!node || !node->is(JsonNode::Kind::count))
    return tree.error(fathom.offset, "no schema_version in \"fathom\"", "a damaged file, or one from another program");
  const auto read = fmt::format("this fathom reads schema {} and {}", result::kOldestRead, result::kSchemaVersion);
  if (node->count > result::kSchemaVersion)
    return tree.error(node->offset, fmt::format("a result of schema {}, newer than this program", node->count), read);
  if (node->count < result::kOldestRead) {
    auto error = tree.error(node->offset, fmt::format("a result of schema {}", node->count), read);
    if (node->count > 0)
      error.help = fmt::format("build fathom from commit {}, the last that reads this schema", kLastOfOlder);
    return error;
  }
  return static_cast<int>(node->count);
}

result::Finding older_finding(int schema) {
  auto finding = result::findings::found("import.older_schema", {.values = {{"schema", schema}}});
  finding.values.clear();  // findings of such a result have no values
  return finding;
}

// Refuses values that a run cannot have, because a report computes with them.
void check(JsonDocument& in, const JsonNode& at, const result::Run& run) {
  constexpr int kMost = 1 << 20;
  if (run.paging) {
    const auto& paging = *run.paging;
    int most = std::max(paging.threads, paging.processes);
    for (const auto& worker : paging.workers) {
      most = std::max({most, worker.process, worker.thread});
      for (const int cpu : worker.cpus) most = std::max(most, cpu);
    }
    if (most > kMost)
      in.fail(at, fmt::format("process, thread or CPU number {} is out of range", most),
              fmt::format("at most {}", kMost));
    if (!(paging.read_percent >= -1 && paging.read_percent <= 100))
      in.fail(at, "\"read_percent\" is out of range", "0 to 100; absent for a trace");
    if (!(paging.duration_s >= 0)) in.fail(at, "\"duration_s\" is out of range", "from 0 on");
  }
  const auto rising = [](const result::Job& job) {
    return std::is_sorted(job.percentile_list.begin(), job.percentile_list.end()) &&
           std::all_of(job.percentile_list.begin(), job.percentile_list.end(),
                       [](double p) { return p > 0 && p <= 100; });
  };
  if (!std::all_of(run.jobs.begin(), run.jobs.end(), rising) ||
      !std::all_of(run.group_members.begin(), run.group_members.end(), rising))
    in.fail(at, "\"percentile_list\" is out of range", "rising, above 0 and up to 100");
  for (const auto& repetition : run.repetitions) check(in, at, repetition);
}

// A zlib header is divisible by 31 (RFC 1950).
bool is_zlib(std::string_view text) {
  constexpr unsigned char kDeflateWith32Kib = 0x78;
  if (text.size() < 2 || static_cast<unsigned char>(text[0]) != kDeflateWith32Kib) return false;
  return (256u * kDeflateWith32Kib + static_cast<unsigned char>(text[1])) % 31 == 0;
}

}  // namespace

base::Error unreadable(const JsonTree& tree, std::string_view document, base::Error error) {
  const auto first = document.find_first_not_of(" \t\r\n");
  const auto end = tree.error(document.size(), "", "").place;
  const auto& at = error.place;
  error.help = kWanted;
  if (first == document.npos) {
    error = tree.error(0, "an empty file", kWanted);
  } else if (document.find('\0') != document.npos) {
    error.what = "a binary file, not a JSON document";
    if (is_zlib(document))
      error.help = "if it is a log of fio (log_store_compressed=1), print it as text: `fathom run --inflate-log=FILE`";
  } else if (document[first] == '{' && at && at->line == end->line && at->column + 1 >= end->column) {
    error.what = "a truncated file: its JSON document does not end";
    error.help = "";
  }
  return error;
}

base::Expected<result::Stored> read_stored(std::string_view text, const std::string& file_name) {
  if (begins_with_interval(text)) return read_interval_lines(text, file_name);
  const auto document = document_in(text);
  JsonTree tree(document, text, file_name);
  if (auto ok = tree.parse(); !ok) return unreadable(tree, document, ok.error());
  if (const auto* format = tree.root().member("format")) return read_document(tree, *format);
  const auto* fathom = tree.root().member("fathom");
  if (!fathom || !fathom->is(JsonNode::Kind::object)) return no_result(tree);
  const auto schema = schema_of(tree, *fathom);
  if (!schema) return schema.error();
  JsonDocument in(tree, Unknown::null, *schema);
  JsonReader reader(in, *fathom);
  result::Run run;
  walk(reader, run);
  if (!in.failed()) check(in, *fathom, run);
  if (in.failed()) return in.error();
  run.schema_version = result::kSchemaVersion;
  if (*schema < result::kSchemaVersion) run.findings.push_back(older_finding(*schema));
  return result::Stored(std::move(run));
}

base::Expected<result::Run> read_result_json(std::string_view text, const std::string& file_name) {
  auto stored = read_stored(text, file_name);
  if (!stored) return stored.error();
  if (auto* run = std::get_if<result::Run>(&*stored)) return std::move(*run);
  return not_of_a_run(text, file_name);
}

base::Error not_of_a_run(std::string_view text, const std::string& file_name) {
  return JsonTree(text, file_name).error(0, "not a result of a run", "its \"format\" belongs to another command");
}

}  // namespace fathom::import
