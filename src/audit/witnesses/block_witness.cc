// Cross-check: the block layer, /sys/block/NAME/stat. It counts the I/O of all processes to the disk, at completion.
// The terms of the workers' own account (memory, read-ahead) come first. The remaining difference is I/O of other
// processes or of the file system, or data still in memory.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/text.h"
#include "audit/witnesses/witness.h"

namespace fathom::audit::witnesses {
namespace {

using result::Verdict;

struct Disks {
  std::vector<std::string> names;
  std::vector<JobPair> jobs;
  std::string subject() const { return joined(names, " + "); }
};

std::vector<Disks> disks_of(const Case& c) {
  std::vector<Disks> all;
  for (auto& set : disk_sets(c.facts)) {
    Disks disks{std::move(set), {}};
    for (const auto& pair : c.jobs)
      if (!pair.reach->disks.empty() &&
          std::find(disks.names.begin(), disks.names.end(), pair.reach->disks.front()) != disks.names.end())
        disks.jobs.push_back(pair);
    all.push_back(std::move(disks));
  }
  return all;
}

// If the machine never settled, there is no idle interval.
void explain_background(const Case& c, const Disks& disks, Way way, Witness& w) {
  if (!c.run.settle.settled) return;
  const char* column = column_of(way);
  double rate = 0, window_s = 0;
  for (const auto& disk : disks.names) {
    const auto* idle = find(c.counts, "idle_block", disk, column);
    const auto* seen = find(c.counts, "block", disk, column);
    if (idle == nullptr || seen == nullptr || idle->window_s <= 0) continue;
    rate += idle->value / idle->window_s;
    window_s = std::max(window_s, seen->window_s);
  }
  const double bytes = std::min(rate * window_s, rest(w));
  if (bytes <= 0) return;
  const auto how = fmt::format("{} per second before the run x {:.1f} s", bytes_text(rate), window_s);
  explain(w, "others in the idle window", bytes, how);
  conclude_also(w, bytes, "foreign_io",
                fmt::format("other processes moved {} during the run, as before the run: {}", bytes_text(bytes), how));
}

ForeignProcesses foreign_on(const Case& c, const Disks& disks, Way way, double bytes) {
  auto who = foreign_processes_on(c.counts, disks.names, way, bytes);
  return writes_files(disks.jobs) ? without_kernel_threads(std::move(who)) : who;
}

// Attributes bytes to the processes that were charged for them, and states the part charged to no process.
void foreign(const Case& c, const Disks& disks, Way way, double bytes, Witness& w) {
  const ForeignProcesses who = foreign_on(c, disks, way, bytes);
  const char* did = way == Way::read ? "read" : "wrote";
  const double charged = std::min(bytes, who.bytes);
  if (charged > 0) explain(w, "others on " + w.subject, charged, by_whom(who));
  const std::string nobody = !who.elsewhere.empty() ? "no process that had it open was found"
                             : who.nearly_all       ? "no process was charged"
                                                    : "no process that could be examined was charged";
  if (bytes > charged) explain(w, "others, not known", bytes - charged, nobody);
  const bool partly = bytes > charged + w.tolerance_bytes && charged > 0 && who.elsewhere.empty();
  conclude_also(w, bytes, "foreign_io",
                fmt::format("other processes {} {} during the run: {}{}", did, bytes_text(bytes), by_whom(who),
                            partly ? "; for " + bytes_text(bytes - charged) + " " + nobody : ""));
}

// The number of requests is the same with a wrong unit; another process's requests would add to it.
bool as_many_requests(const Case& c, const Disks& disks, Way way, const Moved& m) {
  constexpr double kMore = 1.1, kFew = 16;
  double ios = 0;
  for (const auto& disk : disks.names)
    ios += value(find(c.counts, "block", disk, way == Way::read ? "read_ios" : "write_ios"));
  return ios <= kMore * m.ios + kFew;
}

// A wrong unit is considered only if other processes were charged for a tenth of the surplus at most. There must also
// be no more requests than the job's. Another process may well read four or eight times the job's bytes, and a short
// look may have missed it. So the factor must be at least 12. The block layer's sectors have 512 bytes on every kernel.
bool unit_error(const Case& c, const Disks& disks, Way way, const ForeignProcesses& who, double surplus, Witness& w) {
  constexpr double kFarBelow = 0.1, kLeastFactor = 12;
  return who.nearly_all && w.seen_bytes >= kLeastFactor * w.expected_bytes && who.bytes <= kFarBelow * surplus &&
         conclude_unit_error(c, disks.jobs, way, w, w.subject);
}

// The disk read more than the workers were charged for. If their account is unknown, read-ahead may explain a part.
void read_more(const Case& c, const Disks& disks, const Moved& m, bool workers_known, Witness& w) {
  double surplus = rest(w);
  const ForeignProcesses who = foreign_processes(c.counts, Way::read);
  if (as_many_requests(c, disks, Way::read, m) && unit_error(c, disks, Way::read, who, surplus, w)) return;
  if (!workers_known && m.buffered_ios > 0) {
    const double ahead = std::min(surplus, m.read_ahead_bytes);
    explain(w, "read-ahead", ahead,
            fmt::format("at most {}; the workers' I/O accounting is not known", bytes_text(m.read_ahead_bytes)));
    conclude_also(w, ahead, "read_ahead", fmt::format("the kernel read {} ahead of the job", bytes_text(ahead)));
    surplus -= ahead;
    if (within(w)) return;
  }
  // If some processes could not be examined, any of them may have read it.
  if (workers_known || !who.nearly_all || who.bytes + w.tolerance_bytes >= surplus)
    return foreign(c, disks, Way::read, surplus, w);
  conclude(w, Verdict::disagrees, "engine_count",
           fmt::format("{} read {} more than the engine, and no other process was charged for it", w.subject,
                       bytes_text(surplus)));
}

// Loop devices of the run with their files on these disks.
std::vector<const LayerReach*> loops_on(const Case& c, const Disks& disks) {
  std::vector<const LayerReach*> loops;
  for (const auto& layer : c.facts.layers)
    for (const auto& disk : layer.lower)
      if (!layer.file.empty() && std::find(disks.names.begin(), disks.names.end(), disk) != disks.names.end()) {
        loops.push_back(&layer);
        break;
      }
  return loops;
}

constexpr double kCopiesOfMetadata = 2;  // btrfs

void write_more(const Case& c, const Disks& disks, const Moved& m, bool workers_known, Witness& w) {
  double surplus = rest(w);
  double loops = 0;
  for (const auto* layer : loops_on(c, disks)) loops += journal_bytes(c, *layer);
  const double journal = std::min(surplus, m.metadata.disk_bytes + loops);
  const double dirty = value(find(c.counts, "memory", "", "dirty_begin"));
  const double pages = workers_known || m.buffered_ios == 0 ? 0 : m.whole_page_bytes;
  const ForeignProcesses who = foreign_processes(c.counts, Way::write);
  const bool for_files = writes_files(disks.jobs);
  const double threads = (for_files ? kCopiesOfMetadata : 1) * who.kernel_bytes;
  const double charged_to_any = who.bytes - who.kernel_bytes + threads;
  const bool covered = charged_to_any + journal + dirty + pages + w.tolerance_bytes >= surplus;
  if (!covered && as_many_requests(c, disks, Way::write, m) &&
      unit_error(c, disks, Way::write, who, surplus - journal - dirty, w))
    return;
  if (!covered && !workers_known && who.nearly_all)
    return conclude(w, Verdict::disagrees, "engine_count",
                    fmt::format("{} more was written to {} than by the engine, and no other process was charged for it",
                                bytes_text(surplus), w.subject));
  const auto take = [&](const char* name, double most, std::string how, const char* diagnosis, const char* said) {
    const double bytes = std::min(surplus, most);
    if (bytes <= 0) return;
    explain(w, name, bytes, std::move(how));
    surplus -= bytes;
    conclude_also(w, bytes, diagnosis, fmt::format(fmt::runtime(said), bytes_text(bytes)));
  };
  take("journal and metadata", journal,
       metadata_how(m) + (loops > 0 ? "; of loop devices' files " + bytes_text(loops) : ""), "metadata",
       "the file system wrote {} of its own data");
  take("whole pages", pages, "a page or folio is written whole", "whole_pages",
       "{} more became dirty than was written");
  const double charged = std::min(surplus, foreign_on(c, disks, Way::write, surplus).bytes);
  surplus -= charged;
  if (for_files)
    take("metadata by the kernel's threads", threads,
         fmt::format("the threads were charged {}, and a file system may write its trees twice",
                     bytes_text(who.kernel_bytes)),
         "metadata", "the kernel's threads wrote {} for the file system");
  take("written back", dirty, bytes_text(dirty) + " waited in memory when the run began", "write_back",
       "{} of earlier dirty pages were written back");
  if (surplus + charged > 0 && (charged > 0 || surplus > w.tolerance_bytes))
    foreign(c, disks, Way::write, surplus + charged, w);
}

// Reads that the kernel charged to the workers must have passed through this disk.
void read_less(const Case& c, const Disks& disks, bool workers_known, Witness& w) {
  const double missing = -rest(w);
  if (!workers_known && conclude_missing_reads(c, disks.jobs, w.seen_bytes, w)) return;
  // Cache hits are charged net of read-ahead.
  const bool hits = std::any_of(w.explained.begin(), w.explained.end(), [](const auto& t) { return t.bytes < 0; });
  const double under_way = moved(disks.jobs, Way::read).under_way_bytes;
  if (hits && missing <= under_way + w.tolerance_bytes) {
    explain(w, "read-ahead under way", -missing, fmt::format("at most {} when the run ended", bytes_text(under_way)));
    return conclude_also(
        w, missing, "read_ahead",
        fmt::format("{} that were read ahead were still under way when the run ended", bytes_text(missing)));
  }
  if (conclude_unit_error(c, disks.jobs, Way::read, w, w.subject)) return;
  conclude(w, Verdict::disagrees, "missing_io",
           fmt::format("{} of the reads never reached {}", bytes_text(missing), w.subject));
}

// Bytes charged as dirty may not be written yet. At most, they wait in memory at the end, or were dropped with their
// file before they were written (cancelled_write_bytes). The buffered jobs' bytes are a second limit. A file that the
// job deletes at its end drops its waiting data.
void write_less(const Case& c, const Disks& disks, const Moved& m, Witness& w) {
  constexpr double kHeldBack = 4 << 20;  // error of the kernel's counters: each CPU batches its changes
  double unsynced = 0;
  for (const auto& pair : disks.jobs) unsynced += static_cast<double>(pair.job->delivery.unsynced_bytes);
  explain_compressed_writes(m, unsynced, w);
  if (within(w)) return;
  const double missing = -rest(w);
  double cancelled = 0;
  for (const auto& pair : disks.jobs) cancelled += static_cast<double>(pair.job->process_io.cancelled_write_bytes);
  const auto* waiting = find(c.counts, "memory", "", "dirty_end");
  double most = m.buffered_bytes;
  if (waiting != nullptr && !m.deletes_files) most = std::min(most, waiting->value + cancelled + kHeldBack);
  if (most > 0 && missing <= most + w.tolerance_bytes) {
    explain(w, "not written yet", -missing,
            fmt::format("{} waited in memory when the run ended", bytes_text(value(waiting))));
    return conclude_also(
        w, missing, "write_back",
        fmt::format("{} stayed in memory at the end, or were overwritten or deleted before they were written back",
                    bytes_text(missing)));
  }
  if (conclude_unit_error(c, disks.jobs, Way::write, w, w.subject)) return;
  conclude(w, Verdict::disagrees, "missing_io",
           fmt::format("{} of the writes never reached {}, and {} waited in memory at the end of the run",
                       bytes_text(missing), w.subject, bytes_text(value(waiting))));
}

// A file system on several disks may write all data to more than one of them (btrfs raid1).
void explain_copies(const Disks& disks, Witness& w) {
  const auto on_several = [](const JobPair& pair) { return pair.reach->files > 0 && pair.reach->disks.size() > 1; };
  if (w.expected_bytes <= 0 || std::none_of(disks.jobs.begin(), disks.jobs.end(), on_several)) return;
  constexpr double kNear = 0.1;
  const double copies = std::round(w.seen_bytes / w.expected_bytes);
  if (copies < 2 || copies > static_cast<double>(disks.names.size())) return;
  if (std::abs(w.seen_bytes - copies * w.expected_bytes) > kNear * w.expected_bytes) return;
  explain(w, "copies", (copies - 1) * w.expected_bytes, fmt::format("each byte is on {:.0f} disks", copies));
  conclude_also(w, (copies - 1) * w.expected_bytes, "mirror",
                fmt::format("every write went to {:.0f} disks of the file system", copies));
}

// Other jobs may use a loop device with its file here, or a stack with a member here.
void explain_passed_down(const Case& c, const Disks& disks, Way way, Witness& w) {
  for (const auto& layer : c.facts.layers) {
    const bool here = std::any_of(layer.lower.begin(), layer.lower.end(), [&](const std::string& disk) {
      return std::find(disks.names.begin(), disks.names.end(), disk) != disks.names.end();
    });
    const char* column = column_of(way);
    const double bytes = here ? std::min(rest(w), value(find(c.counts, "block", layer.upper, column))) : 0;
    if (bytes <= w.tolerance_bytes) continue;
    explain(w, "passed down by " + layer.upper, bytes, layer.upper + " lies on " + w.subject);
    conclude_also(w, bytes, "passed_down",
                  fmt::format("{} belong to {}, which is on {}", bytes_text(bytes), layer.upper, w.subject));
  }
}

// Jobs on partitions: the rest of the disk's bytes was requested from other partitions.
void explain_siblings(const Case& c, const Disks& disks, Way way, Witness& w) {
  std::vector<std::string> partitions;
  for (const auto& pair : disks.jobs) {
    if (pair.reach->partitions.empty()) return;
    for (const auto& name : pair.reach->partitions)
      if (!holds(partitions, name)) partitions.push_back(name);
  }
  double siblings = w.seen_bytes;
  for (const auto& name : partitions) {
    const auto* count = find(c.counts, "partition", name, column_of(way));
    if (count == nullptr || count->lost_at_s) return;
    siblings -= count->value;
  }
  const double bytes = std::min(rest(w), siblings);
  if (bytes <= w.tolerance_bytes) return;
  const auto who = foreign_processes_on(c.counts, disks.names, way, bytes);
  explain(w, "others on other partitions", bytes, by_whom(who));
  conclude_also(w, bytes, "foreign_io",
                fmt::format("other processes moved {} on other partitions of {}: {}", bytes_text(bytes), w.subject,
                            by_whom(who)));
}

// pre_read=1: the jobs' files are read into memory before the first counted I/O.
void explain_pre_read(const Disks& disks, Way way, Witness& w) {
  if (way != Way::read) return;
  const double most = moved(disks.jobs, way).pre_read_bytes, bytes = std::min(rest(w), most);
  if (bytes <= 0) return;
  explain(w, "pre_read", bytes, fmt::format("pre_read=1: at most {}", bytes_text(most)));
  conclude_also(w, bytes, "pre_read",
                fmt::format("{} were read before the jobs began (pre_read=1)", bytes_text(bytes)));
}

enum class Workers { unknown, known, contradict };

void take_terms(const Witness& own, Witness& w) {
  for (const auto& term : own.explained)
    if (term.bytes <= 0) explain(w, term.name, term.bytes, term.how);
  const double late = explain_submitted(own, w);
  if (w.explained.empty()) return;
  conclude(w, own.verdict, own.diagnosis, own.cause);
  if (late > kNegligible * w.expected_bytes)
    w.cause += fmt::format("; {} of it did not reach {} by the end of the run", bytes_text(late), w.subject);
}

// An explanation of the workers' account also applies to the disk. If that account contradicts the engine, the disk's
// count may be closer to the account than to the engine. Then the disk gets the account's verdict.
Workers take_over(const Case& c, const Disks& disks, Way way, Witness& w) {
  const auto own = judge_process(c, disks.jobs, way);
  if (!own) return Workers::unknown;
  if (own->verdict == Verdict::disagrees) {
    if (std::abs(w.seen_bytes - own->seen_bytes) >= std::abs(rest(w)) / 2) return Workers::unknown;
    conclude(w, own->verdict, own->diagnosis,
             fmt::format("the disk counted {}, as the workers' I/O accounting ({}) and unlike the engine",
                         bytes_text(w.seen_bytes), bytes_text(own->seen_bytes)));
    return Workers::contradict;
  }
  if (own->verdict == Verdict::no_witness || own->diagnosis == kCountedTwice) return Workers::unknown;
  take_terms(*own, w);
  return Workers::known;
}

void judge(const Case& c, const Disks& disks, Way way, Witness& w) {
  const Moved m = moved(disks.jobs, way);
  const char* column = column_of(way);
  expect(w, "engine", m.bytes, fmt::format("{:.0f} I/Os, ramp and reading back included", m.ios));
  for (const auto& disk : disks.names) {
    const auto* count = find(c.counts, "block", disk, column);
    if (count == nullptr) return conclude(w, Verdict::no_witness, "", "/sys/block/" + disk + "/stat could not be read");
    see(w, *count);
    if (conclude_lost(w, count)) return;
  }
  if (conclude_switched_off(c, disks.names, w)) return;
  conclude(w, Verdict::agrees, "", "");
  const Workers workers = take_over(c, disks, way, w);
  tolerate(w, m);
  if (workers == Workers::contradict) return;
  const bool workers_known = workers == Workers::known;
  if (!within(w) && rest(w) > 0 && way == Way::write) explain_copies(disks, w);
  if (!within(w) && rest(w) > 0) explain_pre_read(disks, way, w);
  if (!within(w) && rest(w) > 0) explain_passed_down(c, disks, way, w);
  if (!within(w) && rest(w) > 0) explain_siblings(c, disks, way, w);
  if (!within(w) && rest(w) > 0) explain_background(c, disks, way, w);
  if (within(w)) return;
  if (rest(w) > 0)
    way == Way::read ? read_more(c, disks, m, workers_known, w) : write_more(c, disks, m, workers_known, w);
  else
    way == Way::read ? read_less(c, disks, workers_known, w) : write_less(c, disks, m, w);
}

// A file of an overlay may be on another layer's disk than the one found before the run.
void doubt_place(const Case& c, const Disks& disks, Way way, Witness& w) {
  const auto elsewhere = [](const JobPair& pair) { return pair.reach->perhaps_elsewhere; };
  if (w.verdict != Verdict::disagrees || std::none_of(disks.jobs.begin(), disks.jobs.end(), elsewhere)) return;
  const auto own = judge_process(c, disks.jobs, way);
  if (!own || own->verdict == Verdict::disagrees) return;
  conclude(w, Verdict::no_witness, "",
           "the layers of an overlay are on several disks, or hidden, and these files may be on another disk than " +
               w.subject + "; the kernel's accounting of the workers remains valid: " + w.cause);
}

}  // namespace

void judge_blocks(const Case& c, Witnesses& out) {
  for (const auto& disks : disks_of(c))
    for (const Way way : kWays) {
      if (moved(disks.jobs, way).bytes <= 0) continue;
      Witness w = witness("block", disks.subject(), way);
      judge(c, disks, way, w);
      doubt_place(c, disks, way, w);
      out.push_back(std::move(w));
    }
}

}  // namespace fathom::audit::witnesses
