// `fathom trace to-job`: a job file with the shape of a trace.
#include <fmt/format.h>

#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "cli/trace_commands/trace_command.h"
#include "cli/trace_commands/trace_input.h"
#include "options/rows.h"
#include "trace/sums/to_job.h"

namespace fathom::cli::trace_commands {
namespace {

using trace::sums::JobWish;

std::span<const options::Group> job_groups() {
  static const options::Row rows[] = {
      options::text<&JobWish::filename>(
          {"device=FILE", "", "filename= of all sections (default: the names of the trace)"}),
      options::count<&JobWish::fewest_ios>({"min-ios=N", "10", "leave out a process with fewer I/Os"}, 0,
                                           1'000'000'000),
      options::duration<&JobWish::shortest_ns>(
          {"min-time=TIME", "0", "leave out a process that was active for a shorter time"}, 1'000'000'000),
      options::count<&JobWish::most_depth>({"max-depth=N", "256", "largest iodepth"}, 1, 65'535),
      options::flag<&JobWish::with_rate>({"rate", "", "add the recorded rate"}),
  };
  static const options::Group all[] = {{"", rows}, {"", output_rows()}, {"", input_rows()}};
  return all;
}

base::Expected<int> make_job(const Given& given, const TraceWish& wish, const JobWish& job) {
  auto reader = open_trace(given, wish);
  if (!reader) return std::move(reader.error());
  auto output = open_output(given, wish);
  if (!output) return std::move(output.error());
  trace::sums::JobMaker maker;
  trace::Event event;
  auto more = (*reader)->next(event);
  for (; more && *more; more = (*reader)->next(event)) maker.add(event);
  if (!more) return std::move(more.error());
  const auto text = maker.text((*reader)->files(), job);
  if (text.empty())
    return usage_error("no process of the trace has enough I/Os for a job", fmt::format("--min-ios={}", job.fewest_ios),
                       "lower --min-ios and --min-time");
  ignore_broken_pipes();
  if (auto ok = output->write(text); !ok) return std::move(ok.error());
  if (const auto notes = reader_text(**reader); !notes.empty()) write_text(stderr, notes);
  return int{kOk};
}

}  // namespace

const Manual& trace_to_job_manual() {
  static const Manual manual{
      "fathom trace to-job", "[OPTIONS] FILE...",
      "Writes a job file with the shape of a trace: a section per process with mix, sizes, share of random offsets,\n"
      "depth, delay and run time. It keeps neither order nor places of the I/Os: `convert` and a replay do.\n",
      job_groups()};
  return manual;
}

int trace_to_job_command(std::span<const std::string> args) {
  TraceWish wish;
  JobWish job;
  return carry_out(trace_to_job_manual(), args, options::Targets(wish, job),
                   [&](const Given& given) { return make_job(given, wish, job); });
}

}  // namespace fathom::cli::trace_commands
