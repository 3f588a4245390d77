// From a job's names and sizes to the files and devices that it works on: where each is, how large it has to be, and
// which window of it the job may touch. Looks at the file system and changes nothing; the sizes are fio's (filesetup):
// `size` is shared out over the files, a file must hold offset + size, a device or existing file without size= is used
// whole. filesize= says where each file ends: the window is what lies between offset and there, size= in bytes then
// only bounds how much is moved, and size=N% takes that part of the file from the offset on.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "engine/engine.h"
#include "io/target.h"
#include "job/job.h"

namespace fathom::run::files {

struct PlannedTarget {
  std::string path;
  io::TargetKind kind = io::TargetKind::none;
  bool exists = false;
  std::uint64_t size_now = 0;     // bytes it holds now
  std::uint64_t size_needed = 0;  // bytes that it has to hold (regular files)
  std::uint64_t start = 0, length = 0;
  std::uint32_t block_bytes = 1;  // devices that the engine reaches itself: what offsets and lengths are multiples of
  bool harmless = false;          // writing to it destroys nobody's data
  std::uint64_t size_then = 0;    // bytes it holds when the job begins, where an earlier job of the run lays it out
  bool read_again = false;        // an earlier job writes it first: the window is looked for again when this job begins
  bool open_ended = false;  // then it ends where the file ends; else at size_then, for a later job may lay out more
};

// The part of a file that is used: jobs that share it are looked at once.
struct UsedPart {
  std::string path;
  std::uint64_t start = 0, length = 0;
  bool operator<(const UsedPart& o) const {
    return std::tie(path, start, length) < std::tie(o.path, o.start, o.length);
  }
};
inline UsedPart used_part(const PlannedTarget& t) { return {t.path, t.start, t.length}; }

// filename=-: standard input, or output of a job that writes.
inline bool is_standard(const std::string& path) { return path == "-"; }

// A job and its targets.
struct Plan {
  job::Job job;
  std::vector<PlannedTarget> targets;
  std::uint64_t generation = 1;       // of the run, in the headers of what it writes (verify=)
  bool others_write_there = false;    // another job writes the same places at the same time (verify=)
  std::optional<base::Error> failed;  // its set-up failed: it has no targets and does not run
};

// Whether the target opened under this name may be written, asked before the first write to it. Any thread of any
// process of the run; empty: always.
using DescriptorLook = std::function<base::Expected<void>(const std::string& path, int fd)>;

// What earlier jobs of the run make of a file: the bytes that they lay out (0: none, or not known yet), whether one of
// them has written it by the time that the job begins, and whether only then it is known how far.
struct MadeBefore {
  std::uint64_t size = 0;
  bool written = false, open_ended = false;
};
using EarlierLook = std::function<MadeBefore(const std::string& path)>;

// ErrorKind::usage when the job cannot have anything to do (no size, offset beyond the end, missing file that may not
// be made). earlier: empty where the job is the first.
base::Expected<Plan> plan_targets(const job::Job& job, const EarlierLook& earlier = {});
// When the job begins: windows of what an earlier job has written (read_again) end where the file ends now.
base::Expected<void> find_windows(Plan& plan);
// The user's mistake: `job has nothing to do`, and why.
base::Error nothing_to_do(const job::Job& job, std::string cause, std::string help);
std::uint64_t smallest_block(const job::Job& job);

// fill_device=1: how long the file gets is not known before there is no space left.
bool fills_device(const job::Job& job, const PlannedTarget& target);
// file_append=1: the window begins where the file ends now.
void follow_end(const job::Job& job, PlannedTarget& target);

// A mistyped directory= is not made, it is refused: a mistake in the text, which ends the run as in fio.
base::Expected<void> check_directories(const job::Job& job);

// Size of an existing regular file or block device; kind none when it does not exist.
base::Expected<PlannedTarget> look_at(const std::string& path);

}  // namespace fathom::run::files
