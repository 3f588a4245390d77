// Witness: the disks that a device of the run lies on, layer by layer: what each was asked for is held against what it
// asked the next one for. Under dm and md the members read once between them what the device was asked for, however it
// is striped or mirrored, and a mirror writes as often as it has sides. A loop device is a file: whether its driver
// goes past the page cache is its own affair, and direct=1 on the device says nothing about it; so what a cached file
// answers from memory is said with its bytes. A zram lies in memory, and has nothing below it that counts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/witness.h"
#include "audit/words.h"

namespace fathom::audit {
namespace {

using result::Verdict;

double asked_of(const Case& c, const LayerReach& layer, Way way) {
  const char* column = way == Way::read ? "read_sectors" : "write_sectors";
  return value(find(c.counts, "block", layer.upper, column));
}

// More than the device above asked for: others', as far as anybody was charged for it. The kernel's threads work for a
// loop device, so what they were charged for may be the run's own.
void below_more(const Case& c, const LayerReach& layer, Way way, Witness& w) {
  const double surplus = rest(w);
  if (way == Way::read && layer.cached) {
    constexpr double kWindows = 2, kDefaultReadAhead = 128 << 10;
    const double window = layer.read_ahead_bytes > 0 ? layer.read_ahead_bytes : kDefaultReadAhead;
    const double ahead = std::min(surplus, kWindows * window * value(find(c.counts, "block", layer.upper, "read_ios")));
    const Others who = without_kernel_threads(others_on(c.counts, layer.lower, way, surplus));
    const double ours = std::min(ahead, std::max(0.0, surplus - who.bytes));
    if (ours > 0) {
      explain(w, "read-ahead", ours, "of the file " + layer.file);
      conclude_also(w, ours, "read_ahead", fmt::format("{} of {} were read ahead", bytes_text(ours), layer.file));
    }
    if (within(w)) return;
  }
  if (way == Way::write) {
    const double dirty = std::min(rest(w), value(find(c.counts, "memory", "", "dirty_begin")));
    const double charged =
        std::min(rest(w), without_kernel_threads(others_on(c.counts, layer.lower, way, surplus)).bytes);
    const double back = std::min(dirty, rest(w) - charged);
    if (back > 0) {
      explain(w, "written back", back, "dirty before the run");
      conclude_also(w, back, "write_back", bytes_text(back) + " of earlier dirty pages were written back");
    }
  }
  const double others_bytes = rest(w);
  if (others_bytes <= 0) return;
  const Others who = without_kernel_threads(others_on(c.counts, layer.lower, way, others_bytes));
  explain(w, "others on " + w.subject, others_bytes, by_whom(who));
  conclude_also(w, others_bytes, "foreign_io",
                fmt::format("others {} {} meanwhile: {}", way == Way::read ? "read" : "wrote", bytes_text(others_bytes),
                            by_whom(who)));
}

void below_less(const Case& c, const LayerReach& layer, Way way, Witness& w) {
  const double missing = -rest(w);
  const auto conclude_less = [&](const char* term, const char* diagnosis, std::string how, std::string cause) {
    explain(w, term, -missing, std::move(how));
    conclude(w, Verdict::explained, diagnosis, std::move(cause));
  };
  if (layer.cached && way == Way::read)
    return conclude_less("page-cache hits", "page_cache", "read through the page cache of " + layer.file,
                         fmt::format("{} that {} was asked for came from memory: its file {} is read through the page "
                                     "cache, whatever direct= the job has",
                                     bytes_text(missing), layer.upper, layer.file));
  if (layer.cached)
    return conclude_less(
        "not written yet", "write_back",
        bytes_text(value(find(c.counts, "memory", "", "dirty_end"))) + " waited in memory when the run ended",
        fmt::format("{} that {} was given lay in memory at the end: its file {} is written through the page cache",
                    bytes_text(missing), layer.upper, layer.file));
  if (way == Way::read && missing <= layer.sparse_bytes + w.tolerance_bytes)
    return conclude_less("holes", "holes", bytes_text(layer.sparse_bytes) + " of the file have no block",
                         fmt::format("{} that {} was asked for lie in holes of its file {}", bytes_text(missing),
                                     layer.upper, layer.file));
  conclude_less("not passed on", "not_passed_on", joined(layer.lower, " + ") + " counted less than " + layer.upper,
                fmt::format("{} answered {} without the disk below it", layer.upper, bytes_text(missing)));
}

void judge_loop(const Case& c, const LayerReach& layer, Way way, Witness& w) {
  conclude(w, Verdict::agrees, "", "");
  if (rest(w) > w.tolerance_bytes) return below_more(c, layer, way, w);
  if (rest(w) < -w.tolerance_bytes) below_less(c, layer, way, w);
}

void judge_stack(const Case& c, const LayerReach& layer, Way way, Witness& w) {
  if (within(w)) return conclude(w, Verdict::agrees, "", "");
  const double copies = std::round(w.seen_bytes / w.expected_bytes);
  if (way == Way::write && copies >= 2 && copies <= static_cast<double>(layer.lower.size())) {
    explain(w, "copies", (copies - 1) * w.expected_bytes, fmt::format("a mirror of {:.0f} sides", copies));
    if (std::abs(rest(w)) <= copies * w.tolerance_bytes)
      return conclude(w, Verdict::explained, "mirror", fmt::format("every write went to {:.0f} members", copies));
    w.explained.clear();
  }
  if (rest(w) > 0) {
    const Others who = others_on(c.counts, layer.lower, way, rest(w));
    const bool charged = who.bytes + w.tolerance_bytes >= rest(w);
    const std::string what =
        charged || way == Way::read ? "others on these disks" : "parity, copies, or others on these disks";
    explain(w, what, rest(w), "the members counted more than " + layer.upper);
    return conclude(w, Verdict::explained, "foreign_io", "the members' surplus: " + what + ": " + by_whom(who));
  }
  explain(w, "not passed on", rest(w), "the members counted less than " + layer.upper);
  conclude(w, Verdict::explained, "not_passed_on",
           fmt::format("{} answered {} without its members", layer.upper, bytes_text(-rest(w))));
}

// False: it is concluded that there is no witness.
bool see_all(const Case& c, const LayerReach& layer, const char* column, Witness& w) {
  for (const auto& disk : layer.lower) {
    const auto* count = find(c.counts, "block", disk, column);
    if (count != nullptr) see(w, *count);
    if (conclude_lost(w, count)) return false;
    if (count != nullptr) continue;
    conclude(w, Verdict::no_witness, "", "/sys/block/" + disk + "/stat could not be read");
    return false;
  }
  return true;
}

void judge_below(const Case& c, const LayerReach& layer, Way way, Witnesses& out) {
  const double asked = asked_of(c, layer, way);
  if (asked <= 0) return;
  const bool stack = layer.kind == "stack";
  const char* column = way == Way::read ? "read_sectors" : "write_sectors";
  Witness w = witness(stack ? "members" : "below", joined(layer.lower, " + "), way);
  expect(w, "block layer of " + layer.upper, asked, "sectors x 512 bytes");
  w.tolerance_bytes = kMetadataBlocksOfAFile * kPageBytes + kNegligible * w.expected_bytes;
  if (see_all(c, layer, column, w)) stack ? judge_stack(c, layer, way, w) : judge_loop(c, layer, way, w);
  out.push_back(std::move(w));
}

}  // namespace

void judge_members(const Case& c, Witnesses& out) {
  for (const auto& layer : c.facts.layers)
    for (const Way way : kWays)
      if (!layer.lower.empty()) judge_below(c, layer, way, out);
}

}  // namespace fathom::audit
