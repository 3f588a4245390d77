// Facts about a run that its result and the counts lack: the storage that each job's bytes go to. Plain data;
// witness/ collects it from the plans. Thread-safe.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "result/audit.h"

namespace fathom::audit::witnesses {

// One job (by its number in the run) and the storage of its targets.
struct JobReach {
  int job_number = 0;
  std::vector<std::string> disks;       // in the kernel's block layer; empty: its targets are on none
  std::vector<std::string> partitions;  // of these disks, containing all of its targets; empty: not all are on one
  std::vector<std::string> devices;     // driven by its engine, without the kernel
  bool direct = false;                  // bypasses the page cache, and the file system supports it
  bool thread = false;
  bool sync_writes = false;     // every write is a commit (sync=, O_SYNC and O_DSYNC)
  double files = 0;             // number of regular files among its targets
  std::string file_system;      // of these files; empty: several, or unknown
  bool journal = false;         // ext4 with a journal
  bool journals_data = false;   // data=journal: data is written to the journal first
  bool syncs_on_close = false;  // each file, on every close
  bool until_full = false;      // it writes until no space is left: the last I/Os may be partial
  double range_bytes = 0;       // that it may access, of its targets
  double sparse_bytes = 0;      // the part without allocated blocks, at most
  double reserved_bytes = 0;    // the part with blocks that are only reserved: never written
  double compressed_bytes = 0;  // the part that the file system stores compressed
  bool skewed = false;          // it visits some places of the range much more often than others
  double read_ahead_bytes = 0;  // largest of its disks' queues; 0: the kernel's default
  // For a job through the page cache: bounds on what memory served. `cache_known`: the two counts are valid.
  bool cache_known = false;
  double cached_bytes = 0, dirty_bytes = 0;  // of its targets, when the run began
  double visit_bytes = 0;                    // visited once by one pass; 0: some more often, or unknown
  bool mixed = false;                        // reads and writes share the pass
  int files_group = -1;                      // same number: jobs with a file in common
  bool deletes_files = false;                // at its end: data not yet written never will be
  bool perhaps_elsewhere = false;            // files on an overlay with layers on several disks
  bool overlaid = false;                     // with `unfollowed`: an overlay; its layers are charged as any file
  std::string unfollowed;  // why a target that may be on a disk could not be traced to it; empty: all traced
};

// A device of the run on top of others. It passes its I/Os to them.
struct LayerReach {
  std::string upper;               // "loop0"
  std::string kind;                // "loop", "stack" (dm, md), "zram"
  std::vector<std::string> lower;  // whole disks; empty: it is in memory, or the lower disks are unknown
  std::string file;                // backing file of a loop device
  bool cached = false;             // through its own page cache, regardless of the job's options
  double read_ahead_bytes = 0;     // of the lower disks' queues
  double sparse_bytes = 0;         // of the file: bytes without allocated blocks, or with blocks never written
  std::string memory;              // the file system with the file, if it stores all in memory: "tmpfs"
};

// A counter of a PCIe port, and the traffic known to pass there.
struct PortReach {
  std::string subject;                 // the PMU, as Count::subject
  std::string port;                    // address
  std::vector<std::string> disks;      // of the run, behind the port
  std::vector<std::string> devices;    // of the run, behind the port, driven by engines without the kernel
  std::vector<std::string> functions;  // PCI functions of the run, behind the port
  std::vector<std::string> shared;     // other endpoints behind the same port
  double read_overhead_bytes = 0, write_overhead_bytes = 0;  // of commands, in addition to the payload
  std::string overhead_how;
};

struct Facts {
  std::string mode = "auto";
  int own_process = 0;  // fathom's process: workers that are threads submit under it
  std::vector<JobReach> jobs;
  std::vector<LayerReach> layers;       // of all disks of the run; upper before lower
  std::vector<std::string> discarding;  // disks of the run, or below, with a file system mounted with discard
  std::vector<PortReach> ports;
  std::vector<std::string> link_ports;  // ports with a monitored link
  std::vector<result::Missing> missing;
};

}  // namespace fathom::audit::witnesses
