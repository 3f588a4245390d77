// The result is stored as --output-format=json prints it.
#include "cli/history_commands/keep.h"

#include <fmt/format.h>

#include <string>

#include "base/text/printable.h"
#include "cli/exit_codes.h"
#include "cli/history_commands/history_file.h"
#include "cli/show_error.h"
#include "cli/subcommand.h"
#include "history/store.h"
#include "report/formats.h"
#include "result/measured.h"

namespace fathom::cli::history_commands {
namespace {

base::Expected<history::Added> add_run(const std::string& path, const result::Run& run) {
  auto store = history::Store::open_to_add(path);
  if (!store) return store.error();
  const auto text = report::json(run);
  return store->add(history::entry_of(run, text), text);
}

}  // namespace

base::Expected<Keep> Keep::plan(bool keep, const std::string& file, report_commands::Outputs& outputs) {
  Keep out;
  if (!keep && !file.empty())
    return usage_error("--history needs --keep", "nothing is stored without it", "add --keep");
  if (!keep) return out;
  auto path = history_path({file});
  if (!path) return path.error();
  if (auto ok = outputs.named.claim("--history", *path, base::files::identity_of(*path)); !ok) return ok.error();
  out.path_ = std::move(*path);
  return out;
}

int Keep::after(const result::Run& run, int status, bool fio_mode, std::string_view program) const {
  if (path_.empty()) return status;
  if (result::nothing_measured(run)) {
    show_line("the run is not in the history: nothing was measured", program);
    return status;
  }
  const auto added = add_run(path_, run);
  if (added) {
    show_line(fmt::format("run {} of the history `{}`", added->id, base::text::printable(path_)), program);
    return status;
  }
  auto error = added.error();
  error.what = "the run is not kept: " + error.what;
  show_error(error, program);
  return status == kOk && !fio_mode ? static_cast<int>(kNotKept) : status;
}

}  // namespace fathom::cli::history_commands
