// Opening and writing.
#include "cli/report_commands/report_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text/printable.h"
#include "cli/colour.h"
#include "cli/report_commands/ours.h"
#include "cli/terminal.h"
#include "host/guards/guard.h"

namespace fathom::cli::report_commands {

base::Expected<void> keep_image(const base::files::Place& place) {
  const bool is_lost = place.kind == base::files::PlaceKind::regular && place.wish.overwrites && place.old.st_size > 0;
  return is_lost ? host::guards::guard_write(place.path, {}) : base::Expected<void>();
}

base::Expected<base::files::Place> Outputs::look(std::string option, std::string path) {
  std::error_code unknown;
  const auto folder = std::filesystem::weakly_canonical(results, unknown);
  const auto file = std::filesystem::weakly_canonical(path, unknown);
  if (!results.empty() && !path.empty() &&
      std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end()) {
    base::Error e;
    e.kind = base::ErrorKind::refused;
    e.what = fmt::format("{}: `{}` is inside the results directory `{}`", option, path, results);
    e.cause = "the report would overwrite results";
    e.help = "name a file in another directory";
    return e;
  }
  auto place = base::files::look_at({std::move(option), std::move(path), is_ours, overwrite}, named);
  using Kind = base::files::PlaceKind;
  if (!place || place->kind == Kind::open || place->kind == Kind::standard_output) return place;
  base::files::NamedFiles streams;
  streams.add("standard output", std::string("/dev/stdout"));
  streams.add("standard error", std::string("/dev/stderr"));
  const auto& wish = place->wish;
  if (auto ok = streams.check(wish.option, wish.path, base::files::identity_of(wish.path)); !ok) return ok.error();
  if (auto ok = keep_image(*place); !ok) return ok.error();
  return place;
}

base::Expected<void> ReportFile::open(Outputs& outputs, std::string option, std::string path) {
  to_stdout_ = is_standard_output(path);
  if (to_stdout_) return {};
  auto place = outputs.look(std::move(option), std::move(path));
  if (!place) return place.error();
  document_ = base::files::Document(std::move(*place));
  return {};
}

int ReportFile::descriptor() const { return to_stdout_ ? ::fileno(stdout) : document_.descriptor(); }

report::Canvas ReportFile::canvas() const {
  report::Canvas canvas{.utf8 = draws_utf8()};
  const auto columns = terminal_columns(descriptor());
  canvas.is_terminal = columns > 0;
  if (canvas.is_terminal) canvas.width = columns;
  return canvas;
}

base::Expected<void> ReportFile::write(std::string_view text) {
  return write_printable(base::text::printable_lines(text));
}

base::Expected<void> ReportFile::write_for_people(std::string_view text, std::string_view closing) {
  std::string shown = as_shown(descriptor(), text);
  const auto lines = static_cast<std::size_t>(std::count(shown.begin(), shown.end(), '\n'));
  if (const auto rows = terminal_rows(descriptor()); rows > 0 && lines >= rows && !closing.empty())
    shown += "\n" + as_shown(descriptor(), closing);
  return write_printable(wants_colour(descriptor()) ? coloured(shown) : shown);
}

base::Expected<void> ReportFile::write_printable(std::string_view text) {
  if (to_stdout_) {
    if (write_bytes(stdout, text) && std::fflush(stdout) == 0) return {};
    reader_gone_ = errno == EPIPE;
    return base::system_error("write the report to standard output", errno);
  }
  auto done = std::exchange(written_, true) ? document_.append(text) : document_.replace(text);
  if (done) return done;
  write_bytes(stdout, text);
  done.error().what += " (the report is on standard output instead)";
  return done;
}

}  // namespace fathom::cli::report_commands
