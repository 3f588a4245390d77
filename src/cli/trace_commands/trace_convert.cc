// `fathom trace convert`: any trace to fio's iolog, version 3.
#include <fmt/format.h>

#include "base/text/printable.h"
#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "cli/trace_commands/trace_command.h"
#include "cli/trace_commands/trace_input.h"
#include "trace/iolog_writer.h"

namespace fathom::cli::trace_commands {
namespace {

constexpr std::string_view kConvert = "fathom trace convert";

std::span<const options::Group> convert_groups() {
  static const options::Group all[] = {{"", output_rows()}, {"", input_rows()}};
  return all;
}

// What the iolog cannot hold, and what the trace did not say.
std::string lost_text(const trace::IologWriter& writer, const trace::Reader& reader,
                      const std::vector<std::string>& names) {
  std::string text;
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format("  {:<14}{} {}\n", "not kept", count, what);
  };
  add(writer.cut_times(), "times below a microsecond: cut");
  add(writer.lost_fua(), "FUA flags: the iolog has none; the writes are plain");
  if (writer.added_syncs() > 0)
    text +=
        fmt::format("  {:<14}{} flushes in front of writes, each as a sync line\n", "written", writer.added_syncs());
  std::uint64_t unreadable = 0;
  for (const auto& name : names) unreadable += trace::check_iolog_name(name) ? 0 : 1;
  if (unreadable > 0)
    text += fmt::format("  {:<14}{} file names that fio cannot read back (blanks, or too long); fathom can\n", "note",
                        unreadable);
  const auto& traits = reader.traits();
  if (!traits.names_files)
    text += fmt::format("  {:<14}the files are volumes or device numbers: replay with replay_redirect=\n", "note");
  if (traits.has_responses) text += fmt::format("  {:<14}response times: the iolog has none\n", "not kept");
  return text;
}

base::Expected<int> convert(const Given& given, const TraceWish& wish) {
  auto reader = open_trace(given, wish);
  if (!reader) return std::move(reader.error());
  auto output = open_output(given, wish);
  if (!output) return std::move(output.error());
  ignore_broken_pipes();
  trace::IologWriter writer([&](std::string_view text) { return output->write(text); });
  trace::sums::Summary summary;
  std::vector<std::string> names;  // printable: an iolog has no control characters
  trace::Event event;
  auto more = (*reader)->next(event);
  for (; more && *more; more = (*reader)->next(event)) {
    const auto& files = (*reader)->files();
    while (names.size() < files.size()) names.push_back(base::text::printable(files[names.size()]));
    summary.add(event);
    if (auto ok = writer.write(event, names); !ok) return std::move(ok.error());
  }
  if (auto ok = writer.finish(names); !ok) return std::move(ok.error());
  const bool to_stdout = output->place().kind == base::files::PlaceKind::standard_output;
  const auto text = summary_text(summary, **reader) + lost_text(writer, **reader, names);
  if (to_stdout) write_text(stderr, text);
  const int status = to_stdout ? int{kOk} : print_out(text, kConvert);
  if (!more) return std::move(more.error());
  return status;
}

}  // namespace

const Manual& trace_convert_manual() {
  static const Manual manual{
      kConvert, "[OPTIONS] FILE...",
      "Converts a trace to fio's iolog, version 3, which `fathom run --read_iolog=FILE` and fio replay. Prints a\n"
      "summary, and what the trace or the iolog does not hold: on standard error if the iolog goes to standard "
      "output.\n"
      "FILE may be `-`, a pipe or a socket. Several FILEs are the files per CPU of one blktrace; NAME stands for all\n"
      "NAME.blktrace.N. After a damaged record, what was read before it is written, and the exit status is not 0.\n",
      convert_groups()};
  return manual;
}

int trace_convert_command(std::span<const std::string> args) {
  TraceWish wish;
  return carry_out(trace_convert_manual(), args, options::Targets(wish),
                   [&](const Given& given) { return convert(given, wish); });
}

}  // namespace fathom::cli::trace_commands
