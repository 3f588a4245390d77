// A verify state: the information that a writing job passes to the reading job, so that an unfinished write does not
// count as lost. The format is fio's, so either program can verify the data of the other: fathom writes versions 3 (fio
// 3.33) and 5 (fio 3.42), and reads 3 to 7. The input is untrusted: it may be torn or forged. The parser uses no value
// before its size agrees with the available bytes, and allocates no memory on the word of the file.
// Source: state_layout.h. Thread rule: functions without shared state, any thread. Several threads or processes may
// save and load one path.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "verify/state/state_layout.h"
#include "verify/state/state_own.h"

namespace fathom::verify::state {

inline constexpr std::uint64_t kNoWrite = ~std::uint64_t{0};  // a slot without a write

inline constexpr std::uint64_t kStateOfFio333 = 3, kStateOfFio342 = 5;  // the written versions

// Maximum size of a file that is read: enough for a depth of 1024 in 4096 files.
inline constexpr std::size_t kStateBytesMost = std::size_t{64} << 20;

// A completed write: index of the file in the job, from 0, and start offset in bytes.
struct CompletedWrite {
  std::uint64_t file = 0, offset = 0;
  bool operator==(const CompletedWrite&) const = default;
};

struct State {
  std::uint64_t version = kStateOfFio342;
  std::string job_name;                                // up to 63 bytes; longer names are cut
  std::uint64_t job_index = 0;                         // of all jobs, from 0
  std::uint64_t writes_issued = 0;                     // so numberio is 0 to writes_issued - 1
  std::uint32_t depth = 1;                             // of the job; version 7: plus the failed writes
  bool wide_generator = false;                         // 64-bit words
  std::array<std::byte, kGeneratorBytes> generator{};  // fio's offset generator; unused
  // Versions 3 and 4:
  std::uint32_t files = 1;
  std::uint32_t kept_per_file = 0;        // 0: the depth, the only value in version 3
  std::vector<CompletedWrite> completed;  // the latest of each file, newest first; used entries only
  // Versions 5 to 7: `depth` entries with the numberio of the write in each slot; kNoWrite: free slot. A list to be
  // written may be shorter: the other slots are free.
  std::vector<std::uint64_t> slots;
  std::optional<OwnRun> own;  // only in states that fathom saved, behind fio's part

  bool lists_offsets() const { return version <= 4; }
  bool operator==(const State&) const = default;
};

// True if a file begins like a state of any program.
bool is_state(std::string_view head);

// Errors (io; `what` is fio's text without "fio: ", `cause` is the reason): unsupported version, file shorter than
// stated, wrong checksum, lists that do not fit the payload. Behind the payload, only fathom's own part is parsed.
base::Expected<State> parse_state(std::span<const std::byte> file);

// The file contents for state.version, 3 or 5. Errors (usage): another version, more entries than depth and files
// allow, or more than kStateBytesMost.
base::Expected<std::vector<std::byte>> format_state(const State& state);

// Describes why a state found under the name of this job belongs to another job; empty: it is this job's. fio checks
// only the file name.
std::string of_another_job(const State& state, const std::string& job_name, std::uint64_t job_index);

// Saves atomically: if the process is stopped, killed or out of space midway, the previous file remains. On return the
// state is on the medium, as far as the directory can be synced. Mode 0644. Errors: those of format_state; refused: a
// file that is not a state has the name; io, with the system call's errno, fio's text and what became of the file.
base::Expected<void> save_state(const std::string& path, const State& state);
// True if a state file may take the name: the name is free, or belongs to a regular file or a link. A device, pipe or
// socket stays.
bool may_be_replaced(const std::string& path);

// Errors: those of parse_state; io: cannot be opened or read, is not a regular file, or exceeds kStateBytesMost.
base::Expected<State> load_state(const std::string& path);

}  // namespace fathom::verify::state
