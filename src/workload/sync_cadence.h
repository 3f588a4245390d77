// When a sync is due: fsync=N and fdatasync=N ask for one after every N writes of the job, before its next I/O; when
// both fall due at once there is one fsync. It goes to the next file in turn, and none follows the last I/O of a job:
// all as fio. One difference: in a mixed job fio 3.33 syncs again after each read until the next write (later versions
// do not); here a sync is due once. Thread rule: one owner.
#pragma once
#include <cstdint>

#include "job/job.h"

namespace fathom::workload {

class SyncCadence {
 public:
  enum class Due : std::uint8_t { none, fsync, fdatasync };
  explicit SyncCadence(const job::Job& job)
      : fsync_every_(job.fsync_every),
        fdatasync_every_(job.fdatasync_every),
        fsync_in_(fsync_every_),
        fdatasync_in_(fdatasync_every_) {}
  bool used() const { return fsync_every_ != 0 || fdatasync_every_ != 0; }
  Due due() const { return due_; }
  void synced() { due_ = Due::none; }
  void wrote() {
    if (fdatasync_every_ != 0 && --fdatasync_in_ == 0) {
      fdatasync_in_ = fdatasync_every_;
      due_ = Due::fdatasync;
    }
    if (fsync_every_ != 0 && --fsync_in_ == 0) {
      fsync_in_ = fsync_every_;
      due_ = Due::fsync;
    }
  }

 private:
  std::uint32_t fsync_every_, fdatasync_every_, fsync_in_, fdatasync_in_;
  Due due_ = Due::none;
};

}  // namespace fathom::workload
