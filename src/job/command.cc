// The command line is read into sections and files, then built. As in fio, jobs written as options come first, in
// order; then the files. Options before the first --name (and after --name=global) apply to every later job and to the
// first file.
#include "job/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "job/builder.h"
#include "job/job_file.h"
#include "job/option.h"
#include "job/profile.h"
#include "job/section.h"
#include "job/switches.h"
#include "options/command_line.h"

namespace fathom::job {
namespace {

// --showcmd: a job file as a command line.

// `wanted` has the values of --section; empty: all jobs.
std::string show_command(const std::vector<Section>& sections, const std::vector<std::string>& wanted);

std::string quoted(const std::string& text) {
  if (text.find_first_of(" \t'\"$\\;&|<>*?()[]{}`!#~") == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// A variable of the environment is no secret.
std::string shown_value(const Assignment& a) {
  const auto* row = find_option(a.key);
  return row != nullptr && row->secret && !a.value->starts_with("${") ? std::string(options::kSecret) : *a.value;
}

std::string show_command(const std::vector<Section>& sections, const std::vector<std::string>& wanted) {
  std::string out = "fio";
  bool first = true;
  for (const auto& section : sections) {
    if (!section.global && !wanted.empty() && std::find(wanted.begin(), wanted.end(), section.name) == wanted.end())
      continue;
    if (!section.global || !first) out += " --name=" + quoted(section.name);
    for (const auto& a : section.options) out += " --" + a.key + (a.value ? "=" + quoted(shown_value(a)) : "");
    first = false;
  }
  return out;
}

base::Expected<Section> new_job(const Assignment& a) {
  if (!a.value || a.value->empty())
    return error_at(a, "", wrong("a value is missing", "a job needs a name", "write `--name=job1`", {}));
  Section section;
  section.name = *a.value;
  section.global = section.name == "global";
  section.from_command_line = true;
  section.place = a;
  section.place.key = section.name;
  section.place.key_column = a.value_column;
  return section;
}

// Options before the first --name apply to all jobs.
base::Expected<std::vector<Section>> sections_of(const Given& given) {
  std::vector<Section> sections;
  for (const auto& written : given.options) {
    const auto& a = written.assignment;
    if (!written.beside) continue;
    if (a.key == "name") {
      auto section = new_job(a);
      if (!section) return section.error();
      sections.push_back(std::move(*section));
      continue;
    }
    if (sections.empty()) {
      sections.emplace_back();
      sections.back().global = sections.back().from_command_line = true;
      sections.back().name = "global";
      sections.back().place = a;
    }
    sections.back().options.push_back(a);
  }
  return sections;
}

// --set: assignments for every job, after the job's own options.
std::vector<Assignment> overrides_of(const Given& given) {
  std::vector<Assignment> out;
  for (const auto& written : given.options) {
    if (written.beside || !written.row->is_called("set")) continue;
    Assignment a = written.assignment;
    const std::string text = a.value.value_or("");
    const std::size_t end = std::min(text.find('='), text.size());
    a.key_column = a.value_column;
    a.value_column += static_cast<int>(end) + 1;
    a.key = text.substr(0, end);
    a.value = end < text.size() ? std::optional(text.substr(end + 1)) : std::nullopt;
    out.push_back(std::move(a));
  }
  return out;
}

// Adds a job or [global] as it is written. A job also gets the --set options.
base::Expected<void> add(Builder& builder, Section section, const std::vector<Assignment>& overrides) {
  if (!section.global) section.options.insert(section.options.end(), overrides.begin(), overrides.end());
  return builder.add(section);
}

base::Error no_such_section(const std::string& name) {
  return usage_error(fmt::format("--section={}: the job file has no such job", name),
                     "--section selects a job of the job file", "write a name as in the job file, between `[` and `]`",
                     base::SourcePlace{kCommandLine, 1, 11, "--section=" + name, static_cast<int>(name.size())});
}

bool nobody_watches(const Command& command) {
  return command.breakdown == Command::Breakdown::none && command.audit == std::vector<std::string>{"off"};
}

base::Error no_cost() {
  return usage_error("`--cost` has no probe to measure",
                     "--breakdown is missing, and --audit=off disables all cross-checks",
                     "add --breakdown, or omit --audit=off or --cost");
}

base::Error no_job() {
  return usage_error("no job to run", "a job file or --name is missing",
                     "name a job file, or write a job: --name=job1 --rw=randread --size=1g");
}

base::Expected<void> build(Command& command, const Given& given, const Environment& env) {
  Builder builder(env, {command.readonly, command.fio_stamps, command.sections, command.aux_path});
  auto written = sections_of(given);
  if (!written) return written.error();
  written = in_place_of_profile(std::move(*written), env, command.profile);
  if (!written) return written.error();
  const auto overrides = overrides_of(given);
  for (const auto& section : *written)
    if (auto done = add(builder, section, overrides); !done) return done;
  bool first = true;
  for (const auto& file : given.arguments) {
    auto sections = read_job_file(file, env);
    if (sections) sections = in_place_of_profile(std::move(*sections), env, command.profile);
    if (!sections) {
      base::Error e = sections.error();
      if (!e.place) e.place = place_of({kCommandLine, 1, file}, 1, file.size());
      return builder.failed(e);
    }
    if (!first) builder.next_file();
    for (const auto& section : *sections)
      if (auto done = add(builder, section, overrides); !done) return done;
    if (command.showcmd) command.showcmd_lines.push_back(show_command(*sections, command.sections));
    first = false;
  }
  command.explanation.differences = builder.take_departures();
  if (auto done = builder.finish(); !done) return done;
  if (const auto missing = builder.missing_section(); !missing.empty()) return no_such_section(missing);
  command.jobs = builder.take_jobs();
  if (command.debug_parse) command.debug_lines = builder.take_debug_lines();
  return {};
}

// fio accepts an abbreviated name.
bool may_be_secret(std::string_view name) {
  if (const auto* row = find_option(name)) return row->secret;
  if (name.empty() || find_switch(name) != nullptr) return false;
  return !options::rows_named(all_options(), [&](std::string_view called) {
            const auto* row = find_option(called);
            return called.starts_with(name) && row != nullptr && row->secret;
          }).empty();
}

void add_from_environment(Command& command, const Environment& env) {
  const auto devices = env.getenv ? env.getenv("FATHOM_ALLOW_DESTRUCTIVE") : std::nullopt;
  const Row& row = *find_switch("allow-destructive");
  if (devices) (void)row.apply(Targets(command), {row, *devices, Spelling::dashes});
}

}  // namespace

const Manual& fio_manual() {
  static const Manual manual{.command = "fio", .groups = switches(), .grammar = Grammar::fio, .beside = all_options()};
  return manual;
}

std::vector<std::string> without_secrets(std::span<const std::string> args) {
  enum class Next : std::uint8_t { word, assignment, secret };
  std::vector<std::string> words(args.begin(), args.end());
  Next next = Next::word;
  for (auto& word : words) {
    const Next now = std::exchange(next, Next::word);
    if (now == Next::secret) {
      word = options::kSecret;
      continue;
    }
    std::size_t begin = now == Next::assignment ? 0 : std::min(word.find_first_not_of('-'), word.size());
    if (begin == 0 && now == Next::word) continue;  // a job file
    if (word.compare(begin, 4, "set=") == 0) begin += 4;
    const auto equals = std::min(word.find('=', begin), word.size());
    const auto name = std::string_view(word).substr(begin, equals - begin);
    const bool secret = may_be_secret(name);
    if (equals == word.size()) next = secret ? Next::secret : name == "set" ? Next::assignment : Next::word;
    if (secret && equals < word.size()) word.replace(equals + 1, word.npos, options::kSecret);
  }
  return words;
}

base::Expected<Command> parse_command(std::span<const std::string> args, const Environment& env) {
  Command command;
  auto given = read_command_line(fio_manual(), args, Targets(command));
  if (!given) return given.error();
  add_from_environment(command, env);
  auto& refused = given->not_built;
  const bool asks = command.help || command.version || command.cmdhelp || command.enghelp || command.cpuclock_test ||
                    command.idle_prof == Command::IdleProf::calibrate || command.inflate_log;
  if (asks && refused.empty()) return command;
  if (!asks)
    if (auto done = build(command, *given, env); !done) refused.push_back(done.error());
  if (command.explain_compat) {
    const auto refusal = refused.empty() ? std::nullopt : std::optional(base::joined(std::move(refused)));
    command.explanation =
        values::explain_compat(std::move(command.explanation.differences), refusal ? &*refusal : nullptr, command.jobs);
    return command;
  }
  if (!refused.empty()) return base::joined(std::move(refused));
  if (command.jobs.jobs.empty() && !command.parse_only && !command.showcmd) return no_job();
  if (command.cost_ns > 0 && nobody_watches(command)) return no_cost();
  return command;
}

base::Expected<JobSet> parse_job_text(const std::string& text, const std::string& file_name, const Environment& env) {
  auto sections = read_job_text(text, file_name, env);
  if (!sections) return sections.error();
  Builder builder(env, {});
  for (const auto& section : *sections)
    if (auto done = builder.add(section); !done) return done.error();
  if (auto done = builder.finish(); !done) return done.error();
  return builder.take_jobs();
}

}  // namespace fathom::job
