// Writing reports.
#include "cli/output.h"

#include <algorithm>
#include <cerrno>

#include "report/formats.h"
#include "report/normal.h"

namespace fathom::cli {

Output::~Output() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

base::Expected<void> Output::open() {
  for (const auto& name : command_.output_formats) {
    if (report::find_format(name) != nullptr) continue;
    base::Error e;
    e.what = "--output-format: no format `" + name + "`";
    e.help = "one or more of:";
    for (const auto& f : report::formats()) e.help += " " + std::string(f.name);
    return e;
  }
  file_ = command_.output.empty() ? stdout : std::fopen(command_.output.c_str(), "we");
  if (file_ == nullptr) return base::system_error("open `" + command_.output + "` for the report", errno);
  return {};
}

base::Expected<void> Output::write(const result::Run& run) {
  std::string text, others;
  for (const auto& name : command_.output_formats)
    if (name != "normal") others += report::find_format(name)->render(run);
  const bool normal =
      others.empty() || std::count(command_.output_formats.begin(), command_.output_formats.end(), "normal") > 0;
  text = normal ? report::preamble(run) + others + report::results(run) : others;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() || std::fflush(file_) != 0) {
    const int err = errno;
    if (file_ != stdout) std::fwrite(text.data(), 1, text.size(), stdout);  // what was measured is not lost
    return base::system_error("write the report to `" + command_.output + "` (it is on standard output instead)", err);
  }
  if (fio_mode_ && others.empty()) return {};
  for (const auto& error : run.errors) std::fprintf(stderr, "%s\n", error.message.c_str());
  return {};
}

}  // namespace fathom::cli
