// Many alike pieces of work, each of its own, by as many threads as there are CPUs to run on. Not for what measures: a
// report has nothing running beside it. Eight at most: what a piece holds meanwhile is held as often.
// Thread rule: make(i) is called once for each i below n, in no order, from several threads at a time; all have returned
// when by_cpus() does. One CPU, one piece, or a thread that cannot be had: the calling thread does it.
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
  } catch (const std::system_error&) {  // those that there are do it all
  }
  work();
}

}  // namespace fathom::base::system
