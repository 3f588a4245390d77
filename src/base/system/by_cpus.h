// Runs many similar, independent pieces of work, with one thread per usable CPU. Not for use during a measurement: in a
// report, no measurement runs at the same time. At most eight threads, because each holds the memory of its piece.
// Thread rule: make(i) is called once for each i below n, in no order, from several threads at a time. All calls have
// returned when by_cpus() returns. The calling thread does the work if there is one CPU, one piece, or a thread cannot
// be created.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#include "base/system/affinity.h"

namespace fathom::base::system {

template <class Make>
void by_cpus(std::size_t n, const Make& make) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < n; i = next++) make(i);
  };
  constexpr std::size_t kMost = 8;
  const std::size_t threads = std::min(n, std::clamp<std::size_t>(allowed_cpus().size(), 1, kMost));
  std::vector<std::jthread> others;
  try {
    while (others.size() + 1 < threads) others.emplace_back(work);
  } catch (const std::system_error&) {  // the existing threads do all the work
  }
  work();
}

}  // namespace fathom::base::system
