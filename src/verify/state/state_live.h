// The state of a job while it writes: in memory that the worker changes and that lies in a file, so that it outlives
// every process of the run, however they end. A proper state file is made of it when the job is over; when nobody was
// left to do that, whoever reads back makes it of the file himself.
//
// The file lies beside the state (live_file_name), has a size that follows from depth and files, and is never written
// to but through the mapping. It takes its name whole, by rename(2): a reader sees no half of one, and a writer that is
// still there keeps the file that it has mapped. Its room is taken before it is mapped, for a full disk would be a
// SIGBUS in the middle of the job. A lock says that its writer lives.
//
// What the worker owes is said in state_snapshot.h, and for the lists here: an entry is there before the number that it
// is about is below the count, or out of its slot. Thread rule: one writer, any number of readers in any process.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"
#include "base/system/fd.h"
#include "verify/state/state_file.h"
#include "verify/state/state_snapshot.h"

namespace fathom::verify::state {

// "X-verify.state" to "X-verify.live".
std::string live_file_name(const std::string& state_file);

// What does not change while the job runs.
struct LiveJob {
  std::string name;
  std::uint64_t index = 0;  // of all jobs, from 0
  std::uint64_t version = kStateOfFio342;
  std::uint64_t generation = 0;
  std::uint64_t flags = 0;  // of OwnRun, as they are at the start
  std::uint32_t depth = 1, files = 1;
};

class LiveState {
 public:
  static constexpr std::uint32_t kDepthMost = 1u << 16;
  struct FileId {
    std::uint64_t device = 0, inode = 0;
    bool operator==(const FileId&) const = default;
  };

  // Errors (io): no room, no permission, or (EBUSY) another run that lives keeps this file.
  static base::Expected<LiveState> in_file(const std::string& path, const LiveJob& job);
  // Seen by forked processes, and gone with the last of them.
  static base::Expected<LiveState> in_memory(const LiveJob& job);
  LiveState(LiveState&& other) noexcept;
  LiveState& operator=(LiveState&&) = delete;
  ~LiveState();

  // For the worker.
  AtomicNumber& issued();
  std::span<AtomicNumber> slots();                                                    // kNoWrite: free
  bool lists_places() const;                                                          // version 3: note_place()
  void note_place(std::uint64_t number, std::uint64_t target, std::uint64_t offset);  // of a write, before its count
  void note_first(std::uint64_t number, std::uint64_t hash);  // of the first kFirstRequests, before their count
  void add_flag(OwnRun::Flag flag);
  // False: there is no room.
  bool add_failed(std::uint64_t number);
  bool add_disordered(std::uint64_t number);
  // Keeps those of the list for which it says yes. keep: called with each one's place in the list, in order.
  template <class Keep>
  void keep_disordered(Keep keep);
  std::size_t list_room() const;

  // At any time, of a worker that runs or has ended.
  State snapshot() const;
  // The file gives its name up, if it still has it.
  void remove();
  const std::string& path() const { return path_; }  // empty: in memory

 private:
  LiveState(std::uint64_t* words, std::size_t count, std::string path, base::system::UniqueFd fd);
  AtomicNumber* at(std::size_t word) const;
  void begin_change();
  void end_change(std::uint64_t count);
  std::uint64_t disordered() const;
  std::uint64_t get_disordered(std::uint64_t place) const;
  void put_disordered(std::uint64_t place, std::uint64_t number);

  std::uint64_t* words_ = nullptr;
  std::size_t count_ = 0;
  std::string path_;
  FileId id_;
  base::system::UniqueFd fd_;  // locked; none: there were too many
};

// Errors (io): it cannot be opened or read, is none, is not whole, or (EBUSY) its writer lives.
base::Expected<State> load_live(const std::string& path);

// A reader that comes in the middle of it looks again; one of a worker that was killed there finds entries twice.
template <class Keep>
void LiveState::keep_disordered(Keep keep) {
  begin_change();
  std::uint64_t kept = 0;
  for (std::uint64_t i = 0, count = disordered(); i < count; ++i)
    if (keep(i)) put_disordered(kept++, get_disordered(i));
  end_change(kept);
}

}  // namespace fathom::verify::state
