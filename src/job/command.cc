// The command line is read in one pass into sections and files, then built: jobs written as options first, in order,
// then the files, as fio does it. Options before the first --name (and after --name=global) count for every job after
// them and for the first file.
#include "job/command.h"

#include <fmt/format.h>

#include "job/builder.h"
#include "job/job_file.h"
#include "job/option.h"
#include "job/show_command.h"
#include "job/switches.h"

namespace fathom::job {
namespace {

struct File {
  std::string path;
  std::shared_ptr<const SourceLine> line;
};

class CommandLine {
 public:
  CommandLine(std::span<const std::string> args, Command& command) : args_(args), command_(command) {}

  base::Expected<void> read() {
    bool options_end = false;
    while (at_ < args_.size()) {
      const std::string& arg = args_[at_++];
      if (options_end || arg.size() < 2 || arg.front() != '-') {
        files.push_back({arg, source(arg)});
      } else if (arg == "--") {
        options_end = true;
      } else if (auto done = one_option(arg); !done) {
        return done;
      }
    }
    return {};
  }

  std::vector<Section> sections;
  std::vector<File> files;
  std::vector<base::Error> not_built;

 private:
  static std::shared_ptr<const SourceLine> source(const std::string& text) {
    return std::make_shared<SourceLine>(SourceLine{kCommandLine, 1, text});
  }

  base::Expected<void> one_option(const std::string& arg) {
    Assignment a;
    const std::size_t dashes = arg[1] == '-' ? 2 : 1;
    const std::size_t equals = arg.find('=');
    const std::string written = arg.substr(dashes, equals == std::string::npos ? equals : equals - dashes);
    a.key = written;
    a.key_column = static_cast<int>(dashes) + 1;
    a.line = source(arg);
    if (equals != std::string::npos) {
      a.value = arg.substr(equals + 1);
      a.value_column = static_cast<int>(equals) + 2;
    }
    if (arg == "-h" || arg == "-v")
      return (arg == "-h" ? command_.help : command_.version) = true, base::Expected<void>();
    auto match = match_name(written);
    if (!match) {
      base::Error e = match.error();
      e.place = key_place(a);
      return e;
    }
    const Row& row = **match;
    if (find_switch(row.name()) == &row) return program_option(row, a);
    if (!row.is_called(written)) a.key = row.name();
    return job_option(row, a);
  }

  // The next argument, unless it is an option itself.
  void take_value(Assignment& a) {
    if (a.value || at_ >= args_.size() || args_[at_].substr(0, 2) == "--") return;
    a.value = args_[at_++];
    a.line = source(a.line->text + " " + *a.value);
    a.value_column = static_cast<int>(a.line->text.size() - a.value->size()) + 1;
  }

  base::Expected<void> program_option(const Row& row, Assignment& a) {
    a.key = "--" + std::string(row.name());
    a.key_column = 1;
    const auto place = key_place(a);
    const bool needs_value = row.takes_value() && !row.value_optional();
    if (needs_value) take_value(a);
    if (row.words.status == Status::not_built) {
      not_built.push_back(
          usage_error(fmt::format("fio option `{}` is not built in fathom yet", a.key), "", "leave it out", place));
      not_built.back().kind = base::ErrorKind::not_built;
      return {};
    }
    if (needs_value && (!a.value || a.value->empty()))
      return error_at(a, a.value.value_or(""),
                      wrong("a value is missing", std::string(row.words.help),
                            fmt::format("write `{}={}`", a.key, row.value()), {}));
    if (!row.takes_value() && a.value)
      return error_at(a, *a.value,
                      wrong("it takes no value", std::string(row.words.help), fmt::format("write `{}`", a.key), {}));
    const std::string value = a.value.value_or("");
    auto problem = row.apply(Targets(command_), {row, value, Spelling::dashes});
    if (!problem) return {};
    if (problem->kind != base::ErrorKind::not_built) return error_at(a, value, *problem);
    not_built.push_back(error_at(a, value, *problem));
    return {};
  }

  base::Expected<void> job_option(const Row& row, Assignment& a) {
    if (!row.bare()) take_value(a);
    if (a.key == "name") return new_job(a);
    if (sections.empty()) {
      sections.emplace_back();
      sections.back().global = sections.back().from_command_line = true;
      sections.back().name = "global";
      sections.back().place = a;
    }
    sections.back().options.push_back(std::move(a));
    return {};
  }

  base::Expected<void> new_job(const Assignment& a) {
    if (!a.value || a.value->empty())
      return error_at(a, "", wrong("a value is missing", "a job has a name", "write `--name=job1`", {}));
    Section section;
    section.name = *a.value;
    section.global = section.name == "global";
    section.from_command_line = true;
    section.place = a;
    section.place.key = section.name;
    section.place.key_column = a.value_column;
    sections.push_back(std::move(section));
    return {};
  }

  std::span<const std::string> args_;
  Command& command_;
  std::size_t at_ = 0;
};

base::Error no_such_section(const std::string& name) {
  return usage_error(fmt::format("--section={}: there is no such job", name), "--section names a job of the job file",
                     "write the name that stands between `[` and `]`",
                     base::SourcePlace{kCommandLine, 1, 11, "--section=" + name, static_cast<int>(name.size())});
}

base::Error no_job() {
  return usage_error("there is no job to run", "neither a job file nor --name is given",
                     "name a job file, or write a job: --name=job1 --rw=randread --size=1g");
}

base::Expected<void> build(Command& command, const CommandLine& line, const Environment& env) {
  Builder builder(env, {command.readonly, command.fio_stamps, command.sections});
  for (const auto& section : line.sections)
    if (auto done = builder.add(section); !done) return done;
  bool first = true;
  for (const auto& file : line.files) {
    auto sections = read_job_file(file.path, env);
    if (!sections) {
      base::Error e = sections.error();
      if (!e.place) e.place = place_of(*file.line, 1, file.path.size());
      return builder.failed(e);
    }
    if (!first) builder.next_file();
    for (const auto& section : *sections)
      if (auto done = builder.add(section); !done) return done;
    if (command.showcmd) command.showcmd_lines.push_back(show_command(*sections, command.sections));
    first = false;
  }
  if (auto done = builder.finish(); !done) return done;
  if (const auto missing = builder.missing_section(); !missing.empty()) return no_such_section(missing);
  command.jobs = builder.take_jobs();
  if (command.debug_parse) command.debug_lines = builder.take_debug_lines();
  return {};
}

void add_from_environment(Command& command, const Environment& env) {
  const auto devices = env.getenv ? env.getenv("FATHOM_ALLOW_DESTRUCTIVE") : std::nullopt;
  const Row& row = *find_switch("allow-destructive");
  if (devices) (void)row.apply(Targets(command), {row, *devices, Spelling::dashes});
}

}  // namespace

base::Expected<Command> parse_command(std::span<const std::string> args, const Environment& env) {
  Command command;
  CommandLine line(args, command);
  auto done = line.read();
  add_from_environment(command, env);
  const bool asks = command.help || command.version || command.cmdhelp || command.enghelp || command.cpuclock_test;
  if (done && asks && line.not_built.empty()) return command;
  if (done && !asks) done = build(command, line, env);
  if (!done) line.not_built.push_back(done.error());
  if (!line.not_built.empty()) return base::joined(std::move(line.not_built));
  if (command.jobs.jobs.empty() && !command.parse_only && !command.showcmd) return no_job();
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
