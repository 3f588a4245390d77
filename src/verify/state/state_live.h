// The state of a job during its writes. It is in memory that the worker changes, mapped from a file, and thus survives
// every process of the run, however they end. At the end of the job, fathom converts it to a proper state file. If no
// process was left to do that, the reading job converts it.
//
// The file is in the directory of the state (live_file_name). Its size follows from depth and files, and after its
// creation all writes go through the mapping. rename(2) gives the complete file its name, so a reader never sees half
// of one, and a writer that still runs keeps its mapped file. Its disk space is allocated before the mapping: a full
// disk would cause SIGBUS during the job. A lock shows that the writer runs.
//
// state_snapshot.h has the worker's duties. For the lists here: the worker stores an entry before the number that it
// concerns falls below the count, or leaves its slot. Thread rule: one writer, any number of readers in any process.
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

// Constant while the job runs.
struct LiveJob {
  std::string name;
  std::uint64_t index = 0;  // of all jobs, from 0
  std::uint64_t version = kStateOfFio342;
  std::uint64_t generation = 0;
  std::uint64_t flags = 0;  // of OwnRun, initial values
  std::uint32_t depth = 1, files = 1;
};

class LiveState {
 public:
  static constexpr std::uint32_t kDepthMost = 1u << 16;
  struct FileId {
    std::uint64_t device = 0, inode = 0;
    bool operator==(const FileId&) const = default;
  };

  // Errors: usage: depth above kDepthMost; io: no space, EEXIST: another file has the name, EBUSY: the run that writes
  // it is active; privilege: no permission.
  static base::Expected<LiveState> in_file(const std::string& path, const LiveJob& job);
  // Shared with forked processes; lost with the last of them. Errors: usage: depth above kDepthMost; io: no memory.
  static base::Expected<LiveState> in_memory(const LiveJob& job);
  LiveState(LiveState&& other) noexcept;
  LiveState& operator=(LiveState&&) = delete;
  ~LiveState();

  // For the worker:
  AtomicNumber& issued();
  std::span<AtomicNumber> slots();                                                    // kNoWrite: free
  bool lists_places() const;                                                          // version 3: note_place()
  void note_place(std::uint64_t number, std::uint64_t target, std::uint64_t offset);  // before its count
  void note_first(std::uint64_t number, std::uint64_t hash);  // of the first kFirstRequests; call before they count
  void add_flag(OwnRun::Flag flag);
  // False: the list is full.
  bool add_failed(std::uint64_t number);
  bool add_disordered(std::uint64_t number);
  // Keeps the entries for which keep(position) returns true. It is called with each position in the list, in order.
  template <class Keep>
  void keep_disordered(Keep keep);
  std::size_t list_room() const;

  // Callable at any time, for a running or ended worker.
  State snapshot() const;
  // Removes the file, if it still has its name.
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
  base::system::UniqueFd fd_;  // locked; none: too many descriptors
};

// Errors: io: cannot be opened or read, is not a live state, is truncated, or (EBUSY) its writer runs; privilege: no
// permission.
base::Expected<State> load_live(const std::string& path);

// A concurrent reader retries. If a worker was killed here, readers find duplicate entries.
template <class Keep>
void LiveState::keep_disordered(Keep keep) {
  begin_change();
  std::uint64_t kept = 0;
  for (std::uint64_t i = 0, count = disordered(); i < count; ++i)
    if (keep(i)) put_disordered(kept++, get_disordered(i));
  end_change(kept);
}

}  // namespace fathom::verify::state
