// All files are read before anything is written. So an error in the last file leaves no partial output.
#include "cli/report_commands/report_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "base/system/by_cpus.h"
#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/report_commands/read_file.h"
#include "cli/report_commands/report_file.h"
#include "cli/show_error.h"
#include "cli/subcommand.h"
#include "import/any_run.h"
#include "job/switches.h"
#include "options/rows.h"
#include "report/formats.h"
#include "report/page/page.h"
#include "report/page/viewer.h"
#include "report/parts/redacted.h"
#include "result/result.h"

namespace fathom::cli::report_commands {
namespace {

// A result to be read. found: in a directory; it is omitted if it cannot be read.
struct Input {
  std::string file;
  bool found = false;
};

struct Asked {
  std::string output, log_columns;
  std::vector<Input> inputs = {};  // set after the command line was read
  bool brief = false, verbose = false, plot = false, redact = false, viewer = false, force = false;
};

std::span<const options::Group> report_groups() {
  static const std::string formats =
      "formats of the command that made the result, a comma list (default: its text): " + report::all_formats();
  static const options::Row rows[] = {
      options::noted({"output-format=LIST", "", formats}),
      options::flag<&Asked::brief>({"brief", "", "runs: as --output-format=brief"}),
      options::flag<&Asked::verbose>({"verbose", "", "runs: as --output-format=verbose"}),
      options::flag<&Asked::plot>({"plot", "", "runs: add plots: histograms, percentiles, rate over time"}),
      options::flag<&Asked::redact>(
          {"redact", "", "runs, `pmu stat` and clock results: omit host name, serial numbers, paths and command line"}),
      options::flag<&Asked::viewer>(
          {"viewer", "",
           "write an HTML page, without FILE, that plots, merges and pivots the results dropped onto it"}),
      options::text<&Asked::output>(
          {"output o=FILE", "", "write to FILE instead of standard output; FILE.html: one HTML page of all results"}),
      options::flag<&Asked::force>({"force", "", "overwrite a file that fathom did not write"}),
      options::text<&Asked::log_columns>(kLogColumnsRow),
      options::gone("schema=N", job::kSchemaIsGone),
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

// --brief, --verbose and --plot apply to runs. For other results, the text is complete and has its drawings; paging
// also has a brief form.
base::Expected<std::vector<std::string>> formats_of(const Given& given, const Asked& asked,
                                                    const result::Stored& stored) {
  const auto names = report::format_names(stored);
  const auto* list = given.last("output-format");
  auto formats = list ? split_at_commas(*list) : std::vector<std::string>{std::string(names[0])};
  const bool of_run = names[0] == "normal";
  for (const auto& [on, name] : {std::pair(asked.brief, "brief"), {asked.verbose, "verbose"}, {asked.plot, "plot"}}) {
    if (on && !of_run && std::find(names.begin(), names.end(), std::string_view(name)) == names.end())
      return usage_error(fmt::format("--{} works only on runs", name),
                         fmt::format("this is a result of {}", report::kind_of(stored)),
                         "omit the option: the text report is complete");
    if (on && std::string_view(name) != "plot") formats = {name};
    if (on && std::string_view(name) == "plot") formats.emplace_back(name);
  }
  if (!of_run) std::replace(formats.begin(), formats.end(), std::string("normal"), std::string("text"));
  for (const auto& name : formats)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return usage_error(fmt::format("--output-format: unknown format `{}` for {}", name, report::kind_of(stored)), "",
                         base::did_you_mean(name, names, fmt::format("they are {}", fmt::join(names, ", "))));
  return formats;
}

// Reads a result of fathom or of another program.
base::Expected<result::Stored> read_result(const std::string& file, const Asked& asked) {
  const auto text = read_result_file(file);
  if (!text) return text.error();
  return import::read_any(*text, file == "-" ? "<standard input>" : file, {asked.log_columns});
}

base::Expected<void> redact(result::Stored& stored) {
  return std::visit(
      [&](auto& result) -> base::Expected<void> {
        if constexpr (requires { report::parts::redacted(result); })
          result = report::parts::redacted(result);
        else
          return usage_error("--redact works only on run, pmu stat and clock results",
                             fmt::format("this is a result of {}", report::kind_of(stored)), "omit it");
        return {};
      },
      stored);
}

// True for one HTML page of all files, requested by its format or by the name of the output.
bool wants_page(const Given& given, const Asked& asked) {
  const auto* list = given.last("output-format");
  return list != nullptr ? *list == "html" : asked.output.ends_with(".html");
}

// A directory is replaced by the results in it.
base::Expected<std::vector<Input>> inputs_of(const std::vector<std::string>& arguments) {
  std::vector<Input> inputs;
  for (const auto& argument : arguments) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(argument, ignored)) {
      inputs.push_back({argument});
      continue;
    }
    auto files = results_in(argument);
    if (!files) return files.error();
    for (auto& file : *files) inputs.push_back({std::move(file), true});
  }
  return inputs;
}

// A file that cannot be read is reported and omitted.
base::Expected<std::string> page_of_files(const Asked& asked, std::string_view program) {
  const auto& files = asked.inputs;
  std::vector<std::optional<base::Expected<result::Stored>>> read(files.size());
  base::system::by_cpus(files.size(), [&](std::size_t i) { read[i] = read_result(files[i].file, asked); });
  std::vector<report::page::Section> sections;
  const base::Error* last = nullptr;
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto& stored = *read[i];
    if (!stored) {
      if (files.size() > 1) show_error(stored.error(), program);
      last = &stored.error();
      continue;
    }
    if (asked.redact)
      if (auto ok = redact(*stored); !ok) return ok.error();
    const bool named = files[i].file != "-" && !asked.redact;
    sections.push_back({report::page::title_of(*stored) + (named ? " (" + files[i].file + ")" : ""), &*stored});
  }
  if (sections.empty()) return *last;
  return report::page::page_of(sections);
}

// The part of a file's text that follows the text of the previous files.
base::Expected<std::string> added(const std::vector<std::string>& formats, std::string text, bool is_first) {
  using report::Following;
  if (is_first) return text;
  for (const auto& name : formats)
    if (report::following(name) == Following::never)
      return usage_error(fmt::format("--output-format={} takes one FILE", name),
                         "a reader of this format stops at its end", "write one output per FILE");
  if (formats.size() == 1 && report::following(formats[0]) == Following::without_first_line)
    text.erase(0, text.find('\n') + 1);
  return text;
}

struct Reports {
  std::string text;
  bool may_be_wrapped = true;  // false: a format for programs, or a text of fixed width
  std::string closing = {};    // first lines of the text; empty for several results
};

// The page without a result. Options that select a report of a result are errors here.
base::Expected<Reports> viewer(const Given& given) {
  if (!given.arguments.empty())
    return usage_error("--viewer takes no FILE", fmt::format("`{}` would be dropped onto the page", given.arguments[0]),
                       "omit the files, or omit --viewer for a page of these files");
  for (const char* other : {"output-format", "brief", "verbose", "plot", "redact"})
    if (given.last(other) != nullptr)
      return usage_error(fmt::format("--viewer and --{} exclude each other", other),
                         "--viewer writes a page without a result", fmt::format("omit --{}", other));
  return Reports{report::page::viewer_html(), false};
}

// True if the command of this result also fits its text to a terminal.
bool is_fitted(const result::Stored& stored) {
  return std::holds_alternative<result::Run>(stored) || std::holds_alternative<result::Compare>(stored) ||
         std::holds_alternative<result::Sweep>(stored) || std::holds_alternative<result::Doctor>(stored) ||
         std::holds_alternative<result::HistoryList>(stored) || std::holds_alternative<result::HistoryCheck>(stored);
}

// Appends the report of one result.
base::Expected<void> add_report(const Given& given, const Asked& asked, result::Stored& stored,
                                const report::Canvas& canvas, Reports& out) {
  if (asked.redact)
    if (auto ok = redact(stored); !ok) return ok;
  const auto formats = formats_of(given, asked, stored);
  if (!formats) return formats.error();
  const auto text = added(*formats, report::report_in(*formats, stored, canvas), out.text.empty());
  if (!text) return text.error();
  out.text += *text;
  if (asked.inputs.size() == 1) out.closing = report::answer_of(stored, canvas);
  out.may_be_wrapped &= is_fitted(stored) && std::all_of(formats->begin(), formats->end(), report::is_for_people);
  return {};
}

base::Expected<Reports> reports(const Given& given, const Asked& asked, const report::Canvas& canvas) {
  if (asked.viewer) return viewer(given);
  if (given.arguments.empty()) return usage_error("no FILE", "", "`fathom report --help` shows the arguments");
  Reports out;
  if (wants_page(given, asked)) {
    auto page = page_of_files(asked, "fathom report");
    if (!page) return page.error();
    return Reports{std::move(*page), false};
  }
  for (const auto& input : asked.inputs) {
    auto stored = read_result(input.file, asked);
    if (!stored && input.found && (&input != &asked.inputs.back() || !out.text.empty())) {
      show_error(stored.error(), "fathom report");
      continue;
    }
    if (!stored) return stored.error();
    if (auto ok = add_report(given, asked, *stored, canvas, out); !ok) return ok.error();
  }
  return out;
}

base::Expected<void> write_reports(const Given& given, Asked& asked) {
  auto inputs = inputs_of(given.arguments);
  if (!inputs) return given.placed(inputs.error());
  asked.inputs = std::move(*inputs);
  Outputs outputs{.named = {}, .overwrite = asked.force};
  for (const auto& input : asked.inputs) outputs.named.add("an input", input.file);
  ReportFile file;
  if (auto ok = file.open(outputs, "--output", asked.output); !ok) return ok;
  const auto made = reports(given, asked, file.canvas());
  if (!made) return given.placed(made.error());
  return made->may_be_wrapped ? file.write_for_people(made->text, made->closing) : file.write(made->text);
}

}  // namespace

const Manual& report_manual() {
  static const Manual manual{
      "fathom report", "[OPTIONS] FILE|DIRECTORY...",
      "Prints results that were stored as JSON (--output-format=json, json+, --json), in any format, byte for byte as\n"
      "the command that measured them prints it. Also reads JSON, terse lines and logs of fio, and XML of pmbench.\n"
      "A directory means the .json and .xml files in it. `-` is standard input.\n",
      report_groups()};
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
