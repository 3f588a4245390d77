// The BPF programs of the latency breakdown (split.bpf.c), loaded into the kernel and attached to its tracepoints, and
// the memory that they share with the job's loops. Loading takes some 40 ms, attaching and detaching less than one
// each. Everything ends with the process, at the latest: links hold programs, descriptors hold links.
// Errors: this program was built without them (no clang, no libbpf-dev); libbpf does not exist; no permission (CAP_BPF
// and CAP_PERFMON, or root, and no lockdown); a kernel without BTF; the verifier's message. Thread rule: one thread.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "pmu/trace/programs/bpf_call.h"
#include "split/recorder.h"

namespace fathom::pmu::trace::programs {

constexpr std::size_t kMostDisks = 8;
struct Wanted {
  std::uint32_t slots = 1;  // I/Os in flight of all workers together
  std::uint32_t workers = 1;
  std::uint32_t largest_io_bytes = 0;  // of the jobs
  bool any_long = true;                // some I/O may be found by its granule (split::by_granule)
  bool requests = true;                // some device makes requests
  // Tracepoints that only some jobs need, so that the others avoid their cost. A tracepoint that the kernel lacks is
  // not used.
  bool submissions = false;  // io_uring: for I/Os without a known location, and for fsync
  bool dirty = false;        // buffered writes: waiting for write-back
  bool journal = false;      // commits of ext4's journal, and which of them an fsync needs
  bool log = false;          // writes of xfs' log
  // Disks with recorded read-ahead, as region.h numbers disks; kMostDisks at most.
  std::vector<std::uint32_t> disks = {};
};

class SplitPrograms {
 public:
  static base::Expected<std::unique_ptr<SplitPrograms>> load(const Wanted& wanted);
  static base::Expected<std::unique_ptr<SplitPrograms>> load_classic(const Wanted& wanted);  // even if there is BTF
  ~SplitPrograms();
  SplitPrograms(const SplitPrograms&) = delete;

  const fathom::split::Region& region() const;
  base::Expected<void> attach();
  void detach();
  static void let_go_in_fork();      // releases what a fork of the process inherited, so that detach() takes effect
  bool follows_submissions() const;  // of io_uring
  bool follows_journal() const;
  bool follows_syncs() const;  // which commit an fsync of ext4 needs
  bool follows_log() const;
  // "BTF programs", or "BPF programs" on classic tracepoints, which provide less (split_classic.bpf.c).
  const char* events_by() const;
  double point_ns() const;  // cost of passing a tracepoint, as measured once (docs/dev/performance.md)
  std::vector<std::string> tracepoints() const;  // "block:block_rq_issue", ...
  // From here until a call with false, the kernel measures the run time of the programs.
  void measure(bool on);
  RunTime run_time() const;           // of all together, while measured
  std::uint64_t no_room() const;      // bios that found no room in the programs' table
  std::uint64_t beyond() const;       // requests with more bios than are followed
  std::uint64_t missed_runs() const;  // not run, because another program was running on the CPU

 private:
  struct State;
  static base::Expected<std::unique_ptr<SplitPrograms>> load_some(const Wanted& wanted, bool classic);
  explicit SplitPrograms(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fathom::pmu::trace::programs
