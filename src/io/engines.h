// The engines as data, for code that needs an engine's traits without running it.
// This is the parser, the run that prepares for it, and the audit. No other code distinguishes engines by name.
// Thread rule: constants and pure functions; any thread. No errors.
#pragma once
#include <span>
#include <string_view>

namespace fathom::io {

// One engine. Each trait is false unless its row sets it; trims and keeps_data and needs_files are true.
struct EngineTraits {
  std::string_view name = {};
  std::string_view summary = {};
  // Other names that fio has for the engine, separated by spaces.
  std::string_view spellings = {};
  // iodepth > 1 has an effect; slat is measured.
  bool asynchronous = false;
  // Without direct=1, submission waits for each I/O.
  bool blocks_buffered = false;
  // The I/Os of one descriptor are executed one after the other.
  bool one_io_per_file = false;
  // false: targets have no fd, and no data reaches a disk.
  bool needs_files = true;
  bool connects = false;      // its I/Os go to another process
  bool runs_program = false;  // it runs a program of the user
  // An I/O copies from or to pages of the page cache, with direct=1 too.
  bool maps_files = false;
  // An I/O is a command for the device instead of a read or write of a file.
  bool passes_commands = false;
  bool fake_time = false;  // it runs on a simulated clock
  bool trims = true;       // it supports Dir::trim
  // Its jobs are threads of one process, even if a job requests a process.
  bool threads_only = false;
  // It reads and writes at the file position, and moves this position.
  bool moves_position = false;
  bool shared_buffers = false;  // its buffers must map a file
  bool keeps_data = true;       // a read returns what was written
  // Even a read changes its files, so the run opens the files for writing.
  bool reads_change = false;
  bool atomic_writes = false;  // its writes support RWF_ATOMIC
  bool dsync_writes = false;   // a write with kDataSync is durable when it completes (RWF_DSYNC)
  bool does_nothing = false;   // it measures the program's overhead
  // It submits in the job's thread, and /proc/PID/io of that thread counts its bytes.
  bool own_account = false;
  // Each I/O is an io_uring request, executed by the ring's task or by a worker thread for it.
  bool requests_of_ring = false;
  // Why the kernel's block layer does not see its I/Os as such; empty: it does.
  std::string_view no_block_layer = {};
  // Meaning of EINVAL for the file; empty: no further meaning.
  std::string_view einval_means = {};
  // A result has the traits and the engine's name. The traits follow from the name, so comparison ignores them.
  // A result that was read from a file has only the name.
  friend constexpr bool operator==(const EngineTraits&, const EngineTraits&) { return true; }
};

// The rows of engine_rows.inc, in their order.
std::span<const EngineTraits> engines();
const EngineTraits* find_engine(std::string_view name);  // nullptr: no such engine
// For an unknown engine: the default traits.
const EngineTraits& traits_of(std::string_view engine);

}  // namespace fathom::io
