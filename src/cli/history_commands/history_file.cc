// The file, the report, the exit status.
#include "cli/history_commands/history_file.h"

#include <fmt/format.h>

#include "cli/exit_codes.h"
#include "cli/report_commands/text_formats.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "history/place.h"
#include "options/rows.h"
#include "report/formats.h"

namespace fathom::cli::history_commands {

std::span<const options::Row> history_rows() {
  static const options::Row rows[] = {options::text<&HistoryWish::file>(
      {"history=FILE", "", "file of the history (default: $XDG_DATA_HOME/fathom/history.db)"})};
  return rows;
}

std::span<const options::Row> report_rows() {
  static const options::Row rows[] = {
      options::text<&ReportWish::formats>({"output-format=LIST", "text", "formats of the result, a comma list"}),
      options::text<&ReportWish::output>(report_commands::kOutputRow),
      options::flag<&ReportWish::force>({"force", "", "overwrite a file that fathom did not write"}),
  };
  return rows;
}

base::Expected<std::string> history_path(const HistoryWish& wish) {
  return wish.file.empty() ? history::usual_file() : base::Expected<std::string>(wish.file);
}

base::Expected<history::Store> open_history(const HistoryWish& wish) {
  const auto path = history_path(wish);
  if (!path) return path.error();
  return history::Store::open(*path);
}

base::Expected<void> HistoryReport::open(const std::string& history) {
  report_commands::Outputs outputs{.named = {}, .overwrite = wish_.force};
  outputs.named.add("the history", history);
  return file_.open(outputs, "--output", wish_.output);
}

base::Expected<void> HistoryReport::write(const result::Stored& stored) {
  const char* usual = wish_.output.ends_with(".html") ? "html" : "text";
  const auto formats = report_commands::formats_named(wish_.formats.empty() ? usual : wish_.formats, stored);
  if (!formats) return formats.error();
  ignore_broken_pipes();
  auto written = report_commands::write_reports_to(file_, *formats, stored, true);
  if (file_.reader_gone()) end_by_broken_pipe();
  return written;
}

int carry_out(const Manual& manual, std::span<const std::string> args, const options::Targets& targets,
              const std::function<base::Expected<int>(const Given&)>& command) {
  const auto given = options::read_command_line(manual, args, targets);
  if (given && given->help) return print_out(options::help_text(manual), manual.command);
  const auto done = given ? command(*given) : base::Expected<int>(given.error());
  if (done) return *done;
  const auto error = given ? given->placed(done.error()) : done.error();
  show_error(error, manual.command);
  return exit_code(error, false);
}

base::Expected<void> need_arguments(const Given& given, std::size_t fewest, std::size_t most, std::string_view names) {
  const auto n = given.arguments.size();
  if (n < fewest)
    return usage_error(fmt::format("{} is missing", names), fmt::format("{} arguments given", n),
                       "--help shows the arguments");
  if (n > most)
    return usage_error(fmt::format("unexpected argument `{}`", given.arguments[most]), "",
                       "--help shows the arguments");
  return {};
}

}  // namespace fathom::cli::history_commands
