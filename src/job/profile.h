// profile=: fio's predefined workloads. A profile's own options are given with it on the command line or in [global]. A
// profile creates jobs. Their source is here, as the text of a job file, and is parsed like any other. Other options
// given with the profile apply to all its jobs. Pure, except for the parsing.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "job/command.h"
#include "job/section.h"

namespace fathom::job {

// Aerospike's certification of a device: reads at a fixed rate during large-block writes.
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

// Returns the sections unchanged, or with the jobs of the profile that one of them names. Then `name` is the profile.
base::Expected<std::vector<Section>> in_place_of_profile(std::vector<Section> sections, const Environment& env,
                                                         std::string& name);

}  // namespace fathom::job
