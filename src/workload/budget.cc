// Computes the bytes to move from size, io_size, loops and number_ios.
#include "workload/budget.h"

#include <limits>

namespace fathom::workload {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return product > kUnlimited ? kUnlimited : static_cast<std::uint64_t>(product);
}

std::uint64_t size_of(const job::Job& job, std::uint64_t window_bytes) {
  if (!job.size.set || job.size.percent > 0) return window_bytes;
  return std::min(job.size.bytes, window_bytes);
}

std::uint64_t io_size_of(const job::Job& job, std::uint64_t size) {
  if (!job.io_size.set) return 0;
  if (job.io_size.percent <= 0) return job.io_size.bytes;
  return static_cast<std::uint64_t>(static_cast<long double>(size) * job.io_size.percent / 100);
}

}  // namespace

std::uint64_t bytes_to_move(const job::Job& job, std::uint64_t window_bytes, std::uint32_t largest) {
  if (job.time_based) return 0;
  const std::uint64_t passes = times(std::max<std::uint64_t>(job.loops, 1), job.mode.trim_then_write ? 2 : 1);
  const std::uint64_t size = size_of(job, window_bytes), io_size = io_size_of(job, size);
  const std::uint64_t bytes = times(io_size != 0 ? io_size : size, passes);
  return job.number_ios == 0 ? bytes : std::min(bytes, times(times(job.number_ios, passes), largest));
}

Budget::Budget(const job::Job& job, std::uint64_t window_bytes, std::uint32_t largest, bool in_passes)
    : trim_then_write_(job.mode.trim_then_write),
      time_based_(job.time_based),
      wraps_in_run_(false),
      loops_(std::max<std::uint64_t>(job.loops, 1)),
      largest_(largest) {
  const std::uint64_t size = size_of(job, window_bytes);
  io_size_ = io_size_of(job, size);
  const std::uint64_t limit = io_size_ != 0 ? io_size_ : size;
  wraps_in_run_ = job.mode.mixed() && !job.mode.random && io_size_ > size;
  const bool unmapped_writer = job.mode.writes && job.mode.random && job.norandommap;
  run_bytes_ = wraps_in_run_ || unmapped_writer ? std::max(size, io_size_) : size;
  pass_bytes_ = limit;
  if (trim_then_write_) {
    run_bytes_ += times(limit, loops_);
    pass_bytes_ = times(limit, 2);
  }
  const std::uint64_t most_ios = times(times(job.number_ios, loops_), trim_then_write_ ? 2 : 1);
  if (job.number_ios != 0) pass_bytes_ = std::min(pass_bytes_, times(job.number_ios, largest));
  total_left_ = times(limit, loops_);
  ios_left_ = job.number_ios != 0 ? most_ios : kUnlimited;
  if (time_based_) total_left_ = ios_left_ = kUnlimited;
  if (time_based_) run_bytes_ = in_passes ? std::max(size, io_size_) : kUnlimited;
  run_left_ = run_bytes_;
}

std::uint64_t Budget::room(std::uint32_t bytes, std::uint64_t wanted) const {
  const std::uint64_t bytes_left = std::min(run_left_, total_left_);
  wanted = std::min(wanted, ios_left_);
  if (bytes_left >= times(wanted, bytes)) return wanted;
  return std::min(wanted, (bytes_left + bytes - 1) / bytes);
}

void Budget::count_many(std::uint32_t bytes, std::uint64_t requests) {
  const std::uint64_t moved = bytes * requests;
  run_left_ -= std::min(run_left_, moved);
  total_left_ -= std::min(total_left_, moved);
  ios_left_ -= requests;
  done_ += moved;
}

void Budget::begin_pass() {
  ++passes_;
  run_left_ = run_bytes_;
  done_at_run_start_ = done_;
}

bool Budget::begin_further_run() {
  const bool wanted =
      !time_based_ && passes_ >= loops_ && io_size_ != 0 && done_ < io_size_ && io_size_ - done_ >= largest_;
  const bool progress = done_ > done_at_run_start_;
  if (!wanted || !progress || total_left_ == 0 || ios_left_ == 0) return false;
  run_left_ = run_bytes_;
  done_at_run_start_ = done_;
  return true;
}

}  // namespace fathom::workload
