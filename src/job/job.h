// A job as plain data: what one worker has to do, every option resolved. Made by job/ from text, immutable afterwards.
// Sizes in bytes, durations in ns unless the name says otherwise. An option that few ask for has a file and a struct of
// its own (OfJob).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bag.h"
#include "base/error.h"
#include "io/engine_options.h"
#include "io/mode.h"
#include "io/request.h"
#include "pattern/spec.h"

namespace fathom::job {

using io::PerDir;

// A size that may be a percentage of the file or device.
struct SizeOrPercent {
  std::uint64_t bytes = 0;
  double percent = 0;  // > 0: use this
  bool set = false;
};

struct BlockSplit {  // one entry of bssplit
  std::uint64_t bytes = 0;
  double percent = 0;  // resolved: the entries of a direction sum to 100
};

enum class Sequencer : std::uint8_t { sequential, identical };
enum class Fallocate : std::uint8_t { none, native, posix, keep, truncate };
enum class ClockSource : std::uint8_t { automatic, cpu, clock_gettime, gettimeofday };
enum class SyncMode : std::uint8_t { none, sync, dsync };
enum class Fill : std::uint8_t { stamped, random };  // what writes and laid-out files hold

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): of what copies its arrays
struct Job {
  // identity
  std::string name;
  std::string section_name;  // names its files, as in fio; `name=` inside the section changes only the name
  std::string description;
  int group_id = 0;
  int subjob = 0;                          // 0-based number within numjobs ($jobnum)
  std::optional<base::SourcePlace> place;  // the section's header, or the --name that opened it
  std::optional<base::SourcePlace> directory_place, filename_place;  // their values, where they were written
  int section = 0;  // which job section of the file this came from; numjobs clones share it
  std::vector<std::pair<std::string, std::string>>
      echo;  // canonical name, value as written (of a bare key nothing); without global options
  std::vector<std::pair<std::string, std::string>> seeds;  // options that it did not have: a repetition's own

  // what to do
  io::Mode mode;
  std::string rw_name = "read";  // canonical
  Sequencer sequencer = Sequencer::sequential;
  PerDir<std::uint64_t> bs_min{4096, 4096, 4096}, bs_max{4096, 4096, 4096};
  PerDir<std::vector<BlockSplit>> bssplit;
  bool bs_unaligned = false;
  PerDir<std::uint64_t> blockalign{0, 0, 0};  // 0: bs_min
  unsigned rwmix_read_percent = 50;
  pattern::Spec distribution[io::kDataDirs];
  bool norandommap = false;
  bool randrepeat = true;
  std::uint64_t randseed = 0;                          // 0: not given
  std::uint64_t number_ios = 0;                        // 0: no limit
  std::uint32_t fsync_every = 0, fdatasync_every = 0;  // writes between two syncs; 0: none
  bool end_fsync = false;

  // where
  std::vector<std::string> filenames;    // `filename=`, split at ':' (escaped \: kept), variables resolved
  std::vector<std::string> directories;  // `directory=`, split at ':'
  std::string filename_format;           // empty: $jobname.$jobnum.$filenum
  std::uint32_t nrfiles = 1;
  SizeOrPercent size;  // total over all files
  SizeOrPercent io_size;
  std::uint64_t filesize_min = 0, filesize_max = 0;  // 0: size / nrfiles
  SizeOrPercent offset, offset_increment;
  Fallocate fallocate = Fallocate::native;
  bool overwrite = false;
  bool unlink = false;
  bool create_only = false;
  bool allow_mounted_write = false;
  bool allow_file_create = true;
  bool readonly = false;  // --readonly on the command line

  // how
  std::string ioengine = "psync";
  io::EngineOptions engine;
  std::uint32_t iodepth = 1;
  bool depth_per_file = false;  // iodepth is of each file
  std::uint32_t iodepth_batch = 1;
  std::uint32_t iodepth_batch_complete_min = 1;  // 0: poll
  std::uint32_t iodepth_batch_complete_max = 0;  // 0: as min
  std::uint32_t iodepth_low = 0;                 // 0: as iodepth
  bool direct = false;
  SyncMode sync_mode = SyncMode::none;
  Fill fill = Fill::stamped;
  bool invalidate = true;
  bool thread = false;

  // when
  std::uint64_t runtime_ns = 0;  // 0: no limit
  bool time_based = false;
  std::uint64_t ramp_ns = 0;
  std::uint64_t startdelay_ns = 0;
  std::uint64_t loops = 1;
  bool stonewall = false;  // waits for everything before it
  bool exitall = false;

  // verification
  bool verify = false;  // by which method: job/fields/verify.h
  bool do_verify = true;
  bool verify_fatal = false;
  bool verify_only = false;
  std::uint64_t verify_interval = 0;  // bytes a header stands for; of a job that verifies never 0

  // pacing
  PerDir<std::uint64_t> rate_bytes_per_s{};  // 0: not paced
  PerDir<std::uint32_t> rate_iops{};         // 0: not paced
  std::uint64_t thinktime_ns = 0, thinktime_spin_ns = 0;
  std::uint32_t thinktime_blocks = 1;
  // Not by its directions alone: verify_only reads back what an earlier run of the same directions wrote.
  bool changes_targets() const { return mode.destructive() && !verify_only; }
  bool paced() const {
    for (std::size_t d = 0; d < io::kDataDirs; ++d)
      if (rate_bytes_per_s[d] || rate_iops[d]) return true;
    return false;
  }

  // measuring
  bool group_reporting = false;
  bool disable_lat = false, disable_clat = false, disable_slat = false, disable_bw = false;
  bool gtod_reduce = false;
  bool lat_percentiles = false, clat_percentiles = true, slat_percentiles = false;
  std::vector<double> percentile_list{1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};
  ClockSource clocksource = ClockSource::automatic;
  bool fio_stamps = false;  // --stamps=fio

  // options that were accepted and have no effect here: each becomes a finding
  std::vector<std::string> ignored;
  // how the text was understood where a reader may expect otherwise (4KiB is 4000 bytes in fio): each becomes a finding
  std::vector<std::string> notes;

  base::Bag own;
  template <class T>
  const T& of() const {
    return own.get<T>();
  }
};

// What the struct of an option derives from: its row finds it in the job, and so does who asks for it, by its type.
struct OfJob {
  using KeptIn = Job;
};

// All that one invocation asks for: jobs in order, numjobs already multiplied out.
struct JobSet {
  std::vector<Job> jobs;
  std::vector<std::pair<std::string, std::string>> global_echo;  // [global] of the last file, canonical names
};

}  // namespace fathom::job
