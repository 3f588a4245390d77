// write_*_log= and log_*=: the logs that a job writes, and their contents.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/job.h"

namespace fathom::job::fields {

enum class WindowValue : std::uint8_t { average, maximum, both };

struct Logs : OfJob {
  // Prefix of the file names; empty: the job's name. nullopt: no such log.
  std::optional<std::string> bw, iops, lat, hist;
  bool per_job = true;         // false: jobs of one name append to one file
  std::uint64_t avg_msec = 0;  // 0: a row for each I/O
  WindowValue window_value = WindowValue::average;
  bool offset = false, prio = false, issue_time = false;
  bool alternate_epoch = false;
  std::uint32_t epoch_clock = 0;  // clockid_t
  std::uint64_t hist_msec = 0;
  unsigned hist_coarseness = 0;
  std::uint64_t entries = 1024;       // rows allocated at first
  std::uint64_t compression = 0;      // bytes of rows compressed at a time; 0: no compression
  std::vector<int> compression_cpus;  // empty: all
  bool store_compressed = false;
  std::string iolog;  // write_iolog=: a trace of the job's I/Os; empty: none
  bool any() const { return bw || iops || lat || hist || !iolog.empty(); }
  bool rows_of_ios() const { return bw || iops || lat; }
};

}  // namespace fathom::job::fields
