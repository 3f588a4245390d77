// Reads a trace before the start: a file to its end, a stream to its first I/O.
#include "run/replay/trace_facts.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <queue>

#include "job/fields/replay.h"
#include "trace/formats.h"

namespace fathom::run::replay {
namespace {

// I/Os in flight, from their recorded submissions and responses.
class RecordedDepth {
 public:
  void add(const trace::Event& event) {
    if (event.response_ns == trace::kNotKnown) return;
    while (!ends_.empty() && ends_.top() <= event.time_ns) ends_.pop();
    if (ends_.size() < kMost) ends_.push(event.time_ns + event.response_ns);
    most_ = std::max<std::uint64_t>(most_, ends_.size());
  }
  std::uint64_t most() const { return most_; }

 private:
  static constexpr std::size_t kMost = 65'536;
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> ends_;
  std::uint64_t most_ = 0;
};

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
  RecordedDepth depth;
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

}  // namespace

const std::string& path_of(const job::Job& job) { return job.of<job::fields::Replay>().trace_of(job.subjob); }

bool is_read_once(const std::string& path) {
  struct stat st;
  if (path == "-") return true;
  return ::stat(path.c_str(), &st) == 0 && !S_ISREG(st.st_mode);
}

base::Expected<std::unique_ptr<trace::Reader>> open(const std::string& path, const job::Job& job) {
  trace::OpenOptions options;
  if (job.of<job::fields::Replay>().wait == job::fields::IologWait::after_previous_us)
    options.wait = trace::WaitMeaning::us_since_previous;
  return trace::open_trace(path, options);
}

base::Error read_twice(const std::string& path) {
  base::Error e;
  e.kind = base::ErrorKind::usage;
  e.what = fmt::format("the trace `{}` is read a second time", path);
  e.cause = "a pipe or a socket can be read once, by one job in one repetition";
  e.help = "store the trace in a file";
  return e;
}

base::Error written_twice(const std::string& path) {
  base::Error e;
  e.kind = base::ErrorKind::usage;
  e.what = fmt::format("write_iolog=`{}` of two jobs", path);
  e.cause = "the I/Os of several jobs in one log have no common order or files";
  e.help = "name a log for each job";
  return e;
}

base::Expected<std::shared_ptr<Trace>> examine(const job::Job& job) {
  const auto& options = job.of<job::fields::Replay>();
  auto found = std::make_shared<Trace>();
  found->path = path_of(job);
  auto reader = open(found->path, job);
  if (!reader) return reader.error();
  found->traits = (*reader)->traits();
  if (!options.chunked && !is_read_once(found->path)) {
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
