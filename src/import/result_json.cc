// fathom's half of the document is read; fio's half follows from it. Where the file has text around the document
// (several formats in one report), the document is what stands between a line that is "{" and one that is "}", as
// scripts cut it out.
#include "import/result_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/document.h"
#include "import/json_fields.h"

namespace fathom::import {
namespace {

constexpr int kOldestRead = 8;

std::string_view document_in(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] == '{') return text;
  const auto begin = text.find("\n{\n"), end = text.find("\n}\n");
  return begin == std::string_view::npos || end == std::string_view::npos || end < begin
             ? text
             : text.substr(begin + 1, end + 2 - begin);
}

const JsonNode* member(const JsonNode& node, std::string_view name) {
  const auto found = std::find_if(node.children.begin(), node.children.end(),
                                  [&](const JsonNode& child) { return child.name == name; });
  return node.is(JsonNode::Kind::object) && found != node.children.end() ? &*found : nullptr;
}

base::Error no_result(const JsonTree& tree) {
  if (member(tree.root(), "fio version"))
    return tree.error(0, "a result of fio's own",
                      "it has no \"fathom\": what fathom measures and fio does not is not there");
  return tree.error(0, "no result of fathom", "a JSON document without \"fathom\"");
}

base::Expected<int> schema_of(const JsonTree& tree, const JsonNode& fathom) {
  const auto* node = member(fathom, "schema_version");
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
  const auto document = document_in(text);
  JsonTree tree(document, file_name);
  if (auto ok = tree.parse(); !ok) return ok.error();
  if (const auto* format = member(tree.root(), "format")) return read_document(tree, *format);
  const auto* fathom = member(tree.root(), "fathom");
  if (!fathom || !fathom->is(JsonNode::Kind::object)) return no_result(tree);
  const auto schema = schema_of(tree, *fathom);
  if (!schema) return schema.error();
  JsonDocument in(tree, *schema);
  JsonReader reader(in, *fathom);
  result::Run run;
  walk(reader, run);
  if (!in.failed()) check(in, *fathom, run);
  if (in.failed()) return in.error();
  run.schema_version = result::kSchemaVersion;
  return result::Stored(std::move(run));
}

base::Expected<result::Run> read_result_json(std::string_view text, const std::string& file_name) {
  auto stored = read_stored(text, file_name);
  if (!stored) return stored.error();
  if (auto* run = std::get_if<result::Run>(&*stored)) return std::move(*run);
  return JsonTree(text, file_name).error(0, "no result of a run", "its \"format\" is that of another command");
}

}  // namespace fathom::import
