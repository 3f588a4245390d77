// All files are read before anything is written: a mistake in the last costs no half of an output.
#include "cli/report_commands/report_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/nearest.h"
#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/report_commands/read_file.h"
#include "cli/report_commands/report_file.h"
#include "cli/show_error.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "import/pmbench/pmbench_xml.h"
#include "import/result_json.h"
#include "options/rows.h"
#include "report/formats.h"
#include "result/result.h"

namespace fathom::cli::report_commands {
namespace {

struct Asked {
  int schema = result::kSchemaVersion;
  std::string output;
  bool brief = false, verbose = false, plot = false;
};

std::span<const options::Group> groups() {
  static const std::string formats =
      "formats of the command that made the result, separated by commas; without it its text: " + report::all_formats();
  static const options::Row rows[] = {
      options::noted({"output-format=LIST", "", formats}),
      options::flag<&Asked::brief>({"brief", "", "of a run: as --output-format=brief"}),
      options::flag<&Asked::verbose>({"verbose", "", "of a run: as --output-format=verbose"}),
      options::flag<&Asked::plot>(
          {"plot", "", "of a run: draw histograms, percentile curves and series behind the rest"}),
      options::text<&Asked::output>({"output=FILE", "", "write the report there, not to standard output"}),
      options::count<&Asked::schema>(
          {"schema=N", "", "of a run's JSON: 7 or 8, an older schema, for readers that know no newer"},
          result::kOldestWritten, result::kSchemaVersion),
  };
  static const options::Group all[] = {{"", rows}};
  return all;
}

std::vector<std::string> split_at_commas(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const auto end = std::min(list.find(',', at), list.size());
    names.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

// --brief, --verbose and --plot are of runs: of what else there is the text has all, and is drawn as it is.
base::Expected<std::vector<std::string>> formats_of(const Given& given, const Asked& asked,
                                                    const result::Stored& stored) {
  const auto names = report::format_names(stored);
  const auto* list = given.last("output-format");
  auto formats = list ? split_at_commas(*list) : std::vector<std::string>{std::string(names[0])};
  const bool of_run = names[0] == "normal";
  for (const auto& [on, name] : {std::pair(asked.brief, "brief"), {asked.verbose, "verbose"}, {asked.plot, "plot"}}) {
    if (on && !of_run)
      return usage_error(fmt::format("--{} is of a run", name), fmt::format("this is of {}", report::kind_of(stored)),
                         "leave it out: the text has all there is");
    if (on && std::string_view(name) != "plot") formats = {name};
    if (on && std::string_view(name) == "plot") formats.emplace_back(name);
  }
  if (!of_run) std::replace(formats.begin(), formats.end(), std::string("normal"), std::string("text"));
  for (const auto& name : formats)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return usage_error(fmt::format("--output-format: no format `{}` of {}", name, report::kind_of(stored)), "",
                         base::did_you_mean(name, names, fmt::format("they are {}", fmt::join(names, ", "))));
  return formats;
}

base::Expected<result::Stored> read_result(const std::string& file) {
  auto text = file == "-" ? base::Expected<std::string>(read_standard_input(import::pmbench::kMostReportBytes))
                          : read_file(file, import::pmbench::kMostReportBytes);
  if (!text) return text.error();
  if (text->size() > import::pmbench::kMostReportBytes)
    return usage_error(fmt::format("`{}` is too large", file), "no result above 256 MiB is read", "");
  return import::read_stored(*text, file == "-" ? "<standard input>" : file);
}

struct Reports {
  std::string text;
  bool may_be_wrapped = true;  // runs' texts, and nothing that a program reads or that is as wide as it is
};

base::Expected<Reports> reports(const Given& given, const Asked& asked) {
  if (given.arguments.empty()) return usage_error("no FILE", "", "`fathom report --help` says what it takes");
  Reports out;
  report::Canvas canvas;
  if (const auto columns = asked.output.empty() ? terminal_columns(stdout) : 0; columns > 0) canvas.width = columns;
  for (const auto& file : given.arguments) {
    auto stored = read_result(file);
    if (!stored) return stored.error();
    if (auto* run = std::get_if<result::Run>(&*stored)) run->schema_version = asked.schema;
    const auto formats = formats_of(given, asked, *stored);
    if (!formats) return formats.error();
    out.text += report::report_in(*formats, *stored, canvas);
    out.may_be_wrapped &= std::all_of(formats->begin(), formats->end(), report::is_for_people);
  }
  return out;
}

base::Expected<void> write_reports(const Given& given, const Asked& asked) {
  const auto made = reports(given, asked);
  if (!made) return given.placed(made.error());
  ReportFile file;
  if (auto ok = file.open(asked.output); !ok) return ok;
  return made->may_be_wrapped ? file.write_for_people(made->text) : file.write(made->text);
}

}  // namespace

const Manual& report_manual() {
  static const Manual manual{
      "fathom report", "[OPTIONS] FILE...",
      "Prints results that were stored as JSON (--output-format=json, json+, --json), in any format, byte for byte as\n"
      "the command that measured them would have; of an older schema as far as their files go, with a finding that\n"
      "names what they do not have. `-` is standard input.\n",
      groups()};
  return manual;
}

int report_command(std::span<const std::string> args) {
  Asked asked;
  const Manual& manual = report_manual();
  const auto given = options::read_command_line(manual, args, options::Targets(asked));
  if (given && given->help) return print_out(options::help_text(manual), manual.command);
  const auto done = given ? write_reports(*given, asked) : base::Expected<void>(given.error());
  if (done) return kOk;
  show_error(done.error(), manual.command);
  return exit_code(done.error(), false);
}

}  // namespace fathom::cli::report_commands
