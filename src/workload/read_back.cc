// Generates a job's writes again.
#include "workload/read_back.h"

#include <algorithm>

namespace fathom::workload {

// The stream's next write. Passes begin as in the loop (run/loop/loop_core.h).
const io::Request* ReadBack::peek() {
  while (!over_) {
    for (; at_ < made_ && block_[at_].dir != io::Dir::write; ++at_)
      if (block_[at_].dir != io::Dir::sync) ++generated_[io::index(block_[at_].dir)];
    if (at_ < made_) return &block_[at_];
    at_ = 0;
    made_ = requests_->next(block_);
    if (made_ == 0 && requests_->begin_pass()) made_ = requests_->next(block_);
    over_ = made_ == 0;
  }
  return nullptr;
}

std::optional<io::Request> ReadBack::next_below(std::uint64_t number) {
  number = std::min(number, writes_most_);
  while (number_ < number) {
    const io::Request* const write = peek();
    if (write == nullptr) return std::nullopt;
    ++at_;
    ++generated_[io::index(io::Dir::write)];
    io::Request read = *write;
    read.dir = io::Dir::read;
    io::note_write(read, number_++);
    if (!wanted_ || wanted_(read, io::noted_write(read))) return read;
  }
  return std::nullopt;
}

std::size_t ReadBack::next(std::span<io::Request> out) {
  std::size_t made = 0;
  for (; made < kBlock; ++made) {
    const auto read = next_below(writes_most_);
    if (!read) break;
    out[made] = *read;
  }
  return made;
}

}  // namespace fathom::workload
