// Reads a trace before the start: a file to its end, a stream to its first I/O.
#include "run/replay/trace_facts.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "job/fields/logs.h"
#include "job/fields/replay.h"
#include "run/logs/log_file.h"
#include "trace/depth_meter.h"
#include "trace/formats.h"
#include "trace/iolog_writer.h"
#include "trace/merge.h"

namespace fathom::run::replay {
namespace {

void count(const io::Request& request, TraceFacts& facts) {
  ++facts.ios;
  if (request.dir == io::Dir::sync) return;
  const auto d = io::index(request.dir);
  facts.reads |= request.dir == io::Dir::read;
  facts.writes |= request.dir == io::Dir::write;
  facts.trims |= request.dir == io::Dir::trim;
  if (facts.ends_bytes.size() <= request.target) facts.ends_bytes.resize(request.target + std::size_t{1});
  auto& end_bytes = facts.ends_bytes[request.target];
  end_bytes = std::max(end_bytes, request.offset + request.length);
  auto& smallest = facts.smallest_bytes[d];
  smallest = smallest == 0 ? request.length : std::min<std::uint64_t>(smallest, request.length);
  facts.largest_bytes[d] = std::max<std::uint64_t>(facts.largest_bytes[d], request.length);
}

base::Expected<void> read_all(trace::Reader& reader, const job::fields::Replay& options, Trace& into) {
  workload::ReplayRequests requests(options, reader.traits().has_times, {}, {kLargestIo_bytes, true, true, true});
  trace::DepthMeter depth;
  trace::Event event;
  io::Request made[workload::ReplayRequests::kMost];
  for (;;) {
    auto more = reader.next(event);
    if (!more) return more.error();
    if (!*more) break;
    requests.allow(event.file);
    const std::size_t n = requests.make(event, made);
    for (std::size_t i = 0; i < n; ++i) count(made[i], into.facts);
    if (n > 0) depth.add(event);
  }
  if (reader.traits().has_responses) into.facts.depth = depth.most();
  into.facts.whole = true;
  return {};
}

base::Expected<void> read_ahead(Trace& into) {
  trace::Event event;
  for (;;) {
    auto more = into.stream->next(event);
    if (!more) return more.error();
    if (!*more) break;
    into.ahead.push_back(event);
    if (trace::is_io(event.action)) break;
  }
  return {};
}

bool is_read_once(const std::string& path) {
  struct stat st;
  if (path == "-") return true;
  return ::stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode);
}

// merge_blktrace_*: each trace is read several times.
base::Expected<void> check_merge(const job::fields::Replay& replay) {
  base::Error e;
  e.kind = base::ErrorKind::usage;
  const auto fits = [&](const auto& numbers) { return numbers.empty() || numbers.size() == replay.traces.size(); };
  if (!fits(replay.merge_percents) || !fits(replay.merge_iterations)) {
    e.what = fmt::format("{} has another number of values than read_iolog has traces",
                         fits(replay.merge_percents) ? "merge_blktrace_iters" : "merge_blktrace_scalars");
    e.cause = fmt::format("read_iolog names {}, and each needs a value", replay.traces.size());
    e.help = "give a value for each trace, separated by `:`, or omit the option";
    return e;
  }
  for (const auto& path : replay.traces) {
    if (!is_read_once(path)) continue;
    e = read_twice(path);
    e.cause = "a merge reads each trace twice, and a pipe or a socket can be read once";
    return e;
  }
  return {};
}

}  // namespace

const std::string& path_of(const job::Job& job) { return job.of<job::fields::Replay>().trace_of(job.subjob); }

bool is_stream(const job::Job& job) { return !job.of<job::fields::Replay>().merges() && is_read_once(path_of(job)); }

base::Expected<std::unique_ptr<trace::Reader>> open(const job::Job& job) {
  const auto& replay = job.of<job::fields::Replay>();
  trace::OpenOptions options;
  if (replay.wait == job::fields::IologWait::after_previous_us) options.wait = trace::WaitMeaning::us_since_previous;
  if (!replay.merges()) return trace::open_trace(path_of(job), options);
  std::vector<trace::MergeInput> inputs;
  for (std::size_t i = 0; i < replay.traces.size(); ++i)
    inputs.push_back({[path = replay.traces[i], options] { return trace::open_trace(path, options); },
                      replay.merge_percents.empty() ? 100 : replay.merge_percents[i],
                      replay.merge_iterations.empty() ? 1 : replay.merge_iterations[i]});
  return trace::merged(std::move(inputs));
}

namespace {

base::Expected<void> write_merged(const job::Job& job) {
  logs::LogFile file(path_of(job), false);
  trace::IologWriter writer([&](std::string_view text) {
    file.write(std::string(text));
    return base::Expected<void>();
  });
  auto reader = open(job);
  if (!reader) return reader.error();
  trace::Event event;
  for (;;) {
    auto more = (*reader)->next(event);
    if (!more) return more.error();
    if (!*more) break;
    if (auto ok = writer.write(event, (*reader)->files()); !ok) return ok;
  }
  if (auto ok = writer.finish((*reader)->files()); !ok) return ok;
  if (const int err = file.close(); err != 0) return base::system_error("merge_blktrace_file=" + path_of(job), err);
  return {};
}

base::Error written_twice(std::string_view option, const std::string& path) {
  base::Error e;
  e.kind = base::ErrorKind::usage;
  e.what = fmt::format("{}=`{}` of two jobs", option, path);
  e.cause = "the I/Os of several jobs in one log have no common order or files";
  e.help = "name a log for each job";
  return e;
}

}  // namespace

base::Expected<void> begin_run(const job::Job& job, Trace& trace) {
  const bool first = trace.runs++ == 0;
  if (trace.stream != nullptr && !first) return read_twice(trace.path);
  if (first && job.subjob == 0 && job.of<job::fields::Replay>().merges()) return write_merged(job);
  return {};
}

base::Expected<void> claim_logs(const job::Job& job, std::set<std::string>& logs) {
  const auto& iolog = job.of<job::fields::Logs>().iolog;
  if (!iolog.empty() && !logs.insert(iolog).second) return written_twice("write_iolog", iolog);
  const auto& replay = job.of<job::fields::Replay>();
  if (replay.merges() && job.subjob == 0 && !logs.insert(replay.merge_file).second)
    return written_twice("merge_blktrace_file", replay.merge_file);
  return {};
}

base::Error read_twice(const std::string& path) {
  base::Error e;
  e.kind = base::ErrorKind::usage;
  e.what = fmt::format("the trace `{}` is read a second time", path);
  e.cause = "a pipe or a socket can be read once, by one job in one repetition";
  e.help = "store the trace in a file";
  return e;
}

base::Expected<std::shared_ptr<Trace>> examine(const job::Job& job) {
  const auto& options = job.of<job::fields::Replay>();
  auto found = std::make_shared<Trace>();
  found->path = path_of(job);
  if (options.merges())
    if (auto ok = check_merge(options); !ok) return ok.error();
  auto reader = open(job);
  if (!reader) return reader.error();
  found->traits = (*reader)->traits();
  if (!options.chunked && !is_stream(job)) {
    if (auto ok = read_all(**reader, options, *found); !ok) return ok.error();
    found->files = (*reader)->files();
    return found;
  }
  found->stream = std::move(*reader);
  if (auto ok = read_ahead(*found); !ok) return ok.error();
  found->files = found->stream->files();
  return found;
}

}  // namespace fathom::run::replay
