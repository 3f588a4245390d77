// The cross-core test as a command: reads the command line and prints the measurements. The verdict is the exit status.
#include "cli/clock_commands/clock_test.h"

#include <cstdio>

#include "cli/clock_commands/clock_test_options.h"
#include "cli/exit_codes.h"
#include "cli/report_commands/report_file.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "report/document.h"
#include "report/formats.h"
#include "report/page/page.h"
#include "session/clocks/cpu_clock_test.h"

namespace fathom::cli::clock_commands {
namespace {

int fail(const base::Error& error) {
  show_error(error, "fathom clock test");
  return exit_code(error, false);
}

}  // namespace

int clock_test_command(std::span<const std::string> args) {
  const auto options = parse_clock_test(args, clock::cores::usable_cpus());
  if (!options) return fail(options.error());
  if (options->help) {
    write_text(stdout, options::help_text(clock_test_manual()));
    return kOk;
  }
  report_commands::Outputs outputs{.named = {}, .overwrite = options->force};
  report_commands::ReportFile file, page;
  if (auto opened = file.open(outputs, "--output", options->output); !opened) return fail(opened.error());
  if (!options->report.empty())
    if (auto opened = page.open(outputs, "--report", options->report); !opened) return fail(opened.error());
  show_left_by_killed_runs("fathom clock test");
  const auto measured = session::clocks::test_clocks(*options);
  if (!measured) return fail(measured.error());
  const auto test = report::as_stored(*measured);
  ignore_broken_pipes();
  auto written = file.write(report::report_in(options->formats, result::Stored(test)));
  if (file.reader_gone()) end_by_broken_pipe();
  if (!written) return fail(written.error());
  if (!options->report.empty())
    if (written = page.write(report::page::of_one(test)); !written) return fail(written.error());
  return test.decisive().verdict == result::TestOutcome::passed ? kOk : kCheckFailed;
}

int cpuclock_test() {
  const auto agree = session::clocks::test_cpu_clock([](const std::string& text) { write_text(stdout, text); });
  if (!agree) show_error(agree.error(), "fio");
  return agree.ok() && *agree ? kOk : kFioFailed;
}

}  // namespace fathom::cli::clock_commands
