// Sums over jobs and lookups of counts.
#include "audit/witnesses/evidence.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "host/proc/hidden_proc.h"
#include "result/measured.h"

namespace fathom::audit::witnesses {
namespace {

double number(std::uint64_t n) { return static_cast<double>(n); }

constexpr double kDefaultReadAhead = 128 << 10;  // read_ahead_kb of the kernel
constexpr double kLargestFolio = 2 << 20;

// Each pass over the range meets every hole (or reserved block) once; random offsets meet them more or less often. If a
// job visits some places much more often, these may all be holes.
double met_bytes(double part_bytes, const JobReach& reach, double bytes, double ios, double largest) {
  if (part_bytes <= 0 || reach.range_bytes <= 0) return 0;
  if (reach.skewed) return bytes;
  constexpr double kSigmas = 4;
  const double share = std::min(1.0, part_bytes / reach.range_bytes);
  const double passes = std::max(1.0, bytes / reach.range_bytes);
  const double scatter = kSigmas * std::sqrt(ios * share * (1 - share)) * largest;
  return std::min(bytes, share * reach.range_bytes * passes + scatter);
}

// Bytes that a job cannot have visited before. These pages came from the disk, or became dirty, unless they were cached
// (dirty) when the run began. One pass visits each byte of the range once.
double first_visits(const JobPair& pair, Way way) {
  const double range = pair.reach->visit_bytes, own = number(pair.job->dirs[static_cast<std::size_t>(way)].moved_bytes);
  if (range <= 0 || own <= 0) return 0;
  // Reading back for verification, or a trim before the write, belongs to the same pass.
  double all = own;
  if (pair.reach->mixed) all += number(pair.job->dirs[way == Way::read ? 1 : 0].moved_bytes);
  return std::max({0.0, own - std::max(0.0, all - range), own / std::ceil(all / range)});
}

void add_memory(const JobPair& pair, Way way, Moved& sum) {
  const double bytes = number(pair.job->dirs[static_cast<std::size_t>(way)].moved_bytes);
  const bool known = pair.reach->cache_known && !pair.shares_files;
  const double before =
      way == Way::read ? pair.reach->cached_bytes + number(pair.job->delivery.pre_read_bytes) : pair.reach->dirty_bytes;
  const double again = bytes - first_visits(pair, way);
  const double own_writes = way == Way::read ? number(pair.job->dirs[1].moved_bytes) : 0;
  sum.memory_known &= known || bytes == 0;
  sum.before_bytes += known ? before : 0;
  sum.memory_bytes += known ? std::min(bytes, before + again + own_writes) : bytes;
}

void add_page_cache(const JobPair& pair, Way way, Moved& sum) {
  const auto& dir = pair.job->dirs[static_cast<std::size_t>(way)];
  const double ios = number(dir.moved_ios);
  // A descriptor read sequentially has twice the window (POSIX_FADV_SEQUENTIAL).
  constexpr double kWindows = 2;
  const double window = pair.reach->read_ahead_bytes > 0 ? pair.reach->read_ahead_bytes : kDefaultReadAhead;
  sum.program_bytes += kWindows * window * number(pair.job->major_faults);
  if (pair.reach->direct) return;
  add_memory(pair, way, sum);
  sum.deletes_files |= pair.reach->deletes_files;
  sum.buffered_bytes += number(dir.moved_bytes);
  sum.buffered_ios += ios;
  sum.read_ahead_bytes += kWindows * window * ios;
  constexpr double kUnderWay = 2;  // per file: the window that a reader waits for, and the next one
  if (ios > 0) sum.under_way_bytes += kUnderWay * kWindows * window * std::max(1.0, pair.reach->files);
  sum.whole_page_bytes += kLargestFolio * ios;
}

double commits_of(const JobPair& pair) {
  const auto& writes = pair.job->dirs[static_cast<std::size_t>(Way::write)];
  // A quarter of the smallest journal: data=journal fills the journal with data, which forces commits.
  constexpr double kSmallestCommit = 1 << 20;
  const double full = pair.reach->journals_data ? number(writes.moved_bytes) / kSmallestCommit : 0;
  const double passes = pair.reach->range_bytes > 0 ? number(writes.moved_bytes) / pair.reach->range_bytes : 0;
  const double closes = pair.reach->syncs_on_close ? pair.reach->files * (passes + 1) : 0;
  return number(pair.job->sync_ios) + 1 + closes + (pair.reach->sync_writes ? number(writes.moved_ios) : 0) + full;
}

// "4711 [kworker/0:1]".
bool is_kernels(const std::pair<std::string, double>& process) { return process.first.find(" [") != std::string::npos; }

void add_missing(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const auto& name : from)
    if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
}

}  // namespace

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool meet(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& x) { return holds(b, x); });
}

std::vector<JobPair> paired(const result::Run& run, const Facts& facts) {
  std::vector<JobPair> pairs;
  for (const auto* job : single_jobs(run))
    for (const auto& reach : facts.jobs)
      if (reach.job_number == job->job_number) pairs.push_back({job, &reach});
  std::map<int, int> through_cache;
  for (const auto& pair : pairs)
    if (!pair.reach->direct && pair.reach->files_group >= 0) ++through_cache[pair.reach->files_group];
  for (auto& pair : pairs) pair.shares_files = through_cache[pair.reach->files_group] > 1;
  return pairs;
}

Moved moved(const std::vector<JobPair>& jobs, Way way) {
  Moved sum;
  const auto d = static_cast<std::size_t>(way);
  for (const auto& pair : jobs) {
    const auto* const job = pair.job;
    const auto* const reach = pair.reach;
    const auto& dir = job->dirs[d];
    sum.bytes += number(dir.moved_bytes);
    sum.ios += number(dir.moved_ios);
    add_page_cache(pair, way, sum);
    sum.largest_io_bytes = std::max(sum.largest_io_bytes, number(job->bs_max[d]));
    if (way == Way::read) sum.pre_read_bytes += number(job->delivery.pre_read_bytes);
    const bool cut =
        job->interrupted || (job->error != 0 && dir.error_ios == 0) || (reach->until_full && way == Way::write);
    sum.unclear_ios += number(dir.error_ios) + (cut ? number(job->iodepth) : 0);
    sum.files += reach->files;
    const auto met = [&](double part_bytes) {
      return met_bytes(part_bytes, *reach, number(dir.moved_bytes), number(dir.moved_ios), number(job->bs_max[d]));
    };
    if (way == Way::read) {
      sum.hole_bytes += met(reach->sparse_bytes);
      sum.reserved_bytes += met(reach->reserved_bytes);
    }
    sum.compressed_bytes += met(reach->compressed_bytes);
    sum.commits += commits_of(pair);
    if (way == Way::write) sum.metadata.add(metadata_of(pair, commits_of(pair)));
    if (reach->direct && job->traits.requests_of_ring) sum.retried_bytes += number(dir.moved_bytes);
    sum.runtime_s = std::max(sum.runtime_s, number(job->elapsed_s));
  }
  return sum;
}

std::vector<std::string> disks_of(const std::vector<JobPair>& jobs) {
  std::vector<std::string> disks;
  for (const auto& pair : jobs) add_missing(disks, pair.reach->disks);
  return disks;
}

std::vector<std::vector<std::string>> disk_sets(const Facts& facts) {
  std::vector<std::vector<std::string>> sets;
  for (const auto& job : facts.jobs) {
    if (job.disks.empty()) continue;
    std::vector<std::string> joined;
    std::vector<std::vector<std::string>> apart;
    for (auto& set : sets) {
      if (meet(set, job.disks))
        add_missing(joined, set);
      else
        apart.push_back(std::move(set));
    }
    add_missing(joined, job.disks);
    apart.push_back(std::move(joined));
    sets = std::move(apart);
  }
  return sets;
}

const result::Count* find(const std::vector<result::Count>& counts, std::string_view source, std::string_view subject,
                          std::string_view name) {
  for (const auto& count : counts)
    if (count.source == source && count.name == name && (subject.empty() || count.subject == subject)) return &count;
  return nullptr;
}

double value(const result::Count* count) { return count == nullptr ? 0 : count->value; }

ForeignProcesses foreign_processes(const std::vector<result::Count>& counts, Way way) {
  const std::string name = way == Way::read ? "read_bytes" : "write_bytes";
  ForeignProcesses found;
  found.way = way;
  double unread = 0, looked_at = 0;
  for (const auto& count : counts) {
    if (count.source != "others") continue;
    found.known = true;
    if (count.subject == "hidden") found.hidden = host::proc::why_processes_are_hidden(count.name);
    if (count.subject == "unreadable") unread += count.value;
    if (count.subject == "looked at") looked_at += count.value;
    if (count.name != name) continue;
    if (count.subject == "all")
      found.bytes = count.value;
    else if (count.subject == "kernel threads")
      found.kernel_bytes = count.value;
    else if (count.value > 0)
      found.named.emplace_back(count.subject, count.value);
  }
  constexpr double kFew = 0.1;
  found.nearly_all = found.known && found.hidden.empty() && unread <= kFew * looked_at;
  std::stable_sort(found.named.begin(), found.named.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return found;
}

ForeignProcesses openers(const std::vector<result::Count>& counts, const std::vector<std::string>& disks, Way way) {
  ForeignProcesses found = foreign_processes(counts, way);
  std::erase_if(found.named, [&](const auto& one) {
    return std::none_of(counts.begin(), counts.end(), [&](const result::Count& count) {
      return count.source == "open" && count.subject == one.first && holds(disks, count.name);
    });
  });
  found.bytes = found.kernel_bytes = 0;
  for (const auto& one : found.named) found.bytes += one.second;
  return found;
}

ForeignProcesses foreign_processes_on(const std::vector<result::Count>& counts, const std::vector<std::string>& disks,
                                      Way way, double bytes) {
  constexpr double kAccounts = 0.9;
  auto on = openers(counts, disks, way);
  on.most = bytes;
  if (on.bytes > 0 && on.bytes >= kAccounts * bytes) return on;
  auto all = foreign_processes(counts, way);
  all.most = bytes;
  const auto has_it_open = [&](const auto& one) {
    return std::find(on.named.begin(), on.named.end(), one) != on.named.end();
  };
  std::vector<std::pair<std::string, double>> here, unknown;
  for (auto& one : all.named) {
    const bool looked_into = find(counts, "descriptors", one.first, "looked") != nullptr;
    (has_it_open(one) ? here : looked_into ? all.elsewhere : unknown).push_back(one);
  }
  for (const auto& one : all.elsewhere) {
    all.bytes -= one.second;
    if (is_kernels(one)) all.kernel_bytes = std::max(0.0, all.kernel_bytes - one.second);
  }
  all.bytes = std::max(0.0, all.bytes);
  all.named = std::move(here);
  all.named.insert(all.named.end(), unknown.begin(), unknown.end());
  constexpr double kVisible = 0.1;  // as a share of `bytes`
  all.nobodys = bytes - all.bytes > kVisible * bytes ? bytes - all.bytes : 0;
  return all;
}

bool writes_files(const std::vector<JobPair>& jobs) {
  return std::any_of(jobs.begin(), jobs.end(), [](const JobPair& pair) {
    return pair.reach->files > 0 && pair.job->dirs[static_cast<std::size_t>(Way::write)].moved_bytes > 0;
  });
}

ForeignProcesses without_kernel_threads(ForeignProcesses foreign) {
  std::erase_if(foreign.named, is_kernels);
  std::erase_if(foreign.elsewhere, is_kernels);
  foreign.bytes = std::max(0.0, foreign.bytes - foreign.kernel_bytes);
  foreign.kernel_bytes = 0;
  return foreign;
}

std::vector<std::string> writers_of(const std::vector<result::Count>& counts, const std::vector<std::string>& disks) {
  std::vector<std::string> names;
  for (const auto& count : counts)
    if (count.source == "open" && count.direction == "write" && holds(disks, count.name))
      add_missing(names, {count.subject});
  return names;
}

std::vector<std::string> mount_openers_of(const std::vector<result::Count>& counts,
                                          const std::vector<std::string>& disks) {
  std::vector<std::string> names;
  for (const auto& count : counts)
    if (count.source == "mount_point" && holds(disks, count.name)) add_missing(names, {count.subject});
  return names;
}

}  // namespace fathom::audit::witnesses
