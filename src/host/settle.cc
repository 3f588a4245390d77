// Samples /proc/stat and the disks' counters once per interval and passes them to the judge. Sleeps in short steps, so
// that Ctrl-C takes effect at once.
#include "host/settle.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "host/disk_stats.h"
#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"
#include "host/settle_judge.h"

namespace fathom::host {
namespace {

using Clock = std::chrono::steady_clock;

SettleSample take_sample(const std::vector<std::string>& disks) {
  constexpr std::uint64_t kSectorBytes = 512;
  SettleSample sample;
  sample.t_s = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  const proc::CpuTimes cpu = proc::parse_cpu_times(proc::read_text("/proc/stat", 4096));
  sample.cpu_busy = cpu.busy;
  sample.cpu_total = cpu.total;
  for (const auto& disk : disks) {
    const disk::BlockCounters now = read_block_stat(disk);
    sample.disk_ios += now[disk::BlockColumn::read_ios] + now[disk::BlockColumn::write_ios];
    sample.disk_bytes += (now[disk::BlockColumn::read_sectors] + now[disk::BlockColumn::write_sectors]) * kSectorBytes;
  }
  return sample;
}

void sleep_until(Clock::time_point end, const std::atomic<std::uint32_t>& stop) {
  constexpr std::chrono::milliseconds kStep{20};
  while (!stop.load() && Clock::now() < end) {
    std::this_thread::sleep_for(std::min<Clock::duration>(kStep, end - Clock::now()));
  }
}

}  // namespace

result::Settle settle(const std::vector<std::string>& disks, const SettleLimits& limits,
                      const std::atomic<std::uint32_t>& stop, const SettleListener& listener) {
  const auto interval = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.interval_s));
  SettleJudge judge(limits);
  const auto tell = [&] {
    if (!listener) return;
    SettleProgress progress = judge.progress();
    progress.disks = disks;
    listener(progress);
  };
  auto verdict = judge.add(take_sample(disks));
  while (verdict == SettleJudge::Verdict::wait && !stop.load()) {
    tell();
    sleep_until(Clock::now() + interval, stop);
    if (!stop.load()) verdict = judge.add(take_sample(disks));
  }
  return judge.result();
}

}  // namespace fathom::host
