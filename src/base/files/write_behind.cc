// Starts writeback of a quarter of the limit at a time. At the limit, it waits for all started bytes except the last
// quarter of the limit.
#include "base/files/write_behind.h"

#include <fcntl.h>

namespace fathom::base::files {

void WriteBehind::wrote(int fd, std::uint64_t end) {
  written_ = end;
  if (most_dirty_bytes_ == 0) return;
  if (end - begun_ >= most_dirty_bytes_ / 4) {
    ::sync_file_range(fd, static_cast<off64_t>(begun_), static_cast<off64_t>(end - begun_), SYNC_FILE_RANGE_WRITE);
    begun_ = end;
  }
  if (end - waited_ < most_dirty_bytes_) return;
  const std::uint64_t bytes = begun_ - waited_ - most_dirty_bytes_ / 4;
  ::sync_file_range(fd, static_cast<off64_t>(waited_), static_cast<off64_t>(bytes),
                    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
  waited_ += bytes;
}

}  // namespace fathom::base::files
