// A verify state: what a job that wrote tells the job that reads back, so that a write which never ended is not taken
// for a lost one. The bytes are fio's, so either program can verify what the other has written: versions 3 (fio 3.33)
// and 5 (fio 3.42) are written, 3 to 7 are read. A state comes from outside and may be torn or made on purpose: nothing
// in it is believed before its size agrees with the bytes that are there, and no memory is taken by its own word.
// Source: state_layout.h. Thread rule: functions without shared state, any thread; save and load of one path from
// several threads or processes are safe.
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

inline constexpr std::uint64_t kStateOfFio333 = 3, kStateOfFio342 = 5;  // what is written

// Larger files are not read: a depth of 1024 in 4096 files.
inline constexpr std::size_t kStateBytesMost = std::size_t{64} << 20;

// A write that completed: which of the job's files, from 0, and the byte where it began.
struct CompletedWrite {
  std::uint64_t file = 0, offset = 0;
  bool operator==(const CompletedWrite&) const = default;
};

struct State {
  std::uint64_t version = kStateOfFio342;
  std::string job_name;                                // up to 63 bytes; a longer one is cut
  std::uint64_t job_index = 0;                         // of all jobs, from 0
  std::uint64_t writes_issued = 0;                     // so numberio is 0 to writes_issued - 1
  std::uint32_t depth = 1;                             // of the job; version 7: and the writes that failed
  bool wide_generator = false;                         // 64-bit words
  std::array<std::byte, kGeneratorBytes> generator{};  // fio's offset generator; nobody needs it
  // Versions 3 and 4.
  std::uint32_t files = 1;
  std::uint32_t kept_per_file = 0;        // 0: as many as the depth, which is all that version 3 has
  std::vector<CompletedWrite> completed;  // for each file its latest, newest first; those in use only
  // Versions 5 to 7: `depth` of them, the numberio of the write in each slot, kNoWrite where there is none. Shorter
  // when it is to be written: the others are empty.
  std::vector<std::uint64_t> slots;
  std::optional<OwnRun> own;  // of a state that fathom saved: it stands behind fio's part

  bool lists_offsets() const { return version <= 4; }
  bool operator==(const State&) const = default;
};

// Whether a file begins as a state of any program does.
bool is_state(std::string_view head);

// Errors (io; `what` is fio's text without "fio: ", `cause` says what is wrong): not a version that is read, shorter
// than it says, a wrong checksum, lists that do not fit the payload. Of what stands behind the payload only our own part is looked at.
base::Expected<State> parse_state(std::span<const std::byte> file);

// The file of state.version, 3 or 5. Errors (usage): another version, more entries than depth and files allow, or more
// than kStateBytesMost.
base::Expected<std::vector<std::byte>> format_state(const State& state);

// What is odd about a state that was found under the name of this job, in words; empty when it is this job's. fio
// looks at the file's name only.
std::string of_another_job(const State& state, const std::string& job_name, std::uint64_t job_index);

// Safe: who is stopped, killed or out of room in the middle leaves what was there before. When it returns the state is
// on the medium, as far as the folder lets itself be synced. Mode 0644. Errors: of format_state; refused: a
// file that is no state lies there; io, with the system call's errno, fio's text and what became of the file.
base::Expected<void> save_state(const std::string& path, const State& state);
// Whether a state file may take the name: no file, a regular one or a link has it; a device, a pipe or a socket
// stays.
bool may_be_replaced(const std::string& path);

// Errors: of parse_state; io when it cannot be opened or read, is no regular file, or is above kStateBytesMost.
base::Expected<State> load_state(const std::string& path);

}  // namespace fathom::verify::state
