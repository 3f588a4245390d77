// Handles trims, syncs and refused requests outside the queue; see the header.
#include "engine/side_calls.h"

#include <algorithm>

#include "engine/file_ops.h"

namespace fathom::engine {

void SideCalls::open(std::span<const io::Target> targets, std::uint32_t depth) {
  targets_ = targets;
  waiting_.clear();
  done_.clear();
  waiting_.reserve(depth);
  done_.reserve(depth);
}

void SideCalls::push(std::uint32_t slot, const io::Request& request, std::uint32_t ahead) {
  waiting_.push_back({request, slot, ahead});
}

void SideCalls::handed_over(std::uint32_t n) {
  for (Waiting& w : waiting_) w.ahead -= std::min(w.ahead, n);
}

void SideCalls::run_first() {
  const Waiting& first = waiting_.front();
  const io::Target& target = targets_[first.request.target];
  finish(first.slot,
         first.request.dir == io::Dir::trim ? trim_range(target, first.request) : sync_file(target.fd, first.request));
  waiting_.erase(waiting_.begin());
}

std::size_t SideCalls::take(std::span<io::Completion> out) {
  const std::size_t n = std::min(out.size(), done_.size());
  std::copy_n(done_.begin(), n, out.begin());
  done_.erase(done_.begin(), done_.begin() + static_cast<std::ptrdiff_t>(n));
  return n;
}

}  // namespace fathom::engine
