// `fathom trace summary`.
#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/show_error.h"
#include "cli/terminal.h"
#include "cli/trace_commands/trace_command.h"
#include "cli/trace_commands/trace_input.h"

namespace fathom::cli::trace_commands {
namespace {

std::span<const options::Group> summary_groups() {
  static const options::Group all[] = {{"", input_rows()}};
  return all;
}

base::Expected<int> summarize(const Given& given, const TraceWish& wish) {
  auto reader = open_trace(given, wish);
  if (!reader) return std::move(reader.error());
  trace::sums::Summary summary;
  trace::Event event;
  auto more = (*reader)->next(event);
  for (; more && *more; more = (*reader)->next(event)) summary.add(event);
  const auto status = print_out(summary_text(summary, **reader), "fathom trace summary");
  if (!more) return std::move(more.error());
  return status;
}

}  // namespace

const Manual& trace_summary_manual() {
  static const Manual manual{
      "fathom trace summary", "[OPTIONS] FILE...",
      "Reads a trace to its end and prints what it consists of: mix, sizes, times, depth, footprint.\n",
      summary_groups()};
  return manual;
}

int trace_summary_command(std::span<const std::string> args) {
  TraceWish wish;
  return carry_out(trace_summary_manual(), args, options::Targets(wish),
                   [&](const Given& given) { return summarize(given, wish); });
}

}  // namespace fathom::cli::trace_commands
