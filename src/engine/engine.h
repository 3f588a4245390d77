// The interface of an engine, which submits and reaps batches of I/Os.
// An engine never accesses the Job, takes timestamps, counts or prints.
// The loop of run/ is a template over the concrete class. No call is virtual for null, io_uring, nvme and sim.
// All other engines with a queue receive whole batches through one class (batch.h).
// Those with one system call per I/O share another class, with one function pointer (syscall_engine.h).
//
// An engine class E with a queue has:
//   base::Expected<void> open(const Setup&);
//       Allocates everything; no later call allocates.
//   void post(uint32_t slot, const io::Request&, std::byte* buffer);
//       Queues one request locally, without a system call. At most Setup::depth requests are in flight.
//   int ring(unsigned wait_for = 0);
//       Submits all posted requests with one system call. Returns the number of requests taken, or -errno.
//       If it takes fewer, the rest remains posted: call ring() again.
//       -EAGAIN: reap a completion, then call ring() again; no request is lost.
//       A trim (and libaio's sync) is an ordinary system call inside ring(), in its place in the order, as in fio.
//       wait_for: the caller will next wait for this number of completions. An engine may wait in the same call
//         (io_uring).
//   int reap(unsigned min, std::span<io::Completion> out);
//       Waits until at least min requests have finished (min 0: polls). Returns the number written to `out`.
//       -errno: failure. -EINTR: a signal arrived first; the caller decides what to do.
//   void close();
//       No I/O may be in flight any more.
// A synchronous engine completes an I/O before its call returns (null at iodepth=1, sync, psync, pvsync2, mmap).
// It has open(), close() and
//   int32_t do_one(const io::Request&, std::byte* buffer);
//       Returns the bytes moved, -errno, kNothingMoved or kWorkIsDone.
// Such an engine may have
//   base::Expected<void> begin();
//       Called when every job of the stage is open and the start was given.
//       For an engine that must find the others there (a connection), or must not begin earlier (a program).
// An engine may declare these traits, as static constexpr bool:
//   kNeverFails      no I/O is refused, fails or is cut short
//   kWholeOrNothing  an I/O is complete or has no effect: its results are 0 or -errno
//   kPolls           reap() polls the engine's queue, and may return from a wait without a completion
//                    ring() takes all requests, whatever it returns; the engine also has
//     void clear_counts();             the measured part begins
//     QueueCounts counts() const;      counters besides the I/Os (queue_counts.h)
//     void wait();                     polls until a completion is available, or for a limited time; reaps nothing
//     void idle();                     the caller found its queue empty while it polled others too
// Thread rule: one owner thread at a time. The worker creates and uses the engine.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "io/engine_options.h"
#include "io/request.h"
#include "io/target.h"
#include "io/trim_ranges.h"

namespace fathom::engine {

// What a target can do, as far as it is not a file of the kernel. Sizes are in bytes; 0: no limit, or unknown.
struct Abilities {
  bool writes = true, trims = true;
  bool syncs = true;                  // makes completed writes durable
  bool durable_writes = true;         // sync=1
  bool syncs_ranges = true;           // sync_file_range=
  std::uint64_t largest_bytes = 0;    // of a request
  std::uint32_t preferred_bytes = 0;  // whole blocks of this size are efficient
  std::uint32_t most_in_flight = 0;   // of a queue
  std::uint32_t most_queues = 0;      // at the same time: each job has one, a job with io_submit_mode=offload iodepth
};

// An engine's facts about a target that is not a file, before the job is planned.
struct TargetFacts {
  io::TargetKind kind = io::TargetKind::device;
  std::uint64_t size_bytes = 0;
  std::uint32_t block_bytes = 1;  // offsets and lengths are multiples
  bool harmless = false;          // a write destroys no user data
  // A read returns what was written, so verify= is meaningful.
  bool keeps_data = true;
  Abilities abilities = {};
  std::string about = {};  // the library of the engine and its version; empty: the engine is part of fathom
  // A file that the engine creates and extends, when it is opened for writes.
  bool is_file = false;
  bool exists = true;
};

// Results of a finished request besides bytes or an error.
// kNothingMoved: the request had no data to move (a chunk of CPU time).
// kWorkIsDone: no further request follows (the peer has closed the connection, the program has ended).
inline constexpr std::int32_t kNothingMoved = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int32_t kWorkIsDone = kNothingMoved + 1;

// RWF_ATOMIC: a write is complete, has no effect, or fails. Linux 6.11; older headers lack it.
inline constexpr int kAtomicWrite = 0x40;

// RWF_DSYNC for a write that asks for it.
inline int write_through_of(const io::Request& request) {
  constexpr int kWriteThrough = 2;
  return request.dir == io::Dir::write && (request.flags & io::kDataSync) != 0 ? kWriteThrough : 0;
}

// Facts about the job for engines that wait, start programs or talk to another job.
struct JobFacts {
  std::string name;
  std::uint32_t subjob = 0;
  bool reads = true, writes = false, trims = false, random = false;
  bool atomic = false;           // writes carry kAtomicWrite
  bool dsync = false;            // some writes have io::kDataSync
  std::uint64_t runtime_ns = 0;  // 0: no limit
  std::uint64_t size_bytes = 0;
  std::uint32_t block_bytes = 0;       // of the smallest request
  std::uint64_t largest_bytes = 0;     // of a read or write; a trim moves no data
  std::vector<std::string> filenames;  // as written
  // If not 0, return from any wait.
  const std::atomic<std::uint32_t>* stop = nullptr;
  // Counter of requests that were sent to the engine and did not arrive.
  std::uint64_t* dropped_ios = nullptr;
  // The engine writes here why an I/O failed, as far as errno does not state it. Text, terminated by 0.
  std::span<char> refusal = {};
  // nullptr: a trim has one range, that of its request.
  io::TrimRanges* trim_ranges = nullptr;
  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed) != 0; }
};

// Arguments of open().
struct Setup {
  io::EngineOptions options;
  std::span<const io::Target> targets;  // outlive the engine
  std::uint32_t depth = 1;              // maximum requests in flight
  // `depth` buffers, `buffer_stride` bytes apart, page-aligned. Slot i uses buffer i.
  std::byte* buffers = nullptr;
  std::size_t buffer_stride = 0;
  // The file that the buffers map (io::EngineTraits::shared_buffers); -1: no file.
  int buffers_fd = -1;
  std::uint64_t buffers_fd_offset = 0;
  JobFacts job = {};
};

// A device's description from when it was opened, for reports.
// It sends no command, so it also describes a device that has failed since.
struct DeviceText {
  std::string model, serial, firmware;
  // false: it completes commands and moves no data
  bool keeps_data = true;
};

class BatchEngine;

// Functions of an engine with a filename= that does not name files of the kernel.
// split_names: splits names joined by colons; nullptr: as for files.
// look_at: the facts about one target.
// describe: the description of an open target; nullopt: not open; nullptr: the engine keeps no description.
struct Targets {
  base::Expected<std::vector<std::string>> (*split_names)(std::string_view joined);
  base::Expected<TargetFacts> (*look_at)(const std::string& name, const io::EngineOptions& options);
  std::optional<DeviceText> (*describe)(const std::string& name) = nullptr;
  // The file in which the device keeps its blocks; empty: no file.
  std::string (*file_of)(const std::string& name) = nullptr;
  // The target that an option of the engine names; empty: filename= names the targets.
  std::string (*named_by)(const io::EngineOptions& options) = nullptr;
  // The URL below which filename= names files; empty: the targets are not files.
  std::string (*directory)(const io::EngineOptions& options) = nullptr;
  // An engine of its own, to fill files with.
  std::unique_ptr<BatchEngine> (*make)() = nullptr;
};
// nullptr: the engine's targets are files, or it has no targets.
const Targets* targets_of(std::string_view engine);

// A file that a job's engine writes in addition to its targets.
struct FileBeside {
  std::string path;
  // An existing file that is not empty needs the user's consent.
  bool keeps_foreign = false;
};
std::vector<FileBeside> files_beside(std::string_view engine, const io::EngineOptions& options, const std::string& job,
                                     std::span<const std::string> targets);

}  // namespace fathom::engine
