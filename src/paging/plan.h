// The plan of a `fathom paging` measurement: what to measure and under which conditions. Plain data, made by
// paging_job/ from either command line.
#pragma once
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "clock/sources/source.h"

namespace fathom::paging {

enum class Memory : std::uint8_t { anonymous, file_private, file_shared, memfd, hugetlb };
constexpr const char* name(Memory m) {
  constexpr const char* names[] = {"anonymous", "file_private", "file_shared", "memfd", "hugetlb"};
  return names[static_cast<int>(m)];
}
enum class Thp : std::uint8_t { system, always, never };
// none: the accesses themselves touch pages first. random: truly random bytes. compressible: `fill_percent` of each
// page compresses away. zero: touched, all zero. legacy: what pmbench -i writes, one byte of four.
enum class Fill : std::uint8_t { none, zero, random, compressible, legacy };
constexpr const char* name(Fill f) {
  constexpr const char* names[] = {"none", "zero", "random", "compressible", "legacy"};
  return names[static_cast<int>(f)];
}

struct RegionPlan {
  Memory memory = Memory::anonymous;
  // file_private, file_shared: an existing file is mapped. Otherwise a nameless file is made in its directory (or in
  // `file`, if that is a directory), and disappears with the region.
  std::string file;
  bool overwrite_file = false;  // file_shared: the content of an existing file may be destroyed
  bool drop_cached = false;     // drop the file's cached pages before the run; if they stay, the run does not begin
  std::uint64_t map_bytes = 256ull << 20, set_bytes = 128ull << 20;
  Thp thp = Thp::system;
  std::vector<std::string> advice;  // madvise(2)'s names in lower case: "random", "sequential", "hugepage", ...
  std::vector<int> memory_nodes;    // mbind MPOL_BIND to these; empty: not bound
  int initial_node = -1;            // the fill places all pages there, then the policy is lifted; < 0: off
  Fill fill = Fill::none;
  double fill_percent = 50;
  std::uint64_t seed = 1;
  bool fill_map = false;  // anonymous: fill the whole map instead of only the set, as pmbench -i does

  // Bytes that come into memory: the set, or the map.
  std::uint64_t touched_bytes() const { return fill_map && fill != Fill::none ? map_bytes : set_bytes; }
};

// Which page comes next. Names: uniform, linear, normal, normal_ih, pareto, zipf, hot, profile, trace, and
// legacy:{linear,uniform,normal,normal_ih,pareto,zipf}: pmbench's own generators, number for number.
struct PatternPlan {
  std::string name = "uniform";
  std::optional<double> shape;  // linear: stride in pages; normal: standard deviation in pages; pareto, zipf: exponent
  bool permute = false;         // a keyed permutation scatters the ranks over the set
  double hot_access_percent = 80, hot_set_percent = 20;  // hot: 80/20
  double hot_move_s = 0;                                 // the hot set moves at this interval; 0: it does not move
  std::string file;                                      // profile, trace
  bool trace_loop = false;                               // trace: from its beginning again, until the time is over
  int read_percent = 50;
  bool read_percent_given = false;  // profile: the user's percentage instead of the profile's
  std::int64_t offset_words = -1;   // in 4-byte words within the page, 0..1023; < 0: random
  std::uint64_t seed = 1;
};

enum class Stamps : std::uint8_t { fenced, rdtscp, rdtsc, clock_gettime };
enum class AccessMode : std::uint8_t { histogram, touch };  // touch: neither stamps nor histograms (pmbench -a touch)
constexpr const char* name(Stamps s) {
  constexpr const char* names[] = {"fenced", "rdtscp", "rdtsc", "clock_gettime"};
  return names[static_cast<int>(s)];
}
constexpr const char* name(AccessMode m) { return m == AccessMode::histogram ? "histogram" : "touch"; }

// As in pmbench: a delay of at most this many ticks is ignored.
inline constexpr std::uint64_t kNoDelay_ticks = 10;

struct TouchPlan {
  Stamps stamps = Stamps::fenced;
  AccessMode mode = AccessMode::histogram;
  bool classify = true;
  bool load_before_store = false;   // pmbench -z (wrneedsrd): a write reads the word first, in the same pair
  std::uint64_t delay_ticks = 0;    // spun between accesses, above kNoDelay_ticks
  std::uint64_t mark_above_ns = 0;  // pmbench -h: slower accesses write a line to tracefs' trace_marker; 0: off
  std::uint64_t max_accesses = 0;   // of a thread, then it ends; 0: until the time is over
  std::uint64_t slow_above_ns = 0;  // from here on the fault counters are read; 0: calibrated (stamp_floor.h)
};

struct Plan {
  RegionPlan region;
  PatternPlan pattern;
  TouchPlan touch;
  int threads = 1, processes = 1;
  double duration_s = 0;
  bool warmup = true;  // of pmbench's length, by pattern
  double delay_start_s = 0;
  // CPUs of the threads: thread i uses list i mod size. Empty: not bound.
  std::vector<std::vector<int>> thread_cpus;
  // Memory nodes of the processes in turn, instead of region.memory_nodes. Empty: region.memory_nodes.
  std::vector<std::vector<int>> process_nodes;
  clock::sources::Conversion conversion;  // of the CPU clock, or identity for clock_gettime
  double ticks_per_second = 1e9;
  // Threads of each process if they differ: one number per process; `threads` is the largest. Empty: `threads`.
  std::vector<int> process_threads;

  // Threads are numbered over all processes, from 0, process by process.
  int threads_of(int process) const {
    return process_threads.empty() ? threads : process_threads[static_cast<std::size_t>(process)];
  }
  int first_worker(int process) const {
    if (process_threads.empty()) return process * threads;
    return std::accumulate(process_threads.begin(), process_threads.begin() + process, 0);
  }
  int workers() const { return first_worker(processes); }
};

struct SwapPlan {
  enum class Kind : std::uint8_t { zram, file, device, current, none } kind = Kind::current;
  std::string text;              // as written: "file:/var/tmp/s:2G"
  std::string path;              // file, device
  std::uint64_t size_bytes = 0;  // zram, file
  std::string compressor;        // zram; "": the default
};

struct PressurePlan {
  std::uint64_t limit_bytes = 0;  // 0: no limit
  SwapPlan swap;
  bool only = false;   // other active swaps are turned off for the run
  bool force = false;  // accept a set that does not fit into memory and swap
  std::vector<std::string> allow_destructive;
  // Switches by the names that report and journal use ("vm.swappiness", "vm.page-cluster", "thp.enabled",
  // "zswap.enabled", "kernel.numa_balancing", "numa.demotion_enabled", "lru_gen.enabled", ...), see
  // paging/pressure/state/switches.h.
  std::vector<std::pair<std::string, std::string>> settings;
};

}  // namespace fathom::paging
