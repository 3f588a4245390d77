// A section per job. If all jobs have the same [global], it is written once, else its options are in each section.
// The finished text is read back: a value that a job file cannot have would change there.
#include "bundle/job_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/printable.h"
#include "bundle/reach.h"
#include "job/job_file.h"
#include "job/option.h"
#include "result/option_of.h"

namespace fathom::bundle {
namespace {

struct WrittenSection {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
};

base::Error cannot_bundle(std::string what, std::string cause, std::string help) {
  base::Error error;
  error.what = std::move(what);
  error.cause = std::move(cause);
  error.help = std::move(help);
  return error;
}

// The single jobs, in the order of their sections; copies by numjobs once.
std::vector<const result::Job*> sections_of(const result::Run& run) {
  std::vector<const result::Job*> singles;
  std::size_t next = 0;
  for (const auto& job : run.jobs) {
    if (job.members == 1) singles.push_back(&job);
    for (int i = 0; job.members > 1 && i < job.members && next < run.group_members.size(); ++i)
      singles.push_back(&run.group_members[next++]);
  }
  std::stable_sort(singles.begin(), singles.end(),
                   [](const auto* a, const auto* b) { return a->section < b->section; });
  singles.erase(std::unique(singles.begin(), singles.end(),
                            [](const auto* a, const auto* b) { return a->section == b->section; }),
                singles.end());
  return singles;
}

bool asks_for(const result::Options& options, std::string_view name) {
  return std::any_of(options.begin(), options.end(),
                     [&](const auto& option) { return option.first == name && option.second != "0"; });
}

// The first job of a further job file waits for the jobs before it, without an option.
bool waits_by_itself(const result::Job& job, const result::Job& before, const result::Run& run) {
  constexpr std::string_view kNewGroup[] = {"stonewall", "new_group"};
  return job.group_id > before.group_id &&
         std::none_of(std::begin(kNewGroup), std::end(kNewGroup), [&](std::string_view name) {
           return asks_for(job.options, name) || asks_for(result::globals_of(run, job), name);
         });
}

void add(WrittenSection& section, const result::Options& options, JobText& made) {
  for (const auto& [name, value] : options) {
    if (name == "name" && (value == section.name || section.name == "global")) continue;
    if (is_permission(name) && value != "0")
      made.omitted.push_back(fmt::format("[{}] {}={}", section.name, name, value));
    else
      section.options.emplace_back(name, value);
  }
}

std::vector<WrittenSection> written_sections(const result::Run& run, JobText& made) {
  const auto jobs = sections_of(run);
  const bool one_global =
      std::none_of(jobs.begin(), jobs.end(), [](const auto* job) { return job->global_options.has_value(); });
  std::vector<WrittenSection> all;
  if (one_global && !run.global_options.empty())
    add(all.emplace_back(WrittenSection{"global", {}}), run.global_options, made);
  const result::Job* before = nullptr;
  for (const auto* job : jobs) {
    auto& section = all.emplace_back();
    section.name = job->section_name.empty() ? job->name : job->section_name;
    if (!one_global) add(section, result::globals_of(run, *job), made);
    add(section, job->options, made);
    if (before != nullptr && waits_by_itself(*job, *before, run)) section.options.emplace_back("stonewall", "");
    before = job;
  }
  return all;
}

// An option without a value is stored with an empty one. A text may also be written as empty.
std::string line_of(const std::string& name, const std::string& value) {
  const auto* row = job::find_option(name);
  const bool bare = value.empty() && (row == nullptr || row->bare());
  return bare ? name + "\n" : fmt::format("{}={}\n", name, value);
}

base::Error cannot_be_written(const std::string& section, const std::string& line) {
  return cannot_bundle(fmt::format("a job file cannot have `{}` of job `{}`", base::text::printable(line),
                                   base::text::printable(section)),
                       "the job was written on a command line; in a job file, `;` and `#` begin a comment, and `${` a "
                       "variable",
                       "write the job as a job file, run it, and bundle that result");
}

// The first option that reads differently, or an option that appeared; nullopt: the section reads as it is wanted.
std::optional<std::string> changed_in(const WrittenSection& wanted, const job::Section& read) {
  for (std::size_t n = 0; n < wanted.options.size(); ++n) {
    const auto& [name, value] = wanted.options[n];
    const bool same = n < read.options.size() && read.options[n].key == name &&
                      read.options[n].value.value_or("") == value && value.find("${") == value.npos;
    if (!same) return fmt::format("{}={}", name, value);
  }
  return read.options.size() == wanted.options.size() ? std::nullopt : std::optional(read.options.back().key);
}

base::Expected<void> check(const std::vector<WrittenSection>& wanted, const std::string& text) {
  job::Environment env;
  env.read_file = [](const std::string&) { return base::Expected<std::string>(std::string()); };
  const auto read = job::read_job_text(text, std::string("job"), env);
  if (!read) return read.error();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& section = wanted[i];
    if (i >= read->size() || (*read)[i].name != section.name)
      return cannot_be_written(section.name, fmt::format("[{}]", section.name));
    if (const auto changed = changed_in(section, (*read)[i])) return cannot_be_written(section.name, *changed);
  }
  if (read->size() != wanted.size())
    return cannot_be_written(read->back().name, fmt::format("[{}]", read->back().name));
  return {};
}

std::string comments(const result::Run& run, const JobText& made) {
  std::string out = fmt::format("# The jobs of run {}, fathom {}.\n", base::text::printable(run.run_id),
                                base::text::printable(run.program.version));
  std::string words;
  for (const auto& word : run.program.argv) words += " " + base::text::printable(word);
  if (!words.empty()) out += fmt::format("# The command line was:{}\n", words);
  for (const auto& line : made.omitted)
    out += fmt::format("# Omitted, because it permits writes: {}\n", base::text::printable(line));
  return out;
}

}  // namespace

base::Expected<JobText> job_text(const result::Run& run) {
  if (run.paging)
    return cannot_bundle("a result of `fathom paging` cannot be bundled", "it has no jobs of `fathom run`",
                         "name a result of `fathom run`");
  JobText made;
  const auto sections = written_sections(run, made);
  if (sections.empty()) return cannot_bundle("the result has no jobs", "", "name a result of `fathom run`");
  std::string body;
  for (const auto& section : sections) {
    body += fmt::format("\n[{}]\n", section.name);
    for (const auto& [name, value] : section.options) body += line_of(name, value);
  }
  made.text = comments(run, made) + body;
  if (auto ok = check(sections, made.text); !ok) return ok.error();
  return made;
}

}  // namespace fathom::bundle
