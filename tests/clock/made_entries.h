// Entries as a test on made-up CPUs would record them: a true time that passes from entry to entry, and for each CPU an
// offset and a drift that its counter has against it.
#pragma once
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "clock/cores/entries.h"

namespace fathom::clock {

struct MadeCpu {
  unsigned cpu = 0;
  std::int64_t offset = 0;
  double drift_ppm = 0;
};

struct MadeTest {
  std::vector<MadeCpu> cpus;
  std::uint32_t entries = 4000;
  std::uint64_t least_gap = 100, spread = 100;  // true time between entries
  std::uint64_t start = 1ull << 40;

  std::vector<std::vector<cores::Entry>> record(unsigned seed = 1) const {
    std::mt19937_64 random(seed);
    std::vector<std::vector<cores::Entry>> streams(cpus.size());
    std::uint64_t time = start;
    for (std::uint32_t s = 0; s < entries * cpus.size(); ++s) {
      time += least_gap + (spread == 0 ? 0 : random() % spread);
      const std::size_t i = random() % cpus.size();
      const auto drift = static_cast<std::int64_t>(static_cast<double>(time - start) * cpus[i].drift_ppm * 1e-6);
      streams[i].push_back({s, cpus[i].cpu, time + static_cast<std::uint64_t>(cpus[i].offset + drift)});
    }
    return streams;
  }
};

// The sequence going from CPU to CPU along `path`, over and over; path holds places in `cpus`.
inline std::vector<std::vector<cores::Entry>> along(std::span<const MadeCpu> cpus, std::span<const std::size_t> path,
                                                    std::uint32_t rounds, std::uint64_t gap) {
  std::vector<std::vector<cores::Entry>> streams(cpus.size());
  std::uint64_t time = 1ull << 40;
  std::uint32_t sequence = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (const std::size_t i : path)
      streams[i].push_back({sequence++, cpus[i].cpu, (time += gap) + static_cast<std::uint64_t>(cpus[i].offset)});
  }
  return streams;
}

}  // namespace fathom::clock
