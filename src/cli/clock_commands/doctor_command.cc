// A problem is no failure: the exit status is 0.
#include "cli/clock_commands/doctor_command.h"

#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/manuals.h"
#include "cli/report_commands/report_file.h"
#include "cli/report_commands/text_formats.h"
#include "cli/subcommand.h"
#include "options/rows.h"
#include "report/document.h"
#include "session/doctor/examine.h"

namespace fathom::cli::clock_commands {
namespace {

constexpr options::Row kDoctorRows[] = {
    options::noted(report_commands::kJsonRow), options::noted(report_commands::kFormatRow),
    options::noted(report_commands::kOutputRow), options::noted(report_commands::kForceRow)};
constexpr options::Group kDoctorOptions[] = {{"", kDoctorRows}};
constexpr Manual kDoctorManual{
    "fathom doctor", "[OPTIONS]",
    "Shows what this machine lets fathom measure, and what each missing thing costs: clock, overhead, permissions,\n"
    "limits, counters and traces, processor, memory, disks, NVMe from user space.\n"
    "One line per check: `ok`, `note` (it limits what can be measured) or `warning` (it affects the numbers of usual\n"
    "runs), with its cost and help. The exit status is 0 in each case.\n",
    kDoctorOptions};

base::Expected<void> examine(const Given& given) {
  if (!given.arguments.empty()) return usage_error("`" + given.arguments[0] + "`: doctor takes no arguments", "", "");
  const auto formats = report_commands::formats_asked(given, result::Doctor());
  if (!formats) return formats.error();
  report_commands::ReportFile file;
  if (auto ok = report_commands::open_output(given, file); !ok) return ok.error();
  auto examined = session::doctor::examine_machine();
  examined.program = version_line();
  return report_commands::write_reports_to(file, *formats, result::Stored(report::as_stored(std::move(examined))),
                                           true);
}

}  // namespace

const options::Manual& doctor_manual() { return kDoctorManual; }

int doctor_command(std::span<const std::string> args) {
  return with_options(kDoctorManual, args, [](const Given& given) -> base::Expected<std::string> {
    if (auto ok = examine(given); !ok) return ok.error();
    return std::string();
  });
}

}  // namespace fathom::cli::clock_commands
