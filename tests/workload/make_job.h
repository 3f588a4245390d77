// Jobs and targets for the tests of the request stream, said in few words.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "io/request.h"
#include "io/target.h"
#include "job/job.h"
#include "workload/stream.h"

namespace fathom::workload::testing {

constexpr std::uint64_t k = 1024;

inline job::Job make_job(const std::string& rw, std::uint64_t size, std::uint64_t bs = 4 * k) {
  job::Job job;
  const bool random = rw.starts_with("rand");
  const std::string base = random ? rw.substr(4) : rw;
  job.rw_name = rw;
  job.mode = {};
  job.mode.random = random;
  job.mode.reads = base == "read" || base == "rw";
  job.mode.writes = base == "write" || base == "rw" || base == "trimwrite";
  job.mode.trims = base == "trim" || base == "trimwrite";
  job.mode.trim_then_write = base == "trimwrite";
  job.bs_min.fill(bs);
  job.bs_max.fill(bs);
  job.size = {size, 0, true};
  return job;
}

// `count` files that share the job's size, as the run lays them out.
inline std::vector<io::Target> make_targets(const job::Job& job, std::uint32_t count = 1) {
  io::Target target;
  target.size = target.length = job.size.bytes / count;
  return std::vector<io::Target>(count, target);
}
inline std::vector<io::Target> window(std::uint64_t file_size, std::uint64_t start, std::uint64_t length) {
  io::Target target;
  target.size = file_size;
  target.start = start;
  target.length = length;
  return {target};
}

// All requests of all passes, driven as run/ drives a stream; at most `most`.
inline std::vector<io::Request> all_requests(const job::Job& job, const std::vector<io::Target>& targets,
                                             std::uint32_t job_index = 0, std::size_t most = 1 << 20) {
  Stream stream(job, targets, job_index);
  std::vector<io::Request> requests;
  io::Request block[64];
  for (bool restarted = false; requests.size() < most;) {
    const std::size_t n = stream.next(block);
    requests.insert(requests.end(), block, block + n);
    if (n == 0 && restarted) break;
    restarted = n == 0;
    if (n != 0) continue;
    if (!stream.begin_pass()) break;
  }
  if (requests.size() > most) requests.resize(most);
  return requests;
}

// "r0+4 w4+4 s": direction, offset and length in KiB; with several files "1:r0+4".
inline std::string log_of(const std::vector<io::Request>& requests, bool several = false) {
  std::string log;
  for (const auto& request : requests) {
    if (!log.empty()) log += ' ';
    if (several) log += std::to_string(request.target) + ":";
    if (request.dir == io::Dir::sync) {
      log += (request.flags & io::kDataSync) != 0 ? "d" : "s";
      continue;
    }
    log += io::name(request.dir)[0];
    log += std::to_string(request.offset / k) + "+" + std::to_string(request.length / k);
  }
  return log;
}

}  // namespace fathom::workload::testing
