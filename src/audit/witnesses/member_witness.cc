// Cross-check: the disks below a device of the run, layer by layer. Compares what was requested from each layer with
// what it requested from the next one. Under dm and md, the members together read once what was requested from the
// device, for any striping or mirroring. A mirror writes once per side. A loop device is a file. Its driver decides
// whether it bypasses the page cache, and direct=1 on the device has no influence on that. So the bytes that a cached
// file serves from memory are stated. A zram device is in memory, and nothing below it counts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/text.h"
#include "audit/witnesses/witness.h"

namespace fathom::audit::witnesses {
namespace {

using result::Verdict;

double asked_of(const Case& c, const LayerReach& layer, Way way) {
  return value(find(c.counts, "block", layer.upper, column_of(way)));
}

// Devices on the same disks (the files of two loop devices, volumes of one group) are judged as one: the disks below
// cannot separate them. `jobs`: jobs of the run that use these disks themselves.
struct Below {
  LayerReach sum;
  std::vector<const LayerReach*> uppers, beside;  // the second: layers on some of the disks
  std::vector<JobPair> jobs;
  std::vector<const LayerReach*> overlapping;  // these two are on other disks as well: their share here is unknown
  std::vector<JobPair> overlapping_jobs;
};

bool all_in(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::all_of(a.begin(), a.end(),
                     [&](const std::string& one) { return std::find(b.begin(), b.end(), one) != b.end(); });
}

void add(const LayerReach& layer, Below& to) {
  to.uppers.push_back(&layer);
  LayerReach& sum = to.sum;
  if (to.uppers.size() == 1) {
    sum = layer;
    return;
  }
  sum.upper += " + " + layer.upper;
  if (layer.cached && !sum.cached) sum.file = layer.file;  // the one that serves from memory
  sum.cached |= layer.cached;
  sum.read_ahead_bytes = std::max(sum.read_ahead_bytes, layer.read_ahead_bytes);
  sum.sparse_bytes += layer.sparse_bytes;
}

std::vector<Below> belows_of(const Case& c) {
  std::vector<Below> all;
  for (const auto& layer : c.facts.layers) {
    if (layer.lower.empty()) continue;
    const auto same = [&](const Below& b) { return b.sum.kind == layer.kind && b.sum.lower == layer.lower; };
    auto at = std::find_if(all.begin(), all.end(), same);
    if (at == all.end()) at = all.emplace(all.end());
    add(layer, *at);
  }
  for (auto& below : all) {
    const auto& lower = below.sum.lower;
    for (const auto& layer : c.facts.layers)
      if (meet(layer.lower, lower) && !(layer.kind == below.sum.kind && layer.lower == lower))
        (all_in(layer.lower, lower) ? below.beside : below.overlapping).push_back(&layer);
    for (const auto& pair : c.jobs)
      if (meet(pair.reach->disks, lower))
        (all_in(pair.reach->disks, lower) ? below.jobs : below.overlapping_jobs).push_back(pair);
  }
  return all;
}

double sum_of(const Case& c, const Below& below, Way way, const char* name) {
  double sum = 0;
  for (const auto* layer : below.uppers)
    sum += value(find(c.counts, "block", layer->upper, name == nullptr ? column_of(way) : name));
  return sum;
}

// What jobs of the run requested from these disks themselves: as the kernel charged it, otherwise as the engines
// counted it. Returns the account if it was used.
std::optional<Witness> expect_own(const Case& c, const Below& below, Way way, Witness& w) {
  if (below.jobs.empty()) return std::nullopt;
  const double moved_bytes = moved(below.jobs, way).bytes;
  if (moved_bytes <= 0) return std::nullopt;
  auto account = judge_process(c, below.jobs, way);
  const bool known = account && account->verdict != Verdict::no_witness && account->verdict != Verdict::disagrees &&
                     account->diagnosis != kCountedTwice;
  double bytes = known ? account->seen_bytes : moved_bytes;
  if (known)
    for (const auto& term : account->explained) bytes -= std::max(0.0, term.bytes);
  expect(w, "the run's jobs on " + w.subject, bytes, known ? "charged to their workers" : "by the engine");
  return known ? account : std::nullopt;
}

void explain_journal(const Case& c, const Below& below, Witness& w) {
  for (const auto* layer : below.uppers) {
    const double bytes = std::min(rest(w), journal_bytes(c, *layer));
    if (bytes <= 0) continue;
    explain(w, "journal and metadata", bytes, journal_how(c, *layer));
    conclude_also(w, bytes, "metadata",
                  fmt::format("the file system below {} wrote {} of its own data", layer->upper, bytes_text(bytes)));
  }
}

// The disks below counted more than the device above requested. Bytes charged to other processes are attributed to
// them. The kernel's threads are excluded: they work for a loop device, so their bytes may be the run's own.
void below_more(const Case& c, const Below& below, Way way, Witness& w) {
  const LayerReach& layer = below.sum;
  const double surplus = rest(w);
  if (way == Way::read && layer.cached) {
    constexpr double kWindows = 2, kDefaultFileReadAhead = 128 << 10;
    const double window = layer.read_ahead_bytes > 0 ? layer.read_ahead_bytes : kDefaultFileReadAhead;
    const double ahead = std::min(surplus, kWindows * window * sum_of(c, below, way, "read_ios"));
    const ForeignProcesses who = without_kernel_threads(foreign_processes_on(c.counts, layer.lower, way, surplus));
    const double ours = std::min(ahead, std::max(0.0, surplus - who.bytes));
    if (ours > 0) {
      explain(w, "read-ahead", ours, "of the file " + layer.file);
      conclude_also(w, ours, "read_ahead", fmt::format("{} of {} were read ahead", bytes_text(ours), layer.file));
    }
    if (within(w)) return;
  }
  if (way == Way::write) {
    explain_journal(c, below, w);
    if (within(w)) return;
    const double dirty = std::min(rest(w), value(find(c.counts, "memory", "", "dirty_begin")));
    const double charged =
        std::min(rest(w), without_kernel_threads(foreign_processes_on(c.counts, layer.lower, way, surplus)).bytes);
    const double back = std::min(dirty, rest(w) - charged);
    if (back > 0) {
      explain(w, "written back", back, "dirty before the run");
      conclude_also(w, back, "write_back", bytes_text(back) + " of earlier dirty pages were written back");
    }
  }
  const double foreign_bytes = rest(w);
  if (foreign_bytes <= 0) return;
  const ForeignProcesses who = without_kernel_threads(foreign_processes_on(c.counts, layer.lower, way, foreign_bytes));
  explain(w, "others on " + w.subject, foreign_bytes, by_whom(who));
  conclude_also(w, foreign_bytes, "foreign_io",
                fmt::format("other processes {} {} during the run: {}", way == Way::read ? "read" : "wrote",
                            bytes_text(foreign_bytes), by_whom(who)));
}

// The most that was requested from a loop device where its file has no blocks: each pass of a job meets it once.
double asked_of_nothing(const Case& c, const Below& below, double asked) {
  double passes = 1;
  for (const auto& pair : c.jobs) {
    const auto on = [&](const LayerReach* layer) { return holds(pair.reach->disks, layer->upper); };
    const double bytes = moved({pair}, Way::read).bytes, pass = pair.reach->visit_bytes;
    if (bytes > 0 && std::any_of(below.uppers.begin(), below.uppers.end(), on))
      passes = pass > 0 ? std::max(passes, std::ceil(bytes / pass)) : HUGE_VAL;
  }
  return below.sum.sparse_bytes > 0 ? std::min(asked, below.sum.sparse_bytes * passes) : 0;
}

void below_less(const Case& c, const Below& below, Way way, Witness& w) {
  const LayerReach& layer = below.sum;
  const double missing = -rest(w);
  const auto conclude_less = [&](const char* term, const char* diagnosis, std::string how, std::string cause) {
    explain(w, term, -missing, std::move(how));
    conclude(w, Verdict::explained, diagnosis, std::move(cause));
  };
  if (layer.cached && way == Way::read)
    return conclude_less("page-cache hits", "page_cache", "read through the page cache of " + layer.file,
                         fmt::format("{} of the requests to {} came from memory: its file {} is read through the page "
                                     "cache, regardless of direct= of the job",
                                     bytes_text(missing), layer.upper, layer.file));
  if (layer.cached)
    return conclude_less(
        "not written yet", "write_back",
        bytes_text(value(find(c.counts, "memory", "", "dirty_end"))) + " waited in memory when the run ended",
        fmt::format("{} of the writes to {} were in memory at the end: its file {} is written through the page cache",
                    bytes_text(missing), layer.upper, layer.file));
  if (way == Way::read && missing <= asked_of_nothing(c, below, w.expected_bytes) + w.tolerance_bytes)
    return conclude_less("holes", "holes", bytes_text(layer.sparse_bytes) + " of the file were never written",
                         fmt::format("{} of the requests to {} are for parts of its file {} that were never written",
                                     bytes_text(missing), layer.upper, layer.file));
  conclude_less("not passed on", "not_passed_on", joined(layer.lower, " + ") + " counted less than " + layer.upper,
                fmt::format("{} served {} without the disk below it", layer.upper, bytes_text(missing)));
}

void judge_loop(const Case& c, const Below& below, Way way, Witness& w) {
  if (w.explained.empty()) conclude(w, Verdict::agrees, "", "");
  if (rest(w) > w.tolerance_bytes) return below_more(c, below, way, w);
  if (rest(w) < -w.tolerance_bytes) below_less(c, below, way, w);
}

// A stack reads and writes its own data: parity, the journal and checksums of dm-integrity, the maps of a thin volume.
// No bound for these bytes is known here. So only bytes charged to other processes are attributed to them.
void stack_more(const Case& c, const LayerReach& layer, Way way, Witness& w) {
  const double surplus = rest(w);
  const ForeignProcesses who = without_kernel_threads(foreign_processes_on(c.counts, layer.lower, way, surplus));
  const double charged = std::min(surplus, who.bytes);
  if (charged > w.tolerance_bytes) {
    explain(w, "others on " + w.subject, charged, by_whom(who));
    conclude_also(w, charged, "foreign_io",
                  fmt::format("other processes {} {} during the run: {}", way == Way::read ? "read" : "wrote",
                              bytes_text(charged), by_whom(who)));
  }
  if (within(w)) return;
  const double own = rest(w);
  const char* what =
      way == Way::read ? "metadata of the stack, or others' reads" : "parity, metadata, or others' writes";
  explain(w, "not known", own, fmt::format("the members counted more than {}: {}", layer.upper, what));
  conclude_also(w, own, "not_known",
                fmt::format("the members counted {} more than {}, and {} was charged for it: {}", bytes_text(own),
                            layer.upper, who.nearly_all ? "no process" : "no visible process", what));
}

void judge_stack(const Case& c, const Below& below, Way way, Witness& w) {
  const LayerReach& layer = below.sum;
  if (w.explained.empty()) conclude(w, Verdict::agrees, "", "");
  if (within(w)) return;
  const double asked = sum_of(c, below, way, nullptr), copies = std::round(1 + rest(w) / asked);
  if (way == Way::write && copies >= 2 && copies <= static_cast<double>(layer.lower.size())) {
    explain(w, "copies", (copies - 1) * asked, fmt::format("a mirror of {:.0f} sides", copies));
    if (std::abs(rest(w)) <= copies * w.tolerance_bytes)
      return conclude(w, Verdict::explained, "mirror", fmt::format("every write went to {:.0f} members", copies));
    w.explained.pop_back();
  }
  if (rest(w) > 0) return stack_more(c, layer, way, w);
  explain(w, "not passed on", rest(w), "the members counted less than " + layer.upper);
  conclude(w, Verdict::explained, "not_passed_on",
           fmt::format("{} served {} without its members", layer.upper, bytes_text(-rest(w))));
}

void explain_overlapping(const Case& c, const Below& below, Way way, Witness& w) {
  double most = moved(below.overlapping_jobs, way).bytes;
  for (const auto* layer : below.overlapping) most += asked_of(c, *layer, way);
  const double bytes = std::min(rest(w), most);
  if (bytes <= w.tolerance_bytes) return;
  explain(w, "of the run, on these disks and others", bytes, "at most " + bytes_text(most));
  conclude_also(w, bytes, "passed_down", bytes_text(bytes) + " belong to the run's I/O on these disks and others");
}

// False: w is concluded as having no cross-check.
bool see_all(const Case& c, const LayerReach& layer, const char* column, Witness& w) {
  for (const auto& disk : layer.lower) {
    const auto* count = find(c.counts, "block", disk, column);
    if (count != nullptr) see(w, *count);
    if (conclude_lost(w, count)) return false;
    if (count != nullptr) continue;
    conclude(w, Verdict::no_witness, "", "/sys/block/" + disk + "/stat could not be read");
    return false;
  }
  return !conclude_switched_off(c, layer.lower, w);
}

void judge_below(const Case& c, const Below& below, Way way, Witnesses& out) {
  const double asked = sum_of(c, below, way, nullptr);
  if (asked <= 0) return;
  const bool stack = below.sum.kind == "stack";
  Witness w = witness(stack ? "members" : "below", joined(below.sum.lower, " + "), way);
  for (const auto* layer : below.uppers)
    if (const double bytes = asked_of(c, *layer, way); bytes > 0)
      expect(w, "block layer of " + layer->upper, bytes, "sectors x 512 bytes");
  for (const auto* layer : below.beside)
    if (const double bytes = asked_of(c, *layer, way); bytes > 0)
      expect(w, "block layer of " + layer->upper, bytes, "sectors x 512 bytes; it is on these disks as well");
  const auto own = expect_own(c, below, way, w);
  w.tolerance_bytes = kMetadataBlocksOfAFile * kPageBytes + kNegligible * w.expected_bytes;
  const bool seen = see_all(c, below.sum, column_of(way), w);
  if (seen && own) explain_submitted(*own, w);
  if (!w.explained.empty()) conclude(w, Verdict::explained, own->diagnosis, own->cause);
  if (seen) explain_overlapping(c, below, way, w);
  if (seen) stack ? judge_stack(c, below, way, w) : judge_loop(c, below, way, w);
  out.push_back(std::move(w));
}

}  // namespace

void judge_members(const Case& c, Witnesses& out) {
  for (const auto& below : belows_of(c))
    for (const Way way : kWays) judge_below(c, below, way, out);
}

}  // namespace fathom::audit::witnesses
