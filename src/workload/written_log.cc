// Stores the writes of a zoned job.
#include "workload/written_log.h"

#include <algorithm>

#include "job/fields/offset_choice.h"
#include "workload/budget.h"

namespace fathom::workload {

std::unique_ptr<WrittenLog> WrittenLog::make_if_needed(const job::Job& job, std::span<const io::Target> targets) {
  if (!job.of<job::fields::ZonedDevice>().used || !job.verify || !job.mode.writes) return nullptr;
  constexpr auto kWrite = io::index(io::Dir::write);
  std::uint64_t window = 0;
  for (const auto& target : targets) window += target.length;
  const auto largest = static_cast<std::uint32_t>(job.bs_max[kWrite]);
  const std::uint64_t bytes = std::max(bytes_to_move(job, window, largest), window) + window;
  // write_zone_remainder adds smaller writes, at most one per reset of a zone.
  return std::make_unique<WrittenLog>(2 * bytes / std::max<std::uint64_t>(1, job.bs_min[kWrite]) + job.iodepth);
}

void WrittenLog::add(const io::Request& write) {
  if (size_ < entries_.size()) entries_[size_++] = {write.offset, write.length, write.target};
}

io::Request WrittenLog::at(std::uint64_t number) const {
  const Entry& entry = entries_[number];
  return {entry.offset, 0, entry.length, entry.target, io::Dir::write, 0};
}

std::size_t WrittenAgain::next(std::span<io::Request> out) {
  std::size_t made = 0;
  for (; made < out.size() && next_ < log_.size(); ++made) out[made] = log_.at(next_++);
  return made;
}

}  // namespace fathom::workload
