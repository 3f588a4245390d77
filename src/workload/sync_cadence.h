// Decides when a sync is due. fsync=N, fdatasync=N, write_barrier=N and sync_file_range=...:N request one after every N
// writes of the job, before its next I/O. If several are due at once, each kind comes once, but an fsync replaces the
// fdatasync. A sync goes to the next file in turn, and none follows the last I/O of a job: all as in fio.
// sync_file_range covers the writes to that file since its last one, from the lowest byte to the highest; without such
// writes it is omitted. A barrier is an fdatasync: earlier writes are on the medium before later I/Os begin (fio marks
// the write with a flag that no engine reads). One difference: in a mixed job fio 3.33 syncs again after each read
// until the next write (later versions do not); here a sync is due once. Thread rule: one owner.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "io/request.h"
#include "job/fields/files.h"
#include "job/job.h"

namespace fathom::workload {

class SyncCadence {
 public:
  SyncCadence(const job::Job& job, std::size_t files)
      : fsync_(job.fsync_every),
        fdatasync_(job.fdatasync_every),
        barrier_(job.of<job::fields::FileOptions>().barrier_every),
        range_(job.of<job::fields::FileOptions>().range_sync_every),
        range_flags_(
            static_cast<std::uint8_t>(job.of<job::fields::FileOptions>().range_sync_flags << io::kRangeSyncShift)),
        written_(range_.every == 0 ? 0 : files) {}
  bool used() const { return fsync_.every != 0 || fdatasync_.every != 0 || barrier_.every != 0 || range_.every != 0; }
  bool due() const { return due_ != 0; }

  void wrote(std::uint32_t file, std::uint64_t offset, std::uint32_t length) {
    if (range_.every != 0) written_[file].add(offset, offset + length);
    if (range_.comes()) due_ |= kRange;
    if (fdatasync_.comes()) due_ |= kData;
    if (barrier_.comes()) due_ |= kData;
    if (fsync_.comes()) due_ = static_cast<std::uint8_t>((due_ & ~kData) | kAll);
  }

  // The next sync that is due, for this file. The caller skips a range sync of length 0: its file has no new writes.
  io::Request request(std::uint32_t file) {
    io::Request r{0, 0, 0, static_cast<std::uint16_t>(file), io::Dir::sync, 0};
    if ((due_ & (kAll | kData)) != 0) {
      r.flags = (due_ & kAll) != 0 ? 0 : io::kDataSync;
      due_ &= kRange;
      return r;
    }
    due_ = 0;
    r.flags = range_flags_;
    auto& written = written_[file];
    r.offset = written.from;
    const std::uint64_t length = written.to - std::min(written.from, written.to);
    r.length = static_cast<std::uint32_t>(std::min<std::uint64_t>(length, io::kToTheEnd));
    written = {};
    return r;
  }

 private:
  static constexpr std::uint8_t kAll = 1, kData = 2, kRange = 4;
  struct Every {
    explicit Every(std::uint32_t n) : every(n), left(n) {}
    bool comes() {
      if (every == 0 || --left != 0) return false;
      left = every;
      return true;
    }
    std::uint32_t every, left;
  };
  struct Written {
    std::uint64_t from = ~std::uint64_t{0}, to = 0;
    void add(std::uint64_t begin, std::uint64_t end) {
      from = std::min(from, begin);
      to = std::max(to, end);
    }
  };
  Every fsync_, fdatasync_, barrier_, range_;
  std::uint8_t range_flags_, due_ = 0;
  std::vector<Written> written_;  // by file
};

}  // namespace fathom::workload
