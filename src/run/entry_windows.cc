// Updates the windows. A worker's counters restart after its ramp, so a worker is included only from then on.
#include "run/entry_windows.h"

#include <algorithm>

#include "job/fields/report_as.h"

namespace fathom::run {
namespace {

std::optional<sampling::Windows> windows_of(std::uint32_t width_ms) {
  const std::uint64_t width_ns = width_ms * std::uint64_t{1'000'000};
  return width_ns == sampling::kSampleNs ? std::nullopt : std::optional(sampling::Windows(width_ns));
}

constexpr std::uint64_t kStartLook_ns = 10'000'000;  // until a starting job is measured

bool measured(const Worker& m) { return m.record->get_phase() >= records::Phase::running; }

}  // namespace

EntryWindows::EntryWindows(const std::vector<Worker>& members, const std::vector<std::size_t>& entries) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (entries[i] == i) {
      const auto& as = members[i].plan->job.of<job::fields::ReportAs>();
      entries_.push_back({i, i, windows_of(as.bw_window_ms), windows_of(as.iops_window_ms)});
    }
    entries_.back().end = i + 1;
  }
  std::erase_if(entries_, [](const Entry& e) { return !e.bytes && !e.ios; });
}

std::uint64_t EntryWindows::next_ns() const {
  std::uint64_t next = ~0ull;
  for (const auto& entry : entries_) next = std::min(next, entry.next_ns);
  return next;
}

void EntryWindows::look(const std::vector<Worker>& members, std::uint64_t now_ns) {
  for (auto& entry : entries_) {
    sampling::Totals bytes{}, ios{};
    std::uint64_t start_ns = 0;
    bool running = false, starting = false;
    for (std::size_t i = entry.first; i < entry.end; ++i) {
      const auto& m = members[i];
      starting |= m.started && !m.ended && !measured(m);
      if (!measured(m)) continue;
      const std::uint64_t began = m.record->start_ns.load(std::memory_order_relaxed);
      start_ns = start_ns == 0 ? began : std::min(start_ns, began);
      running |= !m.ended && m.record->get_phase() == records::Phase::running;
      for (std::size_t d = 0; d < io::kDataDirs; ++d) {
        bytes[d] += m.record->measured.done.bytes[d].get();
        ios[d] += m.record->measured.done.ios[d].get();
      }
    }
    entry.next_ns = starting ? now_ns + kStartLook_ns : ~0ull;
    if (!running || start_ns == 0) continue;
    for (auto* windows : {&entry.bytes, &entry.ios}) {
      if (!*windows) continue;
      if (!(*windows)->begun()) (*windows)->begin(start_ns);
      (*windows)->look(windows == &entry.bytes ? bytes : ios, now_ns, windows == &entry.bytes ? 1.0 / 1024 : 1.0);
      entry.next_ns = std::min(entry.next_ns, (*windows)->next_ns());
    }
  }
}

void EntryWindows::put_into(std::size_t first, result::Job& job) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const auto& e) { return e.first == first; });
  if (entry == entries_.end()) return;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    if (job.dirs[d].ios == 0) continue;
    if (entry->bytes) job.dirs[d].bw_kib_s = entry->bytes->samples(d);
    if (entry->ios) job.dirs[d].iops = entry->ios->samples(d);
  }
}

}  // namespace fathom::run
