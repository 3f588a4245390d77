// Reads a job, and collects the files that it names.
#include "cli/report_commands/job_files.h"

#include <fmt/format.h>

#include <vector>

#include "io/data_placement.h"
#include "job/fields/contents.h"
#include "job/fields/verify.h"
#include "run/files/target_names.h"

namespace fathom::cli::report_commands {
namespace {

void name_patterns(const std::vector<job::fields::PatternPart>& parts, base::files::NamedFiles& named) {
  for (const auto& part : parts)
    if (part.is_file) named.add("the file of a pattern", part.text);
}

}  // namespace

base::Expected<job::Command> read_command(std::span<const std::string> args, base::files::NamedFiles& named,
                                          const JobInMemory* in_memory) {
  auto env = job::Environment::of_this_process();
  env.read_file = [&named, in_memory, read = env.read_file](const std::string& path) -> base::Expected<std::string> {
    if (in_memory != nullptr && path == in_memory->name) {
      named.add("the file of the job", in_memory->file);
      return in_memory->text;
    }
    named.add("the job file", path);
    return read(path);
  };
  auto command = job::parse_command(args, env);
  if (!command) return command;
  for (const auto& job : std::as_const(*command).jobs.jobs) {
    name_patterns(job.of<job::fields::ContentOptions>().pattern_parts, named);
    name_patterns(job.of<job::fields::VerifyOptions>().pattern_parts, named);
    if (const auto& scheme = job.engine.of<io::DataPlacementOptions>().scheme_file; !scheme.empty())
      named.add("the file of dp_scheme", scheme);
  }
  return command;
}

base::Expected<void> name_files_of_jobs(std::span<const std::vector<std::string>> jobs,
                                        base::files::NamedFiles& named) {
  std::vector<job::Job> all;
  for (const auto& words : jobs)
    if (auto command = read_command(words, named))
      all.insert(all.end(), command->jobs.jobs.begin(), command->jobs.jobs.end());
  const auto texts = named;
  for (const auto& job : all) {
    const auto targets = run::files::target_names(job);
    if (!targets) continue;
    for (const auto& target : *targets) {
      const auto as = fmt::format("a target of job `{}`", job.name);
      const auto identity = base::files::identity_of(target);
      if (job.changes_targets())
        if (auto ok = texts.check(as, target, identity); !ok) return ok;
      named.add(as, identity);
    }
  }
  return {};
}

}  // namespace fathom::cli::report_commands
