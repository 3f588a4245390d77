// Compares faults with the pages swapped in (/proc/vmstat). Compares these with the bytes of the disks below
// (/sys/block/NAME/stat), and with the bytes of the timed requests. Counter names: include/linux/vm_event_item.h of the
// kernel. pswpin and pswpout count pages that reached a device. They exclude pages that zswap kept, and pages that were
// all zero.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "audit/paging/paging_case.h"
#include "audit/text.h"

namespace fathom::audit::paging {
namespace {

using result::Verdict;

// The disks below the active swap devices, each once. shared: one of the disks also has other files or partitions.
struct SwapDisks {
  std::vector<std::string> names;
  bool shared = false;
  bool requests = false;  // not zram: an I/O is in flight after its submission
};

// only: a disk name; "": all disks.
SwapDisks swap_disks(const result::Paging& paging, const std::string& only = "") {
  SwapDisks disks;
  for (const auto& swap : paging.pressure.swaps) {
    if (swap.disk.empty() || (!only.empty() && swap.disk != only)) continue;
    if (std::find(disks.names.begin(), disks.names.end(), swap.disk) == disks.names.end())
      disks.names.push_back(swap.disk);
    disks.shared |= swap.path != "/dev/" + swap.disk;
    disks.requests |= !swap.disk.starts_with("zram");
  }
  // A swap device that was active when the run began, and that another process turned off during the run.
  for (const auto& d : paging.devices)
    if (!d.device.empty() && (only.empty() || d.device == only) &&
        std::find(disks.names.begin(), disks.names.end(), d.device) == disks.names.end())
      disks.names.push_back(d.device);
  return disks;
}

// True if all requests were traced. Direct reads are not the run's own.
bool all_seen(const result::DeviceTime& d) {
  constexpr double kWhole = 0.995;
  return !d.by.empty() && d.by != "direct reads" && d.seen_share >= kWhole;
}

constexpr const char* pages_name(witnesses::Way way) { return way == witnesses::Way::read ? "pswpin" : "pswpout"; }

witnesses::Witness device_witness(const PagingCase& c, const char* source, const SwapDisks& disks, witnesses::Way way) {
  witnesses::Witness w = witnesses::witness(source, joined(disks.names, " + "), way);
  const double pages = c.vmstat(pages_name(way));
  witnesses::expect(w, way == witnesses::Way::read ? "swap-ins" : "swap-outs", pages * kFaultBytes,
                    fmt::format("{:.0f} pages ({}) x 4096", pages, pages_name(way)));
  w.tolerance_bytes = witnesses::kNegligible * w.expected_bytes + kEdgePages * kFaultBytes;
  if (disks.requests && way == witnesses::Way::write) w.tolerance_bytes += kInFlightBytes;
  return w;
}

void judge_device(const SwapDisks& disks, witnesses::Way way, witnesses::Witness& w) {
  const double more = witnesses::rest(w);
  if (witnesses::within(w)) return witnesses::conclude(w, Verdict::agrees, "", "");
  if (more > 0 && disks.shared) {
    witnesses::explain(w, "others on " + w.subject, more, "the disk contains more than the swap");
    return witnesses::conclude(w, Verdict::explained, "foreign_io",
                               fmt::format("other processes {} {} on the disk under the swap",
                                           way == witnesses::Way::read ? "read" : "wrote", bytes_text(more)));
  }
  if (witnesses::conclude_unit_error(w, "the device")) return;
  if (more > 0)
    return witnesses::conclude(
        w, Verdict::disagrees, "foreign_io",
        fmt::format("{} more than the kernel swapped: another process uses the swap device", bytes_text(more)));
  witnesses::conclude(w, Verdict::disagrees, "missing_io",
                      fmt::format("{} of the pages {} swap never reached the device", bytes_text(-more),
                                  way == witnesses::Way::read ? "from" : "to"));
}

struct Seen {
  double bytes = 0;
  std::size_t disks = 0;
  const result::Count* lost = nullptr;
};

Seen block_bytes(const PagingCase& c, const SwapDisks& disks, witnesses::Way way) {
  Seen seen;
  for (const auto& disk : disks.names) {
    const auto* count =
        witnesses::find(c.counts, "block", disk, way == witnesses::Way::read ? "read_sectors" : "write_sectors");
    if (count == nullptr) continue;
    ++seen.disks;
    seen.bytes += count->value;
    if (count->lost_at_s) seen.lost = count;
  }
  return seen;
}

// Bytes of the timed requests to the swap devices on this disk; nullopt: not all of them were traced.
std::optional<double> timed_bytes(const PagingCase& c, const std::string& disk, witnesses::Way way) {
  std::optional<double> bytes;
  for (const auto& d : c.paging.devices) {
    if (d.device != disk) continue;
    if (!all_seen(d) || d.lost > 0) return std::nullopt;
    bytes = bytes.value_or(0) + static_cast<double>(way == witnesses::Way::read ? d.read_bytes : d.write_bytes);
  }
  return bytes;
}

// The two counts do not begin and end at the same moment, least of all on a busy machine.
constexpr double kWitnessesApart_s = 0.05;

// With several swap devices, no kernel counter has the number of pages that each of them served. The requests of each
// swap device show it, and the disk below must have moved the same bytes.
void judge_one_of_several(const PagingCase& c, const std::string& name, witnesses::Witnesses& out) {
  const auto disk = swap_disks(c.paging, name);
  for (const witnesses::Way way : witnesses::kWays) {
    const auto timed = timed_bytes(c, name, way);
    const auto seen = block_bytes(c, disk, way);
    if (!timed || seen.disks == 0) continue;
    witnesses::Witness w = witnesses::witness("block", name, way);
    w.rule = "sectors x 512 bytes";
    witnesses::expect(w, way == witnesses::Way::read ? "swap-ins it served" : "swap-outs it took", *timed,
                      "bytes of its swap's requests");
    const double window_s = std::max(1e-3, static_cast<double>(c.paging.window_ns) * 1e-9);
    w.tolerance_bytes = kInFlightBytes + w.expected_bytes * kWitnessesApart_s / window_s;
    witnesses::see(w, seen.bytes);
    if (!witnesses::conclude_lost(w, seen.lost)) judge_device(disk, way, w);
    out.push_back(std::move(w));
  }
}

}  // namespace

void judge_swap_ins(const PagingCase& c, witnesses::Witnesses& out) {
  if (c.file_backed || !c.paging.vmstat.contains("pswpin")) return;
  witnesses::Witness w = witnesses::witness("swap-ins", "vmstat", witnesses::Way::read);
  w.rule = "pages x 4096 bytes";
  struct Term {
    const char *name, *counter;
    double sign;
  };
  constexpr Term kTerms[] = {
      {"read ahead", "swap_ra", 1}, {"all zero", "swpin_zero", -1}, {"from zswap", "zswpin", -1}};
  witnesses::expect(w, "major faults", c.kernel_major * kFaultBytes, fmt::format("{:.0f} x 4096", c.kernel_major));
  for (const auto& term : kTerms)
    if (const double pages = c.vmstat(term.counter); pages > 0)
      witnesses::expect(w, term.name, term.sign * pages * kFaultBytes,
                        fmt::format("{} {:.0f} x 4096", term.counter, pages));
  witnesses::see(w, c.vmstat("pswpin") * kFaultBytes);
  w.tolerance_bytes = witnesses::kNegligible * w.expected_bytes + (kEdgeFaults * c.threads + kEdgePages) * kFaultBytes;
  if (!witnesses::within(w) && foreign_faults(c) > 0 && witnesses::rest(w) > 0)
    witnesses::explain(w, "others' faults", std::min(foreign_faults(c) * kFaultBytes, witnesses::rest(w)),
                       "vmstat's, less the threads'");
  if (!witnesses::within(w) && waited_faults(c) > 0 && witnesses::rest(w) < 0)
    witnesses::explain(w, "waited for another's read", -std::min(waited_faults(c) * kFaultBytes, -witnesses::rest(w)),
                       "the threads', less vmstat's");
  if (witnesses::within(w))
    witnesses::conclude(w, w.explained.empty() ? Verdict::agrees : Verdict::explained,
                        w.explained.empty() ? "" : "foreign_faults",
                        w.explained.empty() ? "" : "the faults differ as in memory.stat and vmstat");
  else if (witnesses::rest(w) > 0)
    witnesses::conclude(
        w, Verdict::disagrees, "foreign_swap",
        fmt::format("{} came from swap without a fault: large folios, a swapoff, or pages of other processes",
                    bytes_text(witnesses::rest(w))));
  else
    witnesses::conclude(
        w, Verdict::disagrees, "missing_io",
        fmt::format("{} of the major faults did not come from swap: files, or pages that were already in memory",
                    bytes_text(-witnesses::rest(w))));
  if (w.verdict == Verdict::explained && w.explained.front().bytes < 0) w.diagnosis = "waited";
  out.push_back(std::move(w));
}

void judge_swap_devices(const PagingCase& c, witnesses::Witnesses& out) {
  const auto disks = swap_disks(c.paging);
  if (c.file_backed || disks.names.empty()) return;
  for (const witnesses::Way way : witnesses::kWays) {
    const auto seen = block_bytes(c, disks, way);
    if (seen.disks < disks.names.size()) continue;
    witnesses::Witness w = device_witness(c, "block", disks, way);
    witnesses::see(w, seen.bytes);
    w.rule = "sectors x 512 bytes";
    if (!witnesses::conclude_lost(w, seen.lost)) judge_device(disks, way, w);
    out.push_back(std::move(w));
  }
  if (disks.names.size() > 1)
    for (const auto& name : disks.names) judge_one_of_several(c, name, out);
}

void judge_device_times(const PagingCase& c, witnesses::Witnesses& out) {
  auto disks = swap_disks(c.paging);
  if (c.file_backed || disks.names.empty()) return;
  double bytes[2] = {}, lost_bytes[2] = {}, ios[2] = {};
  std::size_t known = 0;
  for (const auto& d : c.paging.devices) {
    if (!all_seen(d)) continue;
    const auto n = static_cast<double>(d.read_ns.moments_ns.n + d.write_ns.moments_ns.n);
    if (n == 0 || std::find(disks.names.begin(), disks.names.end(), d.device) == disks.names.end()) continue;
    ++known;
    const double way_bytes[2] = {static_cast<double>(d.read_bytes), static_cast<double>(d.write_bytes)};
    ios[0] += static_cast<double>(d.read_ns.moments_ns.n);
    ios[1] += static_cast<double>(d.write_ns.moments_ns.n);
    for (int way : {0, 1}) {
      bytes[way] += way_bytes[way];
      if (ios[way] > 0) lost_bytes[way] += static_cast<double>(d.lost) * bytes[way] / ios[way];
    }
  }
  if (known < disks.names.size()) return;
  for (const witnesses::Way way : witnesses::kWays) {
    witnesses::Witness w = device_witness(c, "device_time", disks, way);
    const auto i = static_cast<std::size_t>(way);
    witnesses::see(w, bytes[i]);
    w.rule = "bytes of the requests that were timed";
    const double less = -witnesses::rest(w);
    if (!witnesses::within(w) && less > 0 && less <= lost_bytes[i] + w.tolerance_bytes) {
      witnesses::explain(w, "events lost", -less, fmt::format("at most {}", bytes_text(lost_bytes[i])));
      witnesses::conclude(w, Verdict::explained, "lost_events",
                          bytes_text(less) + " of requests without a recorded start or end");
    } else {
      judge_device(disks, way, w);
    }
    out.push_back(std::move(w));
  }
}

}  // namespace fathom::audit::paging
