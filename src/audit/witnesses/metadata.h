// The bytes that a file system charges to the writer of a file, and writes to its disk, in addition to the file's data.
// They come in blocks per extent and per commit, not as a share of the bytes. Measured: docs/reference/audit.md,
// section "Metadata". Pure; thread-safe.
#pragma once

namespace fathom::audit::witnesses {

struct JobPair;

// Bounds, in bytes.
struct Metadata {
  double charged_bytes = 0;  // to the writer; each block counts once
  double again_bytes = 0;    // for each time these blocks became clean in between: already written to the disk
  double disk_bytes = 0;     // written to the disk
  void add(const Metadata& other);
};
// commits: fsync and the like, and writes with O_SYNC.
Metadata metadata_of(const JobPair& pair, double commits);

}  // namespace fathom::audit::witnesses
