// The engines as data, for all who have to know what an engine is like and may not see it at work: the parser, the run
// that prepares for it, the audit. Nobody else tells engines apart by their names.
#pragma once
#include <span>
#include <string_view>

namespace fathom::io {

struct EngineTraits {
  std::string_view name = {};
  std::string_view summary = {};
  std::string_view spellings = {};       // other names that fio has for it, separated by spaces
  bool asynchronous = false;             // iodepth > 1 means something; slat is measured
  bool blocks_buffered = false;          // without direct=1 its submission waits for each I/O
  bool one_io_per_file = false;          // the I/Os of one descriptor are done one after the other
  bool needs_files = true;               // false: targets have no fd, and nothing reaches a disk
  bool connects = false;                 // its I/Os go to another process
  bool runs_program = false;             // what it does is a program of the user's
  bool maps_files = false;               // an I/O is a copy from or to the page cache's own pages, with direct=1 too
  bool passes_commands = false;          // an I/O is a command for the device, not a read or a write of a file
  bool fake_time = false;                // runs on its own clock
  bool trims = true;                     // can do Dir::trim
  bool threads_only = false;             // its jobs are threads of one process, whatever they ask for
  bool moves_position = false;           // reads and writes where its file stands, and moves that
  bool shared_buffers = false;           // its buffers must be mappings of a file
  bool keeps_data = true;                // what is read is what was written
  bool reads_change = false;             // even a read changes its files: they are opened for it
  bool atomic_writes = false;            // its writes can carry RWF_ATOMIC
  bool does_nothing = false;             // what it measures is the program
  bool own_account = false;              // submits in its job's thread, whose /proc/PID/io says what it moved
  bool requests_of_ring = false;         // each I/O is one of io_uring's, done by its task or by a worker for it
  std::string_view no_block_layer = {};  // why the kernel's block layer does not see its I/Os as such; empty: it does
  std::string_view einval_means = {};    // what a failure with EINVAL says of the file; empty: nothing more
  // A result holds them beside the engine's name, from which they follow; one that was read from a file has the name.
  friend constexpr bool operator==(const EngineTraits&, const EngineTraits&) { return true; }
};

// The rows of engine_rows.inc, in their order.
std::span<const EngineTraits> engines();
const EngineTraits* find_engine(std::string_view name);  // nullptr: no such engine
const EngineTraits& traits_of(std::string_view engine);  // of one that there is not: what has no trait

}  // namespace fathom::io
