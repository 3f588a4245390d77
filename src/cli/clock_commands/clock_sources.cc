// Clock sources as a command: `fathom clock sources`.
#include "cli/clock_commands/clock_sources.h"

#include "cli/manuals.h"
#include "cli/report_commands/report_file.h"
#include "cli/report_commands/text_formats.h"
#include "cli/subcommand.h"
#include "options/rows.h"
#include "report/document.h"
#include "report/formats.h"
#include "session/clocks/clock_sources.h"

namespace fathom::cli::clock_commands {
namespace {

constexpr options::Row kSourcesRows[] = {
    options::noted(report_commands::kJsonRow), options::noted(report_commands::kFormatRow),
    options::noted(report_commands::kOutputRow), options::noted(report_commands::kForceRow)};
constexpr options::Group kSourcesOptions[] = {{"", kSourcesRows}};
constexpr Manual kSourcesManual{
    "fathom clock sources", "[OPTIONS]",
    "Measures read cost and resolution of each clock. Shows which one a run uses, and why.\n", kSourcesOptions};

base::Expected<void> measure_sources(const Given& given) {
  if (!given.arguments.empty())
    return usage_error("`" + given.arguments[0] + "`: clock sources takes no arguments", "", "");
  const auto formats = report_commands::formats_asked(given, result::ClockSources());
  if (!formats) return formats.error();
  report_commands::ReportFile file;
  if (auto ok = report_commands::open_output(given, file); !ok) return ok.error();
  const result::Stored found = report::as_stored(session::clocks::clock_sources(session::clocks::find_clocks()));
  return file.write(report::report_in(*formats, found));
}

}  // namespace

const options::Manual& clock_sources_manual() { return kSourcesManual; }

int clock_sources_command(std::span<const std::string> args) {
  return with_options(kSourcesManual, args, [](const Given& given) -> base::Expected<std::string> {
    if (auto ok = measure_sources(given); !ok) return ok.error();
    return std::string();
  });
}

}  // namespace fathom::cli::clock_commands
