// What a file system charges to whoever writes a file, and what it writes to its disk, beside the bytes it was given. It
// comes in blocks for each extent and each commit, not as a share of the bytes. Measured: docs/reference/audit.md,
// section "Metadata". Pure; thread-safe.
#pragma once

namespace fathom::audit::witnesses {

struct JobPair;

// Bounds, in bytes.
struct Metadata {
  double charged_bytes = 0;  // to the writer, each block once
  double again_bytes = 0;    // for each time that these blocks became clean in between: the disk had them
  double disk_bytes = 0;     // that the disk was given
  void add(const Metadata& other);
};
// commits: fsync and the like, writes with O_SYNC.
Metadata metadata_of(const JobPair& pair, double commits);

}  // namespace fathom::audit::witnesses
