// "Run status group" and "Disk stats": sums over jobs, and what the kernel's block layer counted while they ran.
#include <fmt/format.h>

#include <cctype>

#include "report/derived.h"
#include "report/disks.h"
#include "report/normal_parts.h"
#include "report/numbers.h"

namespace fathom::report {
namespace {

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// The group is shown as its last job asks.
const result::Job* last_of(const result::Run& run, int group_id) {
  const result::Job* last = nullptr;
  for (const auto& job : run.jobs)
    if (job.group_id == group_id && !job.reporting.hidden) last = &job;
  return last;
}

std::string direction_line(std::string_view name, const result::GroupDirection& dir, const Figures& figures) {
  const auto range = [&](Base base) {
    return rate(whole(dir.min_bytes_per_s), base, figures) + "-" + rate(whole(dir.max_bytes_per_s), base, figures);
  };
  return fmt::format("{:>7}: bw={}, {} ({}), io={}, run={}-{}msec\n", name,
                     bandwidth(whole(dir.agg_bytes_per_s), figures), range(figures.first), range(figures.second()),
                     size_pair(dir.bytes, figures), dir.min_run_ms, dir.max_run_ms);
}

std::string disk_counters(const result::Disk& disk, std::string_view prefix) {
  return fmt::format(
      "{0}ios={1}/{2}, {0}sectors={3}/{4}, {0}merge={5}/{6}, {0}ticks={7}/{8}, {0}in_queue={9}, {0}util={10:.2f}%",
      prefix, disk.read_ios, disk.write_ios, disk.read_sectors, disk.write_sectors, disk.read_merges, disk.write_merges,
      disk.read_ticks_ms, disk.write_ticks_ms, disk.in_queue_ms, disk.util_percent);
}

}  // namespace

std::string group_block(const result::Run& run, const result::Group& group) {
  std::string out = fmt::format("\nRun status group {} (all jobs):\n", group.id);
  const auto* last = last_of(run, group.id);
  const auto figures = last ? figures_of(*last) : Figures{};
  for (std::size_t i = 0; i < result::kDirs && !(last && only_mixed(*last)); ++i)
    if (group.dirs[i].used) out += direction_line(upper(kDirNames[i]), group.dirs[i], figures);
  const auto mixed = mixed_group(run, group);
  if (last && last->unified && mixed.used) out += direction_line("MIXED", mixed, figures);
  return out;
}

std::string disk_block(const result::Run& run) {
  const auto rows = disk_rows(run.disks);
  if (rows.empty()) return "";
  std::string out = "\nDisk stats (read/write):\n";
  for (const auto& row : rows) {
    out += row.members ? "    " : "  ";
    out += row.disk->name + ": " + disk_counters(*row.disk, "");
    if (row.members) out += ", " + disk_counters(*row.members, "aggr");
    out += "\n";
  }
  return out;
}

}  // namespace fathom::report
