// Counter arithmetic without a device, so that any machine can test the wrap.
#include "host/disk/block_stat.h"

#include <algorithm>
#include <charconv>

#include "host/proc/proc_text.h"

namespace fathom::host::disk {

BlockCounters parse_block_stat(std::string_view text) {
  constexpr std::size_t kFewestColumns = 11;
  BlockCounters counters;
  const auto fields = proc::split_fields(text);
  if (fields.size() < kFewestColumns) return counters;
  for (std::size_t i = 0; i < std::min(fields.size(), counters.columns.size()); ++i) {
    std::from_chars(fields[i].data(), fields[i].data() + fields[i].size(), counters.columns[i]);
  }
  return counters;
}

std::uint64_t grown(std::uint64_t first, std::uint64_t last) {
  constexpr std::uint64_t kWrap = std::uint64_t{1} << 32;
  if (last >= first) return last - first;
  // Half of the range is 24 days in ms, which is longer than a run. A counter that seems to have moved further was
  // reset.
  const std::uint64_t wrapped = last + kWrap - first;
  return first < kWrap && wrapped < kWrap / 2 ? wrapped : 0;
}

result::Disk difference(std::string name, const BlockCounters& first, const BlockCounters& last, double elapsed_ms) {
  using C = BlockColumn;
  const auto delta = [&](C column) { return grown(first[column], last[column]); };
  result::Disk disk;
  disk.name = std::move(name);
  disk.read_ios = delta(C::read_ios);
  disk.write_ios = delta(C::write_ios);
  disk.read_merges = delta(C::read_merges);
  disk.write_merges = delta(C::write_merges);
  disk.read_sectors = delta(C::read_sectors);
  disk.write_sectors = delta(C::write_sectors);
  disk.read_ticks_ms = delta(C::read_ticks_ms);
  disk.write_ticks_ms = delta(C::write_ticks_ms);
  disk.in_queue_ms = delta(C::in_queue_ms);
  const double busy_ms = static_cast<double>(delta(C::io_ticks_ms));
  disk.util_percent = elapsed_ms > 0 ? std::min(100.0, 100.0 * busy_ms / elapsed_ms) : 0.0;
  return disk;
}

}  // namespace fathom::host::disk
