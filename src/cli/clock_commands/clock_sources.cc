// Clock sources as a command: `fathom clock sources [--json]`.
#include "cli/clock_commands/clock_sources.h"

#include "cli/manuals.h"
#include "cli/subcommand.h"
#include "options/rows.h"
#include "report/document.h"
#include "report/formats.h"
#include "session/clocks/clock_sources.h"

namespace fathom::cli::clock_commands {
namespace {

constexpr options::Row kSourcesRows[] = {options::noted({"json", "", "print JSON"})};
constexpr options::Group kSourcesOptions[] = {{"", kSourcesRows}};
constexpr Manual kSourcesManual{
    "fathom clock sources", "[--json]",
    "Measures read cost and resolution of each clock. Shows which one a run uses, and why.\n", kSourcesOptions};

}  // namespace

const options::Manual& clock_sources_manual() { return kSourcesManual; }

int clock_sources_command(std::span<const std::string> args) {
  return with_options(kSourcesManual, args, [](const Given& given) -> base::Expected<std::string> {
    if (!given.arguments.empty())
      return usage_error("`" + given.arguments[0] + "`: clock sources takes no arguments", "", "");
    const auto found = report::as_stored(session::clocks::clock_sources(session::clocks::find_clocks()));
    return given.has("json") ? report::clock_sources_json(found) : report::clock_sources_text(found);
  });
}

}  // namespace fathom::cli::clock_commands
