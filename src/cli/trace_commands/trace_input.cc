// Opening traces and outputs.
#include "cli/trace_commands/trace_input.h"

#include <fmt/format.h>

#include <utility>

#include "cli/exit_codes.h"
#include "cli/report_commands/report_file.h"
#include "cli/show_error.h"
#include "options/rows.h"
#include "trace/formats.h"

namespace fathom::cli::trace_commands {
namespace {

constexpr options::Choice kWaits[] = {
    {"fio", static_cast<int>(trace::WaitMeaning::ms_since_start), "milliseconds since the start, as fio replays it"},
    {"howto", static_cast<int>(trace::WaitMeaning::us_since_previous), "microseconds after the previous wait"},
};

std::string format_help() {
  std::string help = "format of FILE, instead of the detected one: ";
  bool is_first = true;
  for (const auto& format : trace::formats()) {
    help += fmt::format("{}{}", is_first ? "" : ", ", format.name);
    is_first = false;
  }
  return help;
}

}  // namespace

std::span<const options::Row> input_rows() {
  static const std::string formats = format_help();
  static const options::Row rows[] = {
      options::text<&TraceWish::format>({"format=NAME", "", formats}),
      options::choice<&TraceWish::wait>({"wait=MEANING", "fio", "number of a wait line in fio's iolog version 2"},
                                        kWaits),
  };
  return rows;
}

std::span<const options::Row> output_rows() {
  static const options::Row rows[] = {
      options::text<&TraceWish::output>({"output o=FILE", "", "write to FILE instead of standard output"}),
      options::flag<&TraceWish::force>({"force", "", "overwrite FILE if it is not empty"}),
  };
  return rows;
}

base::Expected<std::unique_ptr<trace::Reader>> open_trace(const Given& given, const TraceWish& wish) {
  if (given.arguments.empty()) return usage_error("no trace given", "", "name a file, or `-` for standard input");
  return trace::open_trace(std::span(given.arguments),
                           {.format = wish.format, .wait = static_cast<trace::WaitMeaning>(wish.wait)});
}

base::Expected<base::files::Stream> open_output(const Given& given, const TraceWish& wish) {
  report_commands::Outputs outputs{.named = {}, .overwrite = wish.force, .results = {}};
  for (const auto& path : given.arguments) outputs.named.add("the trace", path);
  const bool to_stdout = report_commands::is_standard_output(wish.output);
  auto place = outputs.look("--output", to_stdout ? std::string() : wish.output);
  if (!place) return std::move(place.error());
  return base::files::Stream(std::move(*place));
}

int carry_out(const Manual& manual, std::span<const std::string> args, const options::Targets& targets,
              const std::function<base::Expected<int>(const Given&)>& action) {
  const auto given = options::read_command_line(manual, args, targets);
  if (given && given->help) return print_out(options::help_text(manual), manual.command);
  const auto done = given ? action(*given) : base::Expected<int>(given.error());
  if (done) return *done;
  const auto error = given ? given->placed(done.error()) : done.error();
  show_error(error, manual.command);
  return exit_code(error, false);
}

}  // namespace fathom::cli::trace_commands
