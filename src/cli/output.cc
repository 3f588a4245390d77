// Writing reports.
#include "cli/output.h"

#include <algorithm>
#include <cstdio>

#include "base/printable.h"
#include "cli/terminal.h"
#include "report/formats.h"
#include "report/normal.h"

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
  return file_.open(command_.output);
}

base::Expected<void> Output::write(const result::Run& run) {
  std::string text, others;
  for (const auto& name : command_.output_formats)
    if (name != "normal") others += report::find_format(name)->render(run);
  const bool normal =
      others.empty() || std::count(command_.output_formats.begin(), command_.output_formats.end(), "normal") > 0;
  text = normal ? report::preamble(run) + others + report::results(run) : others;
  if (auto ok = file_.write(text); !ok) return ok;
  if (fio_mode_ && others.empty()) return {};
  for (const auto& error : run.errors) write_text(stderr, base::printable(error.message) + "\n");
  return {};
}

}  // namespace fathom::cli
