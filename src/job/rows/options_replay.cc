// Replay of recorded I/O, and the log of a job's own I/O.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "job/fields/logs.h"
#include "job/fields/replay.h"
#include "job/option.h"

namespace fathom::job {
namespace {

Outcome read_traces(fields::Replay& replay, const Value& value) {
  replay.traces = split_names(value.text);
  if (!replay.traces.empty()) return {};
  return wrong("no trace", fmt::format("`{}` names the file of a trace", value.name()),
               fmt::format("write `{}`", value.with("trace.log")), value.text);
}

Outcome read_skips(fields::Replay& replay, const Value& value) {
  for (const auto word : split(value.text, ',')) {
    std::size_t d = 0;
    while (d < 4 && word != io::name(static_cast<io::Dir>(d))) ++d;
    if (d == 4)
      return wrong("not a kind of I/O", "the kinds are read, write, trim and sync",
                   fmt::format("write for example `{}`", value.with("trim,sync")), word);
    replay.skipped_dirs |= static_cast<std::uint8_t>(1u << d);
  }
  return {};
}

// A number for each trace, separated by `:` or `,`, as fio takes them.
Outcome read_numbers(std::vector<double>& numbers, const Value& value, bool whole, const char* example) {
  std::string text(value.text);
  std::replace(text.begin(), text.end(), ',', ':');
  for (const auto part : split(text, ':')) {
    double number = -1;
    const auto end = part.data() + part.size();
    const auto read = std::from_chars(part.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end || !(number >= 0 && number <= 1e6) ||
        (whole && number != std::floor(number)))
      return wrong(whole ? "not a whole number from 0 to 1,000,000" : "not a number from 0 to 1,000,000",
                   "the option has a number for each trace of read_iolog, in that order",
                   fmt::format("write for example `{}`", value.with(example)), value.text);
    numbers.push_back(number);
  }
  return {};
}

Outcome read_percents(fields::Replay& replay, const Value& value) {
  return read_numbers(replay.merge_percents, value, false, "50:100");
}

Outcome read_iterations(fields::Replay& replay, const Value& value) {
  std::vector<double> numbers;
  auto outcome = read_numbers(numbers, value, true, "2:1");
  replay.merge_iterations.assign(numbers.begin(), numbers.end());
  return outcome;
}

Outcome read_align(fields::Replay& replay, const Value& value) {
  if (auto problem = read_number(value, replay.align_bytes)) return problem;
  if ((replay.align_bytes & (replay.align_bytes - 1)) == 0) return {};
  return wrong("not a power of two", "offsets are aligned to a power of two",
               fmt::format("write `{}`", value.with("4096")), value.text);
}

constexpr Choice kWaits[] = {
    {"start_ms", int(fields::IologWait::since_start_ms), "milliseconds since the start, as fio replays it"},
    {"previous_us", int(fields::IologWait::after_previous_us),
     "microseconds since the previous wait, as fio's HOWTO describes it"},
};

constexpr Choice kLoops[] = {
    {"open", int(fields::ReplayLoop::open), "I/Os start at the recorded times"},
    {"closed", int(fields::ReplayLoop::closed),
     "an I/O starts when all have completed that it followed in the trace, and after the recorded pause"},
};

constexpr Row kReplayRows[] = {
    special<read_traces>({"read_iolog", "",
                          "Trace to replay: a file, `-` (standard input) or a UNIX socket; several, separated by "
                          "`:`, for the copies of numjobs in turn"},
                         Type::list),
    boolean<&fields::Replay::chunked>(
        {"read_iolog_chunked", "0",
         "Read the trace during the replay only; 0: also examine a file before the start. Memory is bounded in both "
         "cases"}),
    boolean<&fields::Replay::no_stall>({"replay_no_stall", "0", "Replay without the recorded pauses"}),
    text<&fields::Replay::redirect>({"replay_redirect", "", "Replay all I/O on this file or device"}),
    count<&fields::Replay::scale>({"replay_scale", "1", "Divide the recorded offsets by this"}, 1, kMaxU32),
    special<read_align>(
        {"replay_align", "", "Align offsets down and lengths up to this power of two; default: as recorded"},
        Type::bytes, 512, 1u << 30),
    special<read_skips>({"replay_skip", "", "Kinds of I/O to leave out: read, write, trim, sync, separated by commas"},
                        Type::list),
    count<&fields::Replay::time_scale>(
        {"replay_time_scale", "100", "Percent of the recorded rate: 50 replays at half the rate"}, 1, kMaxU32),
    choice<&fields::Replay::wait>({"replay_wait", "start_ms", "Meaning of `wait N` in fio's iolog version 2"}, kWaits),
    choice<&fields::Replay::loop>({"replay_loop", "open", "What an I/O of a replay waits for"}, kLoops),
    text<&fields::Replay::merge_file>(
        {"merge_blktrace_file", "", "Merge all traces of read_iolog by time, replay that, and write it to this file"}),
    special<read_percents>({"merge_blktrace_scalars", "",
                            "By trace of read_iolog, separated by `:`: percent of its times, 50 is half the time"},
                           Type::list),
    special<read_iterations>(
        {"merge_blktrace_iters", "", "By trace of read_iolog, separated by `:`: how many times it runs"}, Type::list),
    text<&fields::Logs::iolog>(
        {"write_iolog", "", "Write the job's I/Os to this file, as fio's iolog version 3; it must not exist"}),
};

}  // namespace

std::span<const Row> replay_options() { return kReplayRows; }

}  // namespace fathom::job
