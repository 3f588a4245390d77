// Derives files and devices from a job's names and sizes: the path, the required size, and the window that the job may
// touch. Examines the file system and changes nothing. The sizes are fio's (filesetup): `size` is divided among the
// files, a file must hold offset + size, and a device or existing file without size= is used whole. filesize= gives the
// end of each file: the window then reaches from offset to that end, size= in bytes only limits the bytes moved, and
// size=N% takes that part of the file from the offset on.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "engine/engine.h"
#include "io/target.h"
#include "job/job.h"
#include "run/replay/trace_facts.h"

namespace fathom::run::files {

struct PlannedTarget {
  std::string path;
  io::TargetKind kind = io::TargetKind::none;
  bool exists = false;
  std::uint64_t size_now = 0;     // bytes it holds now
  std::uint64_t size_needed = 0;  // bytes that it must hold (regular files)
  std::uint64_t start = 0, length = 0;
  std::uint32_t block_bytes = 1;  // devices that the engine accesses itself: unit of offsets and lengths
  bool harmless = false;          // a write to it destroys no data
  std::uint64_t size_then = 0;    // bytes it holds when the job begins, if an earlier job of the run lays it out
  bool read_again = false;        // an earlier job writes it first: the window is computed again when this job begins
  engine::Abilities abilities = {};  // of such devices
  std::string about = {};
  bool open_ended = false;   // then it ends where the file ends; else at size_then: a later job may lay out more
  bool engine_file = false;  // of kind device: a file that the engine creates and extends, for example on a server
};

// The used part of a file: jobs that share it are examined once.
struct UsedPart {
  std::string path;
  std::uint64_t start = 0, length = 0;
  bool operator<(const UsedPart& o) const {
    return std::tie(path, start, length) < std::tie(o.path, o.start, o.length);
  }
};
inline UsedPart used_part(const PlannedTarget& t) { return {t.path, t.start, t.length}; }

// filename=-: standard input, or standard output for a job that writes.
inline bool is_standard(const std::string& path) { return path == "-"; }

// A job and its targets.
struct Plan {
  job::Job job;
  std::vector<PlannedTarget> targets;
  std::uint64_t generation = 1;                    // the run's, for the headers of its writes (verify=)
  bool others_write_there = false;                 // another job writes the same locations at the same time (verify=)
  std::optional<base::Error> failed;               // its setup failed: it has no targets and does not run
  std::shared_ptr<replay::Trace> trace = nullptr;  // read_iolog
};

// Checks that the target opened under this name may be written; called before the first write to it, in any thread of
// any process of the run. Empty: always allowed.
using DescriptorLook = std::function<base::Expected<void>(const std::string& path, int fd)>;

// Effect of earlier jobs of the run on a file: the bytes that they lay out (0: none, or unknown), whether one of them
// has written it when the job begins, and whether its end is unknown until then.
struct MadeBefore {
  std::uint64_t size = 0;
  bool written = false, open_ended = false;
};
using EarlierLook = std::function<MadeBefore(const std::string& path)>;

// ErrorKind::usage if the job cannot do any I/O (no size, offset beyond the end, missing file that may not be created).
// earlier: empty for the first job.
base::Expected<Plan> plan_targets(const job::Job& job, const EarlierLook& earlier = {});
// Call when the job begins: the windows of files that an earlier job wrote (read_again) end where the file ends now.
base::Expected<void> find_windows(Plan& plan);
// The usage error `job has nothing to do`, with its cause and help.
base::Error nothing_to_do(const job::Job& job, std::string cause, std::string help);
std::uint64_t smallest_block(const job::Job& job);
// Of its reads and writes: a trim has no buffer.
std::uint64_t largest_block(const job::Job& job);

// fill_device=1: the length of the file is unknown until no space is left.
bool fills_device(const job::Job& job, const PlannedTarget& target);
// file_append=1: the window begins at the current end of the file.
void follow_end(const job::Job& job, PlannedTarget& target);

// Refuses a directory= that does not exist, and does not create it. As in fio, this ends the run.
base::Expected<void> check_directories(const job::Job& job);

// The size of an existing regular file or block device. A missing file: exists is false.
base::Expected<PlannedTarget> look_at(const std::string& path);
// Whether the file exists now, and its size: a regular file, or one of the job's engine (engine_file).
base::Expected<PlannedTarget> look_again(const job::Job& job, const PlannedTarget& target);

}  // namespace fathom::run::files
