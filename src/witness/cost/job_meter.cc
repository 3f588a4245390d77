// Reads the counts before the histograms, which take longer.
#include "witness/cost/job_meter.h"

#include <algorithm>
#include <utility>

namespace fathom::witness::cost {
namespace {

using run::records::WorkerRecord;

std::uint64_t look(const std::uint64_t& from) { return __atomic_load_n(&from, __ATOMIC_RELAXED); }

// I/Os of the ramp are removed from the measured ones and kept separately.
std::uint64_t over(const WorkerRecord& record, std::size_t dir) {
  if (dir >= io::kDataDirs) return record.measured.sync_ios.get();
  return look(record.ramp_ios[dir]) + record.measured.done.ios[dir].get();
}

template <class Each>
void for_each_record(const run::WorkerView& worker, const Each& each) {
  if (worker.record == nullptr) return;
  if (worker.lanes.empty()) return each(*worker.record);
  for (const auto& lane : worker.lanes) each(lane);
}

// Skips an empty histogram: a page that was never written is not read either.
void add(const WorkerRecord& record, std::size_t dir, std::vector<std::uint64_t>& to) {
  const auto& measured = record.measured;
  const bool sync = dir >= io::kDataDirs;
  if (look(sync ? measured.sync_lat.moments.n : measured.dirs[dir].lat.moments.n) == 0) return;
  const auto& counts = sync ? measured.sync_counts : measured.dirs[dir].lat_counts;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += look(counts.counts[i]);
}

}  // namespace

JobMeter::JobMeter(run::WorkerViews workers, std::optional<io::Dir> dir)
    : workers_(std::move(workers)), dir_(dir), cpu_(workers_.size()) {}

bool JobMeter::any_began() const { return ios(std::nullopt) > 0; }

std::uint64_t JobMeter::ios(std::optional<io::Dir> dir) const {
  std::uint64_t sum = 0;
  for (const auto& worker : workers_)
    for_each_record(worker, [&](const WorkerRecord& record) {
      if (dir) sum += over(record, io::index(*dir));
      for (std::size_t d = 0; !dir && d <= io::kDataDirs; ++d) sum += over(record, d);
    });
  return sum;
}

void JobMeter::read_cpu(stats::SliceReading& into) {
  into.cpu_ns = 0;
  into.cpu_known = true;
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    const WorkerRecord* record = workers_[w].record;
    if (record == nullptr) continue;
    const int pid = record->pid.load(std::memory_order_relaxed), tid = record->tid.load(std::memory_order_relaxed);
    if (tid != 0 && !workers_[w].lanes.empty()) into.cpu_known = false;
    into.cpu_ns += cpu_[w].read(pid, tid);
  }
}

void JobMeter::read_latencies(stats::SliceReading& into) const {
  into.latencies.assign(stats::kBuckets, 0);
  for (const auto& worker : workers_)
    for_each_record(worker, [&](const WorkerRecord& record) {
      if (dir_) add(record, io::index(*dir_), into.latencies);
      for (std::size_t d = 0; !dir_ && d < io::kDataDirs; ++d) add(record, d, into.latencies);
    });
}

stats::SliceReading JobMeter::read() {
  stats::SliceReading reading;
  at_an_instant(reading, [&] {
    reading.ios = ios(dir_);
    reading.job_ios = dir_ ? ios(std::nullopt) : reading.ios;
    read_cpu(reading);
  });
  read_latencies(reading);
  return reading;
}

}  // namespace fathom::witness::cost
