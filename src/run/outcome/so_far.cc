// Copies a record in words, which the hardware does not tear. Moments are read until two reads are equal.
#include "run/outcome/so_far.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "run/outcome/collect.h"
#include "run/records/process_usage.h"
#include "run/records/sum_records.h"

namespace fathom::run::outcome {
namespace {

using Word = std::uint64_t;

// The writer uses plain stores. Formally this is a data race, but the hardware does not tear these words. Each word is
// read once as volatile: a sanitizer that ignores this function would still check atomics.
__attribute__((no_sanitize("thread"))) void copy_words(void* to, const void* from, std::size_t bytes) {
  static_assert(sizeof(records::WorkerRecord) % sizeof(Word) == 0 && sizeof(stats::Moments) % sizeof(Word) == 0);
  auto* const out = static_cast<unsigned char*>(to);
  const auto* const in = static_cast<const Word*>(from);
  for (std::size_t i = 0; i < bytes / sizeof(Word); ++i) {
    const Word word = *static_cast<const volatile Word*>(in + i);
    __builtin_memcpy(out + i * sizeof(Word), &word, sizeof word);
  }
}

// If the worker is faster than these reads, the result is the last read.
stats::Moments read_moments(const stats::Moments& live) {
  constexpr int kMostTries = 16;
  stats::Moments last, now;
  copy_words(&now, &live, sizeof now);
  for (int i = 0; i < kMostTries && !(last == now); ++i) {
    last = now;
    copy_words(&now, &live, sizeof now);
  }
  return now;
}

void agree(records::LatencySums& sums, const records::LatencySums& live, stats::RawHistogram& counts) {
  sums.moments = read_moments(live.moments);
  const std::uint64_t samples = stats::Histogram(counts).total();
  if (sums.moments.n == 0) std::memset(static_cast<void*>(&counts), 0, sizeof counts);
  // Without percentiles, the histogram is empty and the moments remain unchanged.
  if (samples > 0 && sums.moments.n > 0) bring_to(sums.moments, samples);
}

void agree(records::Measured& copy, const records::Measured& live) {
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    auto& to = copy.dirs[d];
    const auto& from = live.dirs[d];
    agree(to.clat, from.clat, to.clat_counts);
    agree(to.lat, from.lat, to.lat_counts);
    agree(to.slat, from.slat, to.slat_counts);
    agree(to.intended, from.intended, to.intended_counts);
    agree(to.start_delay, from.start_delay, to.start_delay_counts);
  }
  agree(copy.sync_lat, live.sync_lat, copy.sync_counts);
}

void take_usage(records::WorkerRecord& record) {
  const auto usage = records::usage_of_process(record.pid.load(), record.tid.load());
  if (!usage) return;
  record.user_cpu_s = usage->user_cpu_s;
  record.system_cpu_s = usage->system_cpu_s;
  record.cpu_wall_s = usage->age_s;
  record.ctx_switches = usage->ctx_switches;
  record.major_faults = usage->major_faults;
  record.minor_faults = usage->minor_faults;
}

// The job's own record contains only the sums of the lanes' counters.
void add_lanes(const Worker& member, std::uint64_t now_ns, records::WorkerRecord& copy) {
  if (member.lanes.empty() || copy.summed) return;
  std::vector<std::unique_ptr<records::WorkerRecord>> kept;
  std::vector<const records::WorkerRecord*> parts;
  for (const auto& lane : member.lanes) {
    kept.push_back(record_so_far(lane, now_ns));
    parts.push_back(kept.back().get());
  }
  records::sum_records(copy, parts);
}

}  // namespace

void bring_to(stats::Moments& moments, std::uint64_t samples) {
  if (moments.n == samples) return;
  if (moments.n == 0 || samples == 0) return void(moments = {});
  const long double part = static_cast<long double>(samples) / static_cast<long double>(moments.n);
  moments.sum = static_cast<std::uint64_t>(std::round(static_cast<long double>(moments.sum) * part));
  moments.sum_squares =
      static_cast<unsigned __int128>(std::round(static_cast<long double>(moments.sum_squares) * part));
  moments.n = samples;
}

std::unique_ptr<records::WorkerRecord> record_so_far(const records::WorkerRecord& running, std::uint64_t now_ns) {
  auto copy = std::make_unique<records::WorkerRecord>();
  const records::Phase phase = running.get_phase();
  const bool whole = running.by_priority || running.passed_count > 0 || running.lifetime_blocks > 0;
  copy_words(static_cast<void*>(copy.get()), &running,
             whole ? sizeof running : offsetof(records::WorkerRecord, passed));
  copy->phase.store(static_cast<std::uint32_t>(phase));
  if (phase < records::Phase::running) {
    std::memset(static_cast<void*>(&copy->measured), 0, sizeof copy->measured);
    return copy;
  }
  agree(copy->measured, running.measured);
  for (std::size_t d = 0; whole && d < std::size(running.priorities); ++d)
    for (std::size_t n = 0; n < records::kPriorityRecords; ++n)
      agree(copy->priorities[d][n].sums, running.priorities[d][n].sums, copy->priorities[d][n].counts);
  const std::uint64_t start_ns = copy->start_ns.load();
  const std::uint64_t so_far_ns = start_ns != 0 && now_ns > start_ns ? now_ns - start_ns : 0;
  if (copy->elapsed_ns == 0) copy->elapsed_ns = so_far_ns;
  if (copy->job_ns == 0) copy->job_ns = so_far_ns;
  return copy;
}

result::Job job_so_far(const Worker& member, std::uint32_t index, const result::ClockFacts& clock,
                       const std::string& program, std::uint64_t now_ns) {
  const bool running = member.started && !member.ended;
  if (!running) return collect_job(*member.plan, index, *member.record, member.series, clock, program);
  const auto copy = record_so_far(*member.record, now_ns);
  add_lanes(member, now_ns, *copy);
  if (copy->cpu_wall_s == 0) take_usage(*copy);
  auto job = collect_job(*member.plan, index, *copy, member.series, clock, program);
  job.running = true;
  return job;
}

}  // namespace fathom::run::outcome
