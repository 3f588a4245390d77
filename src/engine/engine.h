// What an engine is: something that submits a batch and reaps a batch. Engines never see the Job, never stamp time,
// never count or print. run/'s loop is a template over the concrete class, so none of these calls is virtual for null,
// io_uring, nvme and sim. All others with a queue are handed whole batches behind one class (batch.h), and those that
// make a system call an I/O share another (syscall_engine.h) with one function pointer.
//
// An engine class E with a queue has:
//   base::Expected<void> open(const Setup&);
//       allocate everything; nothing allocates afterwards
//   void post(uint32_t slot, const io::Request&, std::byte* buffer);
//       queue one request locally; no system call; at most Setup::depth in flight
//   int ring(unsigned wait_for = 0);
//       hand over everything posted: one system call; how many were taken, or -errno. Fewer than posted: the rest stays
//       posted, ring() again. -EAGAIN: reap something, then ring() again; nothing is lost. A trim (and libaio's sync)
//       is an ordinary system call inside ring(), in its place in the order, as in fio. wait_for: the caller is going
//       to wait for so many completions next; an engine that can do both in one call may (io_uring)
//   int reap(unsigned min, std::span<io::Completion> out);
//       wait until at least min have finished (min 0: look, do not wait), hand out at most out.size(). -errno on
//       failure; -EINTR when a signal came first (the caller decides)
//   void close();
//       no I/O is in flight any more
// One whose I/O is over when its call returns (null at iodepth=1, sync, psync, pvsync2, mmap) has open(), close() and
//   int32_t do_one(const io::Request&, std::byte* buffer);
//       bytes moved, -errno, kNothingMoved or kWorkIsDone
// and may have
//   base::Expected<void> begin();
//       every job of the stage has been opened and the start was given: what has to find the others there (a
//       connection), or may not begin before (a program)
// What an engine may say of itself, as static constexpr bool:
//   kNeverFails      it never refuses, fails or cuts short
//   kWholeOrNothing  it moves an I/O whole or not at all: its results are 0 or -errno
//   kPolls           its reap() polls a queue of its own, and may come back from a wait with nothing; its ring() takes
//                    all, whatever it returns; and it has
//     void clear_counts();             the measured part begins
//     QueueCounts counts() const;      what it did beside the I/Os (queue_counts.h)
//     void wait();                     looks until something can be reaped, or for a while; takes nothing
//     void idle();                     its queue was looked at in vain while others were too
// Thread rule: one owner a time; made and used in the worker.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
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

// What an engine says of a target that is no file before the job is planned.
struct TargetFacts {
  io::TargetKind kind = io::TargetKind::device;
  std::uint64_t size_bytes = 0;
  std::uint32_t block_bytes = 1;  // offsets and lengths are its multiples
  bool harmless = false;          // writing to it destroys nobody's data
  bool keeps_data = true;         // what is read is what was written: verify= means something
};

// What a request that is over may be beside bytes or an error: nothing was to be moved (a chunk of CPU time), and that
// there will not be another (the other end has closed, the program has ended).
inline constexpr std::int32_t kNothingMoved = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int32_t kWorkIsDone = kNothingMoved + 1;

// What few engines ask of their job beside its options: those that wait, start programs, or talk to another job.
// RWF_ATOMIC: a write is all there or not at all, or fails. Linux 6.11; older headers lack it.
inline constexpr int kAtomicWrite = 0x40;

struct JobFacts {
  std::string name;
  std::uint32_t subjob = 0;
  bool reads = true, writes = false, trims = false, random = false;
  bool atomic = false;           // writes carry kAtomicWrite
  std::uint64_t runtime_ns = 0;  // 0: no limit
  std::uint64_t size_bytes = 0;
  std::uint32_t block_bytes = 0;                     // of the smallest request
  std::vector<std::string> filenames;                // as they were written
  const std::atomic<std::uint32_t>* stop = nullptr;  // not 0: come back from whatever is waited for
  std::uint64_t* dropped_ios = nullptr;              // counts what was sent to the engine and did not arrive
  std::span<char> refusal = {};  // of an I/O that fails: why, as far as its errno does not say it. Text, ended by 0
  io::TrimRanges* trim_ranges = nullptr;  // null: a trim has one range, that of its request
  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed) != 0; }
};

struct Setup {
  io::EngineOptions options;
  std::span<const io::Target> targets;  // outlives the engine
  std::uint32_t depth = 1;              // most requests in flight
  std::byte* buffers = nullptr;  // `depth` buffers, `buffer_stride` bytes apart, page-aligned; slot i uses buffer i
  std::size_t buffer_stride = 0;
  int buffers_fd = -1;  // of the file that the buffers are a mapping of (io::EngineTraits::shared_buffers)
  std::uint64_t buffers_fd_offset = 0;
  JobFacts job = {};
};

// What a device said of itself when it was opened, for reports: no command is sent, so one that has failed since is
// described too.
struct DeviceText {
  std::string model, serial, firmware;
  bool keeps_data = true;  // false: it completes commands and moves nothing
};

// An engine whose filename= names no files of the kernel's: how names that were joined by colons come apart (nullptr:
// as files' do), what one of them is, and what it said of itself (nullopt: it is not open; nullptr: no
// such thing is kept).
struct Targets {
  base::Expected<std::vector<std::string>> (*split_names)(std::string_view joined);
  base::Expected<TargetFacts> (*look_at)(const std::string& name, const io::EngineOptions& options);
  std::optional<DeviceText> (*describe)(const std::string& name) = nullptr;
  std::string (*file_of)(const std::string& name) = nullptr;  // in which the device keeps its blocks; empty: none
};
const Targets* targets_of(std::string_view engine);  // nullptr: its targets are files, or none

// A file that a job's engine writes beside its targets.
struct FileBeside {
  std::string path;
  bool keeps_foreign = false;  // one that is there and holds something is not taken without being asked
};
std::vector<FileBeside> files_beside(std::string_view engine, const io::EngineOptions& options, const std::string& job,
                                     std::span<const std::string> targets);

}  // namespace fathom::engine
