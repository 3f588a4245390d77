// I/O of other processes on the run's disks. A concurrent writer on the same disk halves a reader's IOPS, yet every
// cross-check of reads agrees. So this evaluates the number and duration of all four kinds of requests in the block
// layer: reads, writes, discards and flushes. In a direction in which the run moved bytes, the share of other processes
// is what explained the cross-check. In any other direction, all I/O belongs to other processes, except for what the
// run may have caused. The run may have caused: bytes charged to it, the journal of its files, its trims, and the
// flushes of its syncs. On a disk below another one, it may have caused what was requested from the upper one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/run_findings.h"
#include "audit/text.h"
#include "audit/witnesses/witness.h"

namespace fathom::audit::witnesses {
namespace {

constexpr double kLeastBytes = 1 << 20;  // any machine does less than this all the time
constexpr double kLeastTime_s = 0.02;    // of requests, likewise
constexpr double kLeastFlushes = 16;
constexpr double kFlushesOfACommit = 2;  // before the commit block and after it

struct Kind {
  const char* direction;
  const char *did, *preposition;
  std::string bytes, ios, time;  // names of the counts
};
const Kind kKinds[] = {{"read", "read", "from ", "read_sectors", "read_ios", "read_time"},
                       {"write", "wrote", "to ", "write_sectors", "write_ios", "write_time"},
                       {"discard", "discarded", "of ", "discard_sectors", "discard_ios", "discard_time"},
                       {"flush", "flushed", "", "", "flush_ios", "flush_time"}};
enum KindIndex { kRead, kWrite, kDiscard, kFlush };

// Disks evaluated together: those of some jobs, or those below another disk.
struct Group {
  std::vector<std::string> names;
  std::vector<JobPair> jobs;     // that use them, or a device on top of them
  const char* source = "block";  // the cross-check that judged them
  std::vector<const LayerReach*> above;
};

std::vector<JobPair> jobs_on(const Case& c, const std::vector<std::string>& disks) {
  std::vector<JobPair> jobs;
  for (const auto& pair : c.jobs)
    if (!pair.reach->disks.empty() && holds(disks, pair.reach->disks.front())) jobs.push_back(pair);
  return jobs;
}

// Another device is on the same disk: jobs on that device also use the disk below.
void join(Group& group, const LayerReach& layer, const std::vector<JobPair>& jobs) {
  group.above.push_back(&layer);
  if (std::string_view(group.source) == "block") return;
  for (const auto& pair : jobs)
    if (std::none_of(group.jobs.begin(), group.jobs.end(), [&](const auto& known) { return known.job == pair.job; }))
      group.jobs.push_back(pair);
}

// A disk that jobs use belongs to those jobs, even if another device is also on it.
std::vector<Group> groups_of(const Case& c) {
  std::vector<Group> groups;
  for (auto& set : disk_sets(c.facts)) {
    auto jobs = jobs_on(c, set);
    groups.push_back({std::move(set), std::move(jobs), "block", {}});
  }
  for (const auto& layer : c.facts.layers) {
    std::vector<JobPair> jobs;
    for (const auto& group : groups)
      if (holds(group.names, layer.upper)) jobs.insert(jobs.end(), group.jobs.begin(), group.jobs.end());
    Group below{{}, std::move(jobs), layer.kind == "stack" ? "members" : "below", {&layer}};
    for (const auto& disk : layer.lower) {
      const auto known =
          std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return holds(g.names, disk); });
      if (known == groups.end())
        below.names.push_back(disk);
      else
        join(*known, layer, below.jobs);
    }
    if (!below.names.empty()) groups.push_back(std::move(below));
  }
  return groups;
}

double counted(const Case& c, const std::vector<std::string>& disks, const std::string& name) {
  double sum = 0;
  for (const auto& disk : disks) sum += value(find(c.counts, "block", disk, name));
  return sum;
}

double window_s(const Case& c, const std::vector<std::string>& disks) {
  double longest = 0;
  for (const auto& disk : disks)
    if (const auto* count = find(c.counts, "block", disk, "read_sectors")) longest = std::max(longest, count->window_s);
  return longest;
}

// The requests of this kind to the layers above, multiplied by the number of copies that a mirror makes.
double from_above(const Case& c, const Group& group, const Kind& kind) {
  double sum = 0;
  for (const auto* layer : group.above) {
    double copies = layer->kind == "stack" ? static_cast<double>(layer->lower.size()) : 1;
    if (kind.bytes.empty() && !layer->file.empty()) copies *= kFlushesOfACommit;  // of a file
    sum += copies * counted(c, {layer->upper}, kind.bytes.empty() ? kind.ios : kind.bytes);
  }
  return sum;
}

double journal_below(const Case& c, const Group& group) {
  double bytes = 0;
  for (const auto* layer : group.above) bytes += journal_bytes(c, *layer);
  return bytes;
}

// All bytes that the kernel charged to the run, minus what jobs elsewhere moved.
double charged_to_the_run(const Case& c, const Group& group, Way way) {
  double here = 0, elsewhere = 0;
  for (const auto& pair : c.jobs) {
    const auto& io = pair.job->process_io;
    if (std::any_of(group.jobs.begin(), group.jobs.end(), [&](const auto& j) { return j.job == pair.job; }))
      here += io.readable ? static_cast<double>(way == Way::read ? io.read_bytes : io.write_bytes) : 0;
    else
      elsewhere += static_cast<double>(pair.job->dirs[static_cast<std::size_t>(way)].moved_bytes);
  }
  const double whole = value(find(c.counts, "process", "fathom", way == Way::read ? "read_bytes" : "write_bytes"));
  return std::max(here, whole - elsewhere);
}

struct Share {
  double amount = 0;  // bytes; for flushes, their number
  ForeignProcesses who;
  double perhaps_dirty = 0;  // the part that may be earlier writes from memory
};

ForeignProcesses less_own_threads(const Group& group, ForeignProcesses who) {
  return group.above.empty() && !writes_files(group.jobs) ? who : without_kernel_threads(std::move(who));
}

ForeignProcesses who_on(const Case& c, const Group& group, Way way, double bytes) {
  return less_own_threads(group, foreign_processes_on(c.counts, group.names, way, bytes));
}

// A direction in which the run moved nothing.
Share unused(const Case& c, const Group& group, Way way) {
  const Moved m = moved(group.jobs, way);
  const Kind& kind = kKinds[way == Way::read ? kRead : kWrite];
  double rest = counted(c, group.names, kind.bytes) - charged_to_the_run(c, group, way) - from_above(c, group, kind);
  if (way == Way::write) rest -= m.metadata.disk_bytes + journal_below(c, group);
  rest -= m.files * kMetadataBlocksOfAFile * kPageBytes;
  if (rest <= 0) return {};
  Share share{rest, who_on(c, group, way, rest), 0};
  if (way == Way::read) return share;
  // Data that was dirty before the run is written during the run, and charged to no process then. If some processes'
  // accounts are unreadable, it cannot be distinguished from another process's writes.
  const double uncharged = std::max(0.0, rest - share.who.bytes);
  const double dirty = std::min(uncharged, value(find(c.counts, "memory", "", "dirty_begin")));
  if (share.who.nearly_all)
    share.amount -= dirty;
  else
    share.perhaps_dirty = dirty;
  return share;
}

// A direction that a cross-check judged. Takes what explained it. Adds the part of the rest that was charged to
// processes with the disk open. This part may be small compared with the run's own bytes.
std::optional<Share> judged(const Case& c, const Group& group, Way way, const Witnesses& witnesses) {
  for (const auto& w : witnesses) {
    if (w.source != group.source || w.subject != joined(group.names, " + ") || w.direction != name(way)) continue;
    double bytes = 0;
    for (const auto& term : w.explained)
      if (term.name.starts_with("others")) bytes += term.bytes;
    if (w.verdict != result::Verdict::disagrees)
      bytes += std::clamp(openers(c.counts, group.names, way).bytes - bytes, 0.0, std::max(0.0, rest(w)));
    return Share{bytes, who_on(c, group, way, bytes), 0};
  }
  return std::nullopt;
}

bool discards_itself(const Case& c, const Group& group) {
  return std::any_of(group.names.begin(), group.names.end(),
                     [&](const std::string& disk) { return holds(c.facts.discarding, disk); });
}

Share discarded(const Case& c, const Group& group) {
  double own = from_above(c, group, kKinds[kDiscard]);
  for (const auto& pair : group.jobs) {
    own += static_cast<double>(pair.job->dirs[2].moved_bytes);
    if (!discards_itself(c, group)) continue;
    // Emptying a file before it is rewritten frees its earlier blocks. Deleting it frees all of its blocks.
    const bool empties = pair.job->dirs[static_cast<std::size_t>(Way::write)].moved_bytes > 0;
    own += pair.reach->range_bytes * ((empties ? 1 : 0) + (pair.reach->deletes_files ? 1 : 0));
  }
  return {std::max(0.0, counted(c, group.names, "discard_sectors") - own), {}, 0};
}

Share flushed(const Case& c, const Group& group) {
  const Moved m = moved(group.jobs, Way::write);
  const double commits = m.commits + m.runtime_s / kCommitEvery_s + 1;
  const double own = kFlushesOfACommit * commits + from_above(c, group, kKinds[kFlush]);
  return {std::max(0.0, counted(c, group.names, "flush_ios") - own),
          less_own_threads(group, foreign_processes(c.counts, Way::write)), 0};
}

Share share_of(const Case& c, const Group& group, KindIndex kind, const Witnesses& witnesses) {
  if (kind == kDiscard) return discarded(c, group);
  if (kind == kFlush) return flushed(c, group);
  const Way way = kind == kRead ? Way::read : Way::write;
  if (auto share = judged(c, group, way, witnesses)) return std::move(*share);
  return unused(c, group, way);
}

std::string could_not_be_asked(const ForeignProcesses& foreign);

// The kernel charges discards and flushes to no process.
std::string by_whom(const Case& c, const Group& group, KindIndex kind, const ForeignProcesses& who) {
  if (kind == kRead || kind == kWrite) return by_whom(who);
  const auto open = writers_of(c.counts, group.names);
  const auto have = [](const std::vector<std::string>& names) {
    return joined(names) + (names.size() == 1 ? " has" : " have");
  };
  if (!open.empty()) return have(open) + " it open for writing";
  const auto mount = kind == kDiscard ? mount_openers_of(c.counts, group.names) : std::vector<std::string>();
  if (!mount.empty()) return have(mount) + " the directory open where it is mounted";
  if (kind == kDiscard && discards_itself(c, group))
    return "a file system on it is mounted with discard, which trims the blocks of every deleted file, "
           "the "
           "run's too";
  if (kind == kFlush && !who.named.empty()) return "writing during the run: " + by_whom(who);
  if (auto why = could_not_be_asked(foreign_processes(c.counts, Way::write)); !why.empty()) return why;
  return "not identified: the kernel charges it to no process";
}

double run_bytes(const Group& group) {
  double bytes = 0;
  for (const auto& pair : group.jobs)
    for (const auto& dir : pair.job->dirs) bytes += static_cast<double>(dir.moved_bytes);
  return bytes;
}

// "other processes wrote 312 MiB to vda (4990 requests, together about 2.31 s; the run took 5.0 s): 4711 dd 300 MiB".
std::string sentence(const result::ForeignIo& io, const Kind& kind, const char* who) {
  const std::string what =
      io.bytes > 0 ? fmt::format("{} {}{}", bytes_text(io.bytes), kind.preposition, io.disk) : io.disk;
  std::string text = fmt::format("{} {} {}", who, kind.did, what);
  text += " (";
  if (io.ios > 0) text += fmt::format("{:.0f} request{}", io.ios, std::round(io.ios) == 1 ? "" : "s");
  if (io.time_s) text += fmt::format(", together about {:.3g} s", *io.time_s);
  return text + fmt::format("{}the run took {:.1f} s): {}", io.ios > 0 ? "; " : "", io.window_s, io.who);
}

std::optional<result::ForeignIo> look(const Case& c, const Group& group, KindIndex index, const Witnesses& witnesses) {
  const Kind& kind = kKinds[index];
  const Share share = share_of(c, group, index, witnesses);
  const bool is_flush = index == kFlush;
  const double seen = counted(c, group.names, is_flush ? kind.ios : kind.bytes);
  if (share.amount <= 0 || seen <= 0) return std::nullopt;
  const double part = std::min(1.0, share.amount / seen);
  result::ForeignIo io;
  io.disk = joined(group.names, " + ");
  io.direction = kind.direction;
  io.window_s = window_s(c, group.names);
  io.ios = is_flush ? share.amount : part * counted(c, group.names, kind.ios);
  io.bytes = is_flush ? 0 : share.amount;
  if (io.ios > 0) io.time_s = part * counted(c, group.names, kind.time);
  const bool long_enough = io.time_s && *io.time_s >= std::max(kLeastTime_s, kForeignShare * io.window_s);
  const bool many = is_flush ? io.ios >= kLeastFlushes : io.bytes >= kLeastBytes;
  // The number of discarded bytes does not determine their cost: only the time does.
  const bool by_bytes = !is_flush && !(index == kDiscard && io.time_s) && io.bytes > kForeignShare * run_bytes(group);
  // Blocks that a file system discards by itself may come from any deleted file, before or during the run.
  const bool somebodys = index != kDiscard || !discards_itself(c, group) || !writers_of(c.counts, group.names).empty();
  io.disturbing = somebodys && (long_enough || (many && by_bytes));
  if (!many && !io.disturbing) return std::nullopt;
  io.who = by_whom(c, group, index, share.who);
  if (share.perhaps_dirty > 0)
    io.who +=
        fmt::format("; up to {} of it may be earlier writes that waited in memory", bytes_text(share.perhaps_dirty));
  io.cause = sentence(io, kind, somebodys ? "other processes" : "other processes or the file system itself");
  return io;
}

}  // namespace

namespace {

// most: the bytes of all processes, as an upper bound for each; 0: unknown.
std::string list_of(const std::vector<std::pair<std::string, double>>& named, double most) {
  constexpr std::size_t kMostNamed = 5;  // of processes that moved less than 1 MiB
  constexpr double kClearlyMore = 1.05;
  std::string text;
  std::size_t told = 0;
  for (const auto& [who, bytes] : named) {
    if (told >= kMostNamed && bytes < kLeastBytes) break;
    const bool more = most > 0 && bytes > kClearlyMore * most;
    text += (told++ > 0 ? ", " : "") + who + " " + (more ? "at most " + bytes_text(most) : bytes_text(bytes));
  }
  if (named.size() > told) text += fmt::format(" and {} more", named.size() - told);
  return text;
}

std::string could_not_be_asked(const ForeignProcesses& foreign) {
  if (!foreign.known) return "processes could not be examined";
  return foreign.hidden.empty() ? "" : "processes could not be examined: " + foreign.hidden;
}

}  // namespace

std::string by_whom(const ForeignProcesses& foreign) {
  const std::string text = list_of(foreign.named, foreign.most);
  std::string elsewhere =
      foreign.elsewhere.empty() || (foreign.nobodys <= 0 && !text.empty())
          ? ""
          : fmt::format("no process that had it open was found ({} elsewhere during the run: {})",
                        foreign.way == Way::read ? "reading" : "writing", list_of(foreign.elsewhere, 0));
  if (!text.empty()) return elsewhere.empty() ? text : text + "; for the rest " + elsewhere;
  if (auto why = could_not_be_asked(foreign); !why.empty()) return why;
  if (!elsewhere.empty()) return elsewhere;
  return foreign.nearly_all ? "not identified" : "only root can see the processes: run fathom as root";
}

std::vector<result::ForeignIo> foreign_io(const Case& c, const Witnesses& witnesses) {
  std::vector<result::ForeignIo> found;
  for (const auto& group : groups_of(c))
    for (const auto kind : {kRead, kWrite, kDiscard, kFlush})
      if (auto io = look(c, group, kind, witnesses)) found.push_back(std::move(*io));
  return found;
}

}  // namespace fathom::audit::witnesses
