// Values of /proc/PID/maps and smaps (proc_pid_maps(5), proc_pid_smaps(5)). Pure.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::paging::learn::observe {

struct Mapping {
  std::uint64_t begin = 0, end = 0;  // addresses
  bool readable = false, writable = false, executable = false, shared = false;
  std::string name;  // path, "[heap]", or ""
  // smaps only; bytes
  std::uint64_t resident = 0, referenced = 0, anonymous_huge = 0, swapped = 0;
  std::uint64_t bytes() const { return end - begin; }
};
std::vector<Mapping> parse_mappings(std::string_view text);  // of either file; skips other lines

// Data: readable, not code, and not the kernel's own pages ([vvar], [vsyscall]).
bool is_watched(const Mapping& mapping);
// The watched mappings without those that belong to code: constants of a program or library. Every process with the
// same file shares these pages, so the marks on them are not this process's alone.
std::vector<Mapping> watched(std::vector<Mapping> all);

struct ProcessFacts {
  bool there = false;  // "/proc/PID/stat" could be read
  char state = '?';    // R S D Z ...
  bool kernel_thread = false;
  int parent = 0;
  std::uint64_t resident_pages = 0;  // approximate: the kernel adds up each thread's changes late
  std::uint64_t cpu_ticks = 0;       // of all its threads, user and system
  std::string name;                  // as the kernel has it, 15 bytes at most
};
ProcessFacts parse_stat(std::string_view text);
// Words of /proc/PID/cmdline in one line.
std::string one_line(std::string_view cmdline);

}  // namespace fathom::paging::learn::observe
