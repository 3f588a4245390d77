// Repeating a job's writes.
#include "workload/read_back.h"

namespace fathom::workload {

// Passes as the loop makes them (run/loop_core.h).
std::size_t ReadBack::next_of_stream(std::span<io::Request> out) {
  if (over_) return 0;
  std::size_t made = stream_.next(out);
  if (made == 0 && stream_.begin_pass()) made = stream_.next(out);
  over_ = made == 0;
  return made;
}

std::size_t ReadBack::next(std::span<io::Request> out) {
  out = out.first(kBlock);
  std::size_t kept = 0;
  while (kept == 0 && writes_left_ > 0) {
    const std::size_t made = next_of_stream(out);
    if (made == 0) break;
    for (std::size_t i = 0; i < made && writes_left_ > 0; ++i) {
      if (out[i].dir != io::Dir::write) continue;
      io::Request read = out[i];
      read.dir = io::Dir::read;
      --writes_left_;
      io::note_write(read, number_);
      if (!wanted_ || wanted_(read, number_)) out[kept++] = read;
      ++number_;
    }
  }
  return kept;
}

}  // namespace fathom::workload
