// fathom's half of the document is read; from schema 8 on fio's half follows from it. Where the file has text around the document
// (several formats in one report), the document is what stands between a line that is "{" and one that is "}", as
// scripts cut it out.
#include "import/result_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/document.h"
#include "import/json_fields.h"
#include "import/older_result.h"

namespace fathom::import {
namespace {

constexpr int kOldestRead = 1;

std::string_view document_in(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] == '{') return text;
  const auto begin = text.find("\n{\n"), end = text.find("\n}\n");
  return begin == std::string_view::npos || end == std::string_view::npos || end < begin
             ? text
             : text.substr(begin + 1, end + 2 - begin);
}

constexpr const char* kWanted = "results that fathom wrote with --output-format=json, json+ or --json are read";

// Why it is no JSON document, where that can be told.
base::Error unreadable(const JsonTree& tree, std::string_view document, base::Error error) {
  const auto first = document.find_first_not_of(" \t\r\n");
  const auto end = tree.error(document.size(), "", "").place;
  const auto& at = error.place;
  error.help = kWanted;
  if (first == document.npos) {
    error = tree.error(0, "an empty file", kWanted);
  } else if (document.find('\0') != document.npos) {
    error.what = "no JSON document, but a binary file";
  } else if (document[first] == '<') {
    error.help = "`fathom paging --import=FILE` reads reports of pmbench in XML";
  } else if (document[first] == '{' && at && at->line == end->line && at->column + 1 >= end->column) {
    error.what = "a file that was cut off: its JSON document does not end";
    error.help = "";
  }
  return error;
}

base::Error no_result(const JsonTree& tree) {
  auto error = tree.error(0, "no result of fathom", "a JSON document without \"fathom\"");
  error.help = kWanted;
  if (tree.root().member("fio version")) {
    error.what = "a result of fio's own";
    error.cause = "it has no \"fathom\": what fathom measures and fio does not is not there";
    error.help = "a result of fio is not read yet; " + std::string(kWanted);
  }
  return error;
}

base::Expected<int> schema_of(const JsonTree& tree, const JsonNode& fathom) {
  const auto* node = fathom.member("schema_version");
  if (!node || !node->is(JsonNode::Kind::count))
    return tree.error(fathom.offset, "no schema_version in \"fathom\"",
                      "a damaged file, or one that something else wrote");
  const auto read = fmt::format("this fathom reads schema {} to {}", kOldestRead, result::kSchemaVersion);
  if (node->count > result::kSchemaVersion)
    return tree.error(node->offset, fmt::format("a result of schema {}, newer than this program", node->count), read);
  if (node->count < kOldestRead)
    return tree.error(node->offset, fmt::format("a result of schema {}", node->count), read);
  return static_cast<int>(node->count);
}

// What a report computes with must be what a run can have.
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
      in.fail(at, fmt::format("a process, thread or CPU of number {}", most), fmt::format("at most {}", kMost));
    if (!(paging.read_percent >= -1 && paging.read_percent <= 100))
      in.fail(at, "\"read_percent\" is out of range", "0 to 100; absent of a trace");
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

}  // namespace

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
  JsonDocument in(tree, *schema, *schema < result::kSchemaVersion);
  JsonReader reader(in, *fathom);
  result::Run run;
  if (in.strict() && reader.there("lacks", false)) {
    reader.texts("lacks", run.lacks);
    in.lacking().insert(run.lacks.begin(), run.lacks.end());
    run.lacks.clear();
  }
  walk(reader, run);
  if (!in.failed() && !in.strict()) complete_older(in, tree.root(), run);
  if (!in.failed()) check(in, *fathom, run);
  if (in.failed()) return in.error();
  run.schema_version = result::kSchemaVersion;
  if (!in.older()) return result::Stored(std::move(run));
  run.lacks.assign(in.lacking().begin(), in.lacking().end());
  run.findings.push_back(older_finding(*schema, run));
  return result::Stored(std::move(run));
}

base::Expected<result::Run> read_result_json(std::string_view text, const std::string& file_name) {
  auto stored = read_stored(text, file_name);
  if (!stored) return stored.error();
  if (auto* run = std::get_if<result::Run>(&*stored)) return std::move(*run);
  return JsonTree(text, file_name).error(0, "no result of a run", "its \"format\" is that of another command");
}

}  // namespace fathom::import
