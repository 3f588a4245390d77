// The trace of a job, before its workers start: which files it names, what it asks of them, and how far it reaches.
// Problem: targets, buffers and the write guard need this before the first I/O, and a pipe can be read only once.
// Choice: a file is read twice, first here. Of a pipe, a socket, or with read_iolog_chunked=1, only the records up to
// the first I/O are read here; the worker continues behind them. Thread rule: the parent, before the workers.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "job/job.h"
#include "trace/reader.h"
#include "workload/replay_requests.h"

namespace fathom::run::replay {

struct TraceFacts {
  bool whole = false;  // it was read to its end; the members below then hold for all of it
  bool reads = false, writes = false, trims = false;
  io::PerDir<std::uint64_t> smallest_bytes{}, largest_bytes{};  // of reads and writes; 0: none
  std::vector<std::uint64_t> ends_bytes;  // by file, or of the one target: end of the I/O that reaches furthest
  std::uint64_t ios = 0;                  // requests
  std::optional<std::uint64_t> depth;     // most I/Os in flight; unknown without completions
};

struct Trace {
  std::string path;
  trace::Traits traits;
  std::vector<std::string> files;  // that it names; of a stream: those before the first I/O
  TraceFacts facts;
  // Set when the job's targets are planned (run/files/targets.h).
  std::vector<workload::ReplayTarget> targets;
  workload::ReplayLimits limits;
  // Of a trace that is not read again: the reader, and the records that it has handed out.
  std::unique_ptr<trace::Reader> stream;
  std::vector<trace::Event> ahead;
  int runs = 0;  // that have begun: a stream has one
};

// The trace of the job; with merge_blktrace_file=, that file.
const std::string& path_of(const job::Job& job);
// Whether only one reader gets the records: a pipe or a socket.
bool is_stream(const job::Job& job);
// A reader of the trace, or of all traces of the job merged.
base::Expected<std::unique_ptr<trace::Reader>> open(const job::Job& job);
// ErrorKind::usage: no such trace, an unknown format, a trace without I/O.
base::Expected<std::shared_ptr<Trace>> examine(const job::Job& job);
// Once for each run. Writes a merged trace, as fio's iolog version 3: in the first run, by the first of a job's copies.
// Error: a stream is read a second time, and would give other records, or none.
base::Expected<void> begin_run(const job::Job& job, Trace& trace);

base::Error read_twice(const std::string& path);
// Error: write_iolog= or merge_blktrace_file= names a log of an earlier job. `logs`: those of all jobs so far.
base::Expected<void> claim_logs(const job::Job& job, std::set<std::string>& logs);

// Largest read or write of a trace that is not examined before the start, unless bs= is larger.
inline constexpr std::uint64_t kStreamBuffer_bytes = 1 << 20;
inline constexpr std::uint64_t kLargestIo_bytes = 0x7ffff000;  // of one system call

}  // namespace fathom::run::replay
