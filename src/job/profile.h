// profile=: fio's predefined workloads. A profile has options of its own, which stand beside it on the command line or in
// [global], and stands for jobs, which are written here as the text of a job file and read like any other: what other
// options stand beside it counts for all of them. Pure but for the reading.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "job/command.h"
#include "job/section.h"

namespace fathom::job {

// Aerospike's certification of a device: reads at a rate, while large blocks are written.
struct ActProfile {
  std::string devices;  // separated by commas
  std::uint64_t load = 1, duration_s = 86'400, threads = 8, read_blocks = 3, large_kib = 131072;
  bool prep = false;
};
// Reads and writes, in order and at random, over four files.
struct TiobenchProfile {
  std::uint64_t size_mib = 0;  // 0: four times the memory
  std::uint64_t block_bytes = 4096, runs = 1, threads = 1;
  std::string directory = "./";
};

std::string act_jobs(const ActProfile& act);
std::string tiobench_jobs(const TiobenchProfile& tio, std::uint64_t memory_mib);

// The sections as they are, or where one of them names a profile what it stands for; `name` is then which.
base::Expected<std::vector<Section>> in_place_of_profile(std::vector<Section> sections, const Environment& env,
                                                         std::string& name);

}  // namespace fathom::job
