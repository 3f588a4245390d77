// A job as plain data: the work of one worker, with every option resolved.
// job/ makes it from text. It is immutable afterwards.
// Sizes are in bytes, and durations in ns, unless the name has another unit.
// A rarely used option has a separate file and struct (OfJob).
// Thread rule: immutable plain data; any thread. No errors.
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

// One entry of bssplit.
struct BlockSplit {
  std::uint64_t bytes = 0;
  // Resolved: the entries of a direction sum to 100.
  double percent = 0;
};

enum class Sequencer : std::uint8_t { sequential, identical };
enum class Fallocate : std::uint8_t { none, native, posix, keep, truncate };
enum class ClockSource : std::uint8_t { automatic, cpu, clock_gettime, gettimeofday };
enum class SyncMode : std::uint8_t { none, sync, dsync };
// Contents of writes and laid-out files.
enum class Fill : std::uint8_t { stamped, random };

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): for the code that copies its arrays
struct Job {
  // identity
  std::string name;
  // Names its files, as in fio. `name=` inside the section changes only the name.
  std::string section_name;
  std::string description;
  int group_id = 0;
  int subjob = 0;  // number within numjobs, from 0 ($jobnum)
  // The section's header, or the --name that started the job.
  std::optional<base::SourcePlace> place;
  // The places of their values.
  std::optional<base::SourcePlace> directory_place, filename_place;
  // The job section of the file that this job is from. numjobs clones share it.
  int section = 0;
  // Canonical name, value as written (empty for a key without a value); without global options.
  std::vector<std::pair<std::string, std::string>> echo;
  // The options of [global] that applied to this job, if these differ from the set's global_echo: a later [global] or
  // job file followed.
  std::optional<std::vector<std::pair<std::string, std::string>>> own_global_echo;
  // Options that the job did not have; a repetition adds them.
  std::vector<std::pair<std::string, std::string>> seeds;

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
  std::uint64_t randseed = 0;    // 0: not given
  std::uint64_t number_ios = 0;  // 0: no limit
  // Writes between two syncs; 0: no sync.
  std::uint32_t fsync_every = 0, fdatasync_every = 0;
  bool end_fsync = false;

  // where
  // `filename=`, split at ':' (escaped \: kept), with variables resolved.
  std::vector<std::string> filenames;
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
  bool depth_per_file = false;  // iodepth applies to each file
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
  bool stonewall = false;  // waits for all jobs before it
  bool exitall = false;

  // verification
  bool verify = false;  // method: job/fields/verify.h
  bool do_verify = true;
  bool verify_fatal = false;
  bool verify_only = false;
  // Bytes that one header covers. Never 0 in a job that verifies.
  std::uint64_t verify_interval = 0;

  // pacing
  PerDir<std::uint64_t> rate_bytes_per_s{};  // 0: not paced
  PerDir<std::uint32_t> rate_iops{};         // 0: not paced
  std::uint64_t thinktime_ns = 0, thinktime_spin_ns = 0;
  std::uint32_t thinktime_blocks = 1;
  bool replays = false;  // its I/Os come from a trace (fields::Replay), at the recorded times
  // The directions alone do not determine this: verify_only reads back what an earlier run of the same directions
  // wrote.
  bool changes_targets() const { return mode.destructive() && !verify_only; }
  bool paced() const {
    if (replays) return true;
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

  // accepted options without effect here: each becomes a finding
  std::vector<std::string> ignored;
  // interpretations that a reader may not expect (4KiB is 4000 bytes in fio): each becomes a finding
  std::vector<std::string> notes;

  base::Bag own;
  template <class T>
  const T& of() const {
    return own.get<T>();
  }
};

// Base of an option's struct. The option's row, and code that needs the struct, find it in the job by its type.
struct OfJob {
  using KeptIn = Job;
};

// All jobs of one invocation, in order, with numjobs expanded.
struct JobSet {
  std::vector<Job> jobs;
  // [global] of the last file, canonical names.
  std::vector<std::pair<std::string, std::string>> global_echo;
};

}  // namespace fathom::job
