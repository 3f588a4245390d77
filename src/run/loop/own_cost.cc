// Measures fathom's overhead.
#include "run/loop/own_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "base/system/shared_memory.h"
#include "clock/sources/measure_source.h"
#include "run/loop/pause.h"
#include "run/records/record.h"
#include "stats/histogram.h"
#include "stats/moments.h"
#include "workload/bytes/buffers.h"
#include "workload/stream.h"

namespace fathom::run::loop {
namespace {

constexpr std::uint64_t kIosAPass = 4096;
constexpr int kFewestPasses = 3, kMostPasses = 8;
constexpr std::uint64_t kPatience_ns = 1'000'000;
constexpr std::size_t kMostKinds = 8;
constexpr std::uint32_t kDeepest = 1024;  // a deeper queue costs no more time per I/O, but more memory here
constexpr std::uint64_t kWindowBytes = 1ull << 30;

// Returns the shortest of several passes, because a disturbance only makes a pass longer.
template <class Pass>
std::optional<double> shortest(const Pass& pass) {
  std::optional<double> best;
  const std::uint64_t begin = monotonic_ns();
  for (int i = 0; i < kMostPasses && (i < kFewestPasses || monotonic_ns() - begin < kPatience_ns); ++i) {
    const std::optional<double> one = pass();
    if (!one) return std::nullopt;
    best = best ? std::min(*best, *one) : *one;
  }
  return best;
}

constexpr std::size_t kReadings = 1024;
constexpr int kRows = 5;

template <class Clock>
process::SourceCost cost_of_reading(const clock::sources::Conversion& conversion) {
  const double ns_per_tick = 1e9 / conversion.ticks_per_second();
  std::vector<std::uint64_t> readings(kRows * kReadings);
  for (auto& r : readings) r = Clock::now().v;  // the first reads only touch the memory
  for (auto& r : readings) r = Clock::now().v;
  std::array<double, kRows> ns;
  for (std::size_t row = 0; row < kRows; ++row) {
    const std::uint64_t first = readings[row * kReadings], last = readings[(row + 1) * kReadings - 1];
    ns[row] = static_cast<double>(last - first) * ns_per_tick / static_cast<double>(kReadings - 1);
  }
  std::sort(ns.begin(), ns.end());
  const auto steps = clock::sources::steps_of(readings);
  const std::uint64_t step = steps.resolution > 0 ? steps.resolution : readings.back() - readings.front() + 1;
  return {ns[kRows / 2], static_cast<double>(step) * ns_per_tick};
}

}  // namespace

process::SourceCost source_cost(const clock::sources::Calibration& calibration) {
  switch (calibration.source) {
    case clock::sources::Source::cpu:
      return cost_of_reading<clock::sources::CpuClock>(calibration.conversion);
    case clock::sources::Source::clock_gettime:
      return cost_of_reading<clock::sources::MonotonicClock>(calibration.conversion);
    case clock::sources::Source::gettimeofday:
      break;
  }
  return cost_of_reading<clock::sources::GettimeofdayClock>(calibration.conversion);
}

double record_cost_ns() {
  const auto counts = std::make_unique<stats::RawHistogram>();
  stats::Moments moments;
  const auto pass = [&]() -> std::optional<double> {
    const std::uint64_t begin = monotonic_ns();
    for (std::uint64_t i = 0; i < kIosAPass; ++i) {
      const std::uint64_t ns = 80 + (i * 0x9e3779b97f4a7c15ull >> 57);  // 128 adjacent values, as in a steady run
      moments.add(ns);
      counts->add(ns);
      // forces both to memory, as if another thread could read them after each I/O
      asm volatile("" : : "r"(&moments), "r"(counts.get()) : "memory");
    }
    return static_cast<double>(monotonic_ns() - begin) / static_cast<double>(kIosAPass);
  };
  return shortest(pass).value_or(0);
}

namespace {

// Copies the settings that affect a job's loop and its stream of requests, but no targets and no runtime.
job::Job idle_job(const job::Job& like, std::uint32_t depth) {
  job::Job job;
  job.name = "own cost";
  job.size.bytes = kWindowBytes;
  job.size.set = true;
  job.number_ios = kIosAPass;
  job.mode = like.mode;
  job.sequencer = like.sequencer;
  job.bs_min = like.bs_min;
  job.bs_max = like.bs_max;
  job.bssplit = like.bssplit;
  job.bs_unaligned = like.bs_unaligned;
  job.blockalign = like.blockalign;
  job.rwmix_read_percent = like.rwmix_read_percent;
  std::copy(std::begin(like.distribution), std::end(like.distribution), std::begin(job.distribution));
  job.norandommap = like.norandommap;
  job.iodepth = depth;
  job.iodepth_batch = like.iodepth_batch;
  job.iodepth_batch_complete_min = like.iodepth_batch_complete_min;
  job.iodepth_batch_complete_max = like.iodepth_batch_complete_max;
  job.iodepth_low = like.iodepth_low;
  job.fio_stamps = like.fio_stamps;
  job.gtod_reduce = like.gtod_reduce;
  job.disable_lat = like.disable_lat;
  job.disable_clat = like.disable_clat;
  job.disable_slat = like.disable_slat;
  return job;
}

// The same settings as a key.
std::string kind_of(const job::Job& j, clock::sources::Source source) {
  std::string key =
      fmt::format("{} {} {} {} {} {} {}", static_cast<int>(source), j.iodepth, j.iodepth_batch,
                  j.iodepth_batch_complete_min, j.iodepth_batch_complete_max, j.iodepth_low, j.rwmix_read_percent);
  for (const bool yes :
       {j.mode.reads, j.mode.writes, j.mode.trims, j.mode.random, j.mode.trim_then_write, j.norandommap, j.bs_unaligned,
        j.fio_stamps, j.gtod_reduce, j.disable_lat, j.disable_clat, j.disable_slat})
    key += yes ? 'y' : 'n';
  key += fmt::format(" {} {} {}", j.mode.sequence, j.mode.sequential_add, static_cast<int>(j.sequencer));
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    const auto& spec = j.distribution[d];
    key += fmt::format(" {}-{}/{} {}:{}:{}:{}", j.bs_min[d], j.bs_max[d], j.blockalign[d], static_cast<int>(spec.kind),
                       spec.parameter, spec.center, spec.zones.size());
    for (const auto& split : j.bssplit[d]) key += fmt::format(" {}:{}", split.bytes, split.percent);
  }
  return key;
}

}  // namespace

std::optional<double> OwnCosts::loop_ns_per_io(const job::Job& job,
                                               const clock::sources::Calibration& calibration) const {
  const io::Target target{"", io::TargetKind::none, -1, kWindowBytes, 0, kWindowBytes};
  base::system::SharedArray<records::WorkerRecord> records(1);
  const std::atomic<std::uint32_t> stop{0};
  auto& record = records[0];
  return shortest([&]() -> std::optional<double> {
    workload::Stream stream(job, {&target, 1}, 0);
    auto buffers = workload::bytes::BufferPool::make(job.iodepth, stream.largest_request(), 0);
    if (!buffers) return std::nullopt;
    LoopContext context{
        .job = job,
        .targets = {&target, 1},
        .source = &stream,
        .buffers = buffers->view(),
        .record = record,
        .stop = stop,
        .calibration = calibration,
        .ready = [] { return true; },
    };
    const auto ran = idle_loop_(context);
    if (!ran || record.error != 0 || record.elapsed_ns == 0) return std::nullopt;
    std::uint64_t ios = 0;
    for (std::size_t d = 0; d < io::kDataDirs; ++d) ios += record.measured.done.ios[d].get();
    if (ios == 0) return std::nullopt;
    const double ns = static_cast<double>(record.elapsed_ns) / static_cast<double>(ios);
    std::memset(static_cast<void*>(&record.measured), 0, sizeof record.measured);
    return ns;
  });
}

std::optional<result::OwnCost> OwnCosts::of(const job::Job& job, bool synchronous,
                                            const clock::sources::Calibration& calibration) {
  if (idle_loop_ == nullptr) return std::nullopt;
  const std::uint32_t depth = synchronous ? 1 : std::clamp(job.iodepth, 2u, kDeepest);
  const job::Job idle = idle_job(job, depth);
  const std::string kind = kind_of(idle, calibration.source);
  if (const auto known = known_.find(kind); known != known_.end()) return known->second;
  if (known_.size() >= kMostKinds) return std::nullopt;
  if (!record_ns_) record_ns_ = record_cost_ns();
  const auto loop_ns = loop_ns_per_io(idle, calibration);
  auto& cost = known_[kind];
  if (loop_ns) cost = result::OwnCost{*record_ns_, *loop_ns};
  return cost;
}

}  // namespace fathom::run::loop
