// Writes reports.
#include "cli/run_commands/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <sstream>
#include <utility>

#include "base/text/printable.h"
#include "cli/terminal.h"
#include "report/formats.h"
#include "report/normal.h"

namespace fathom::cli::run_commands {
namespace {

// The requested formats. "terse" has the version of --terse-version. With --plot, "plot" is added if no plot was
// requested.
std::vector<std::string> formats_of(const job::Command& command) {
  auto formats = command.output_formats;
  for (auto& name : formats)
    if (name == "terse" && command.terse_version != 3) name = "terse-v" + std::to_string(command.terse_version);
  const auto drawn = [](const std::string& name) { return name.starts_with("plot"); };
  if (command.plot && std::none_of(formats.begin(), formats.end(), drawn)) formats.emplace_back("plot");
  return formats;
}

// True if no format is for programs.
bool is_text(const std::vector<std::string>& formats) {
  return std::all_of(formats.begin(), formats.end(), [](const auto& name) { return report::is_for_people(name); });
}

// The words of a text without its line breaks, which depend on the width of the terminal.
std::string words_of(const std::string& text) {
  std::istringstream words(text);
  std::string out;
  for (std::string word; words >> word;) out += word + " ";
  return out;
}

// Writes the messages of verify= as fio does: scripts search for them.
void write_verify_lines(const result::Run& run) {
  for (const auto& job : run.jobs)
    for (const auto& error : job.errors) {
      if (error.err != EILSEQ) continue;
      std::istringstream lines(error.cause);
      for (std::string line; std::getline(lines, line);) write_text(stderr, base::text::printable(line) + "\n");
    }
}

}  // namespace

base::Expected<void> Output::open(report_commands::Outputs& outputs) {
  for (const auto& name : command_.output_formats) {
    if (report::find_format(name) != nullptr) continue;
    base::Error e;
    e.what = "--output-format: unknown format `" + name + "`";
    e.help = "one or more of:";
    for (const auto& f : report::formats()) e.help += " " + std::string(f.name);
    return e;
  }
  if (!command_.report.empty())
    if (auto ok = page_.open(outputs, "--report", command_.report); !ok) return ok;
  return file_.open(outputs, "--output", command_.output);
}

void Output::write_so_far(const result::Run& run) { (void)write_report(run); }

base::Expected<void> Output::write_report(const result::Run& run) {
  const auto formats = formats_of(command_);
  const bool again = std::exchange(begun_, true);
  const auto canvas = file_.canvas();
  const std::string text =
      again ? report::report_again_in(formats, run, canvas) : report::report_in(formats, run, canvas);
  if (fio_mode_ || !is_text(formats)) return file_.write(std::exchange(head_, {}) + text);
  if (canvas.is_terminal) on_terminal_ = text;
  return file_.write_for_people(text, report::brief(run, canvas.width));
}

base::Expected<void> Output::write(const result::Run& run) {
  if (fio_mode_) write_verify_lines(run);
  auto done = write_report(run);
  if (!command_.report.empty())  // an error here does not affect the other reports
    if (auto page = page_.write(report::run_html(run)); !page) done = page;
  if (!done) return done;
  if (fio_mode_ && is_text(command_.output_formats)) return {};
  const auto said = terminal_columns(::fileno(stderr)) > 0 ? words_of(on_terminal_) : std::string();
  for (const auto& error : run.errors)
    if (const auto message = base::text::printable(error.message); said.find(words_of(message)) == said.npos)
      write_text(stderr, message + "\n");
  return {};
}

}  // namespace fathom::cli::run_commands
