// Writing reports.
#include "cli/output.h"

#include <algorithm>
#include <cstdio>

#include "base/printable.h"
#include "cli/result_identity.h"
#include "cli/terminal.h"
#include "report/formats.h"

namespace fathom::cli {

base::Expected<void> Output::open() {
  for (const auto& name : command_.output_formats) {
    if (report::find_format(name) != nullptr) continue;
    base::Error e;
    e.what = "--output-format: no format `" + name + "`";
    e.help = "one or more of:";
    for (const auto& f : report::formats()) e.help += " " + std::string(f.name);
    return e;
  }
  if (auto ok = check_schema(static_cast<int>(command_.schema)); !ok) return ok;
  return file_.open(command_.output);
}

base::Expected<void> Output::write(const result::Run& run) {
  if (auto ok = file_.write(report::report_in(command_.output_formats, run)); !ok) return ok;
  const auto& formats = command_.output_formats;
  const bool text_alone =
      std::all_of(formats.begin(), formats.end(), [](const auto& name) { return name == "normal"; });
  if (fio_mode_ && text_alone) return {};
  for (const auto& error : run.errors) write_text(stderr, base::printable(error.message) + "\n");
  return {};
}

}  // namespace fathom::cli
