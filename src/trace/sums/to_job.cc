// The job text of a trace.
#include "trace/sums/to_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text/printable.h"

namespace fathom::trace::sums {
namespace {

constexpr std::uint64_t kUs_ns = 1000;

// `rw=` of a job that has these directions.
const char* mix_of(bool reads, bool writes, bool trims) {
  if (reads && writes) return "randrw";
  if (writes && trims) return "randtrimwrite";
  if (trims) return "randtrim";
  return reads ? "randread" : "randwrite";
}

std::uint64_t percent(std::uint64_t part, std::uint64_t of) {
  return of == 0
             ? 0
             : static_cast<std::uint64_t>(std::llround(100.0 * static_cast<double>(part) / static_cast<double>(of)));
}

// `SIZE/PERCENT:...:SIZE/`: the last one gets the rest, and sizes below 1 % go to it.
std::string split_of(const std::map<std::uint64_t, std::uint64_t>& sizes, std::uint64_t ios) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> rows(sizes.begin(), sizes.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::erase_if(rows, [&](const auto& row) { return percent(row.second, ios) == 0; });
  if (rows.empty() && !sizes.empty()) rows.push_back(*sizes.begin());
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_last = i + 1 == rows.size();
    text += is_last ? fmt::format("{}/", rows[i].first)
                    : fmt::format("{}/{}:", rows[i].first, percent(rows[i].second, ios));
  }
  return text;
}

}  // namespace

void JobMaker::add(const Event& event) {
  if (!is_io(event.action)) return;
  if (tasks_.size() == kMostTasks && !tasks_.contains(event.task)) {
    ++further_ios_;
    return;
  }
  auto& task = tasks_[event.task];
  task.first_ns = std::min(task.first_ns, event.time_ns);
  const auto response_ns = event.response_ns == kNotKnown ? 0 : event.response_ns;
  task.last_ns = std::max(task.last_ns, event.time_ns + std::min(response_ns, ~event.time_ns));
  task.depth.add(event);
  if (!moves_bytes(event.action)) {
    ++task.syncs;
    return;
  }
  const auto d = static_cast<std::size_t>(event.action);
  ++task.ios[d];
  task.bytes[d] += event.length_bytes;
  task.syncs += event.flush_first ? 1 : 0;
  auto& sizes = task.sizes[d];
  if (sizes.size() < kMostSizes || sizes.contains(event.length_bytes)) ++sizes[event.length_bytes];
  const auto [end, is_first] = task.ends[d].try_emplace(event.file, 0);
  task.random[d] += !is_first && end->second != event.offset_bytes ? 1 : 0;
  end->second = event.offset_bytes + event.length_bytes;
  const bool is_known = std::find(task.files.begin(), task.files.end(), event.file) != task.files.end();
  if (!is_known && task.files.size() < kMostFiles) task.files.push_back(event.file);
}

// One list, or one for each direction. A direction without I/Os has that of the first one that has some.
std::string JobMaker::sizes_of(const Task& task) {
  std::array<std::string, kDirections> lists;
  std::string any;
  for (std::size_t d = 0; d < kDirections; ++d) {
    if (task.ios[d] > 0) lists[d] = split_of(task.sizes[d], task.ios[d]);
    if (any.empty()) any = lists[d];
  }
  for (auto& list : lists)
    if (list.empty()) list = any;
  const bool trims = task.ios[2] > 0;
  if (lists[0] == lists[1] && (!trims || lists[1] == lists[2])) return any;
  return fmt::format("{},{}{}{}", lists[0], lists[1], trims ? "," : "", trims ? lists[2] : std::string());
}

std::string JobMaker::section(std::uint32_t id, const Task& task, const std::vector<std::string>& files,
                              const JobWish& wish) {
  const bool reads = task.ios[0] > 0, writes = task.ios[1] > 0, trims = task.ios[2] > 0;
  const auto depth = std::clamp<std::uint64_t>(task.depth.most(), 1, wish.most_depth);
  std::string text = id == 0 ? std::string("[trace]\n") : fmt::format("[pid{}]\n", id);
  text +=
      fmt::format("; {} reads, {} writes, {} trims, {} flushes\n", task.ios[0], task.ios[1], task.ios[2], task.syncs);
  if (task.depth.most() == 0) text += "; depth: the trace has no completions\n";
  if (task.depth.most() > wish.most_depth) text += fmt::format("; depth: {} in the trace\n", task.depth.most());
  if (reads && trims) text += "; trims are left out: a job mixes them with writes only\n";
  text += depth == 1 ? std::string("ioengine=psync\n") : fmt::format("ioengine=libaio\niodepth={}\n", depth);
  text += fmt::format("rw={}\n", mix_of(reads, writes, trims));
  if (reads && writes) text += fmt::format("rwmixread={}\n", percent(task.ios[0], task.ios[0] + task.ios[1]));
  text += fmt::format("percentage_random={},{},{}\n", percent(task.random[0], task.ios[0]),
                      percent(task.random[1], task.ios[1]), percent(task.random[2], task.ios[2]));
  text += fmt::format("bssplit={}\n", sizes_of(task));
  if (writes && task.syncs > 0)
    text += fmt::format("fsync={}\n", std::max<std::uint64_t>(1, (task.ios[1] + task.syncs / 2) / task.syncs));
  std::string names;
  for (const auto file : task.files) names += (names.empty() ? "" : ":") + base::text::printable(files[file]);
  text += fmt::format("filename={}\n", wish.filename.empty() ? names : wish.filename);
  if (task.first_ns >= kUs_ns) text += fmt::format("startdelay={}us\n", task.first_ns / kUs_ns);
  text += fmt::format("runtime={}us\n", std::max<std::uint64_t>(1, task.active_ns() / kUs_ns));
  if (wish.with_rate && task.active_ns() > 0) {
    const auto rate = [&](std::size_t d) {
      return static_cast<std::uint64_t>(static_cast<double>(task.bytes[d]) * 1e9 /
                                        static_cast<double>(task.active_ns()));
    };
    text += fmt::format("rate={},{},{}\n", rate(0), rate(1), rate(2));
  }
  return text + "\n";
}

std::string JobMaker::text(const std::vector<std::string>& files, const JobWish& wish) const {
  std::string sections, omitted;
  for (const auto& [id, task] : tasks_) {
    const char* reason = task.all_ios() == 0                   ? "no reads, writes or trims"
                         : task.all_ios() < wish.fewest_ios    ? "too few I/Os"
                         : task.active_ns() < wish.shortest_ns ? "too short"
                                                               : nullptr;
    if (reason == nullptr)
      sections += section(id, task, files, wish);
    else
      omitted += fmt::format("; left out: pid {}, {} ({} I/Os in {} us)\n", id, reason, task.all_ios(),
                             task.active_ns() / kUs_ns);
  }
  if (further_ios_ > 0) omitted += fmt::format("; left out: {} I/Os of further processes\n", further_ios_);
  if (sections.empty()) return {};
  return "; made by `fathom trace to-job`: mix, sizes and depth of the trace, not its order\n" + omitted +
         "[global]\ndirect=1\ntime_based=1\n\n" + sections;
}

}  // namespace fathom::trace::sums
