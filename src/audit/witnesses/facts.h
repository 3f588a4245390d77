// What the audit has to know of a run beyond its result and the witnesses' counts: which job's bytes go where. Plain
// data; cli/ collects it from the plans. Thread-safe.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "result/audit.h"

namespace fathom::audit::witnesses {

// One job (by its number in the run) and the storage under its targets.
struct JobReach {
  int job_number = 0;
  std::vector<std::string> disks;       // of the kernel's block layer; empty: none is under its targets
  std::vector<std::string> partitions;  // of these disks, which hold all of its targets; empty: not all are on one
  std::vector<std::string> devices;     // that its engine drives itself
  bool direct = false;                  // past the page cache, and the file system does it
  bool thread = false;
  bool sync_writes = false;     // every write is a commit (sync=, O_SYNC and O_DSYNC)
  double files = 0;             // regular files among its targets
  std::string file_system;      // that holds these; empty: several, or not known
  bool journal = false;         // of ext4: it has one
  bool journals_data = false;   // data=journal: what is written goes to the journal first
  bool syncs_on_close = false;  // each of its files, whenever it closes one
  bool until_full = false;      // it writes until no space is left: the last I/Os may be written in part
  double range_bytes = 0;       // of them that it may touch
  double sparse_bytes = 0;      // of these that no block is allocated for, at most
  double reserved_bytes = 0;    // of these whose blocks are only reserved: nothing was ever written there
  double compressed_bytes = 0;  // of these that the file system stores compressed
  bool skewed = false;          // it visits some places of the range much more often than others
  double read_ahead_bytes = 0;  // of its disks' queues, the largest; 0: the kernel's default
  // Of a job through the page cache, what bounds that memory served it. `cache_known`: the two counts were had.
  bool cache_known = false;
  double cached_bytes = 0, dirty_bytes = 0;  // of its targets, when the run began
  double visit_bytes = 0;                    // that one pass visits, each of them once; 0: some more often, or unknown
  bool mixed = false;                        // reads and writes share the pass
  int files_group = -1;                      // jobs with a file in common have the same one
  bool deletes_files = false;                // when it ends: what is not written yet never will be
  bool perhaps_elsewhere = false;            // files of an overlay, whose layers lie on several disks
  bool overlaid = false;                     // unfollowed: an overlay, whose layers charge as any file does
  std::string unfollowed;  // why a target that may well lie on a disk could not be followed to it; empty: none
};

// A device of the run that lies on others: what it is asked for it asks them for.
struct LayerReach {
  std::string upper;               // "loop0"
  std::string kind;                // "loop", "stack" (dm, md), "zram"
  std::vector<std::string> lower;  // whole disks; empty: it lies in memory, or nobody knows on what
  std::string file;                // of a loop device
  bool cached = false;             // through a page cache of its own, whatever the job asked for
  double read_ahead_bytes = 0;     // of the lower disks' queues
  double sparse_bytes = 0;         // of the file, that no block is allocated for, or one that was never written
  std::string memory;              // the file system that holds the file, where it keeps all in memory: "tmpfs"
};

// A counter of a PCIe port, and what is known to pass there.
struct PortReach {
  std::string subject;                                       // the PMU, as Count::subject
  std::string port;                                          // address
  std::vector<std::string> disks;                            // of the run behind it
  std::vector<std::string> devices;                          // of the run behind it that engines drive themselves
  std::vector<std::string> functions;                        // PCI functions of the run behind it
  std::vector<std::string> shared;                           // other endpoints behind the same port
  double read_overhead_bytes = 0, write_overhead_bytes = 0;  // of commands, beside the payload
  std::string overhead_how;
};

struct Facts {
  std::string mode = "auto";
  int own_process = 0;  // fathom's: workers that are threads submit under it
  std::vector<JobReach> jobs;
  std::vector<LayerReach> layers;       // of all disks of the run, the upper before the lower
  std::vector<std::string> discarding;  // disks of the run, or below, with a file system that is mounted with discard
  std::vector<PortReach> ports;
  std::vector<std::string> link_ports;  // whose link was looked at
  std::vector<result::Missing> missing;
};

}  // namespace fathom::audit::witnesses
