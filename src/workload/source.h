// Supplies the requests of a job in blocks: the only indirect call of the loops, once per 128 I/Os. Sources are the
// generated stream (stream.h) and the reading back of writes (read_back.h). A source reads no clock, and allocates all
// memory before the run. Thread rule: one owner.
#pragma once
#include <cstddef>
#include <span>

#include "io/request.h"

namespace fathom::workload {

class Source {
 public:
  // Requests per call of a loop. Code that repeats the requests must use the same number, or their order differs.
  static constexpr std::size_t kBlock = 128;

  virtual ~Source() = default;
  // The next requests of this pass, in order; fewer than out.size() only at the end of the pass, 0 after it. No
  // allocation.
  virtual std::size_t next(std::span<io::Request> out) = 0;
  // Call after the end of a pass: begins another one (loops=, time_based). False: no more passes. No allocation.
  virtual bool begin_pass() = 0;
};

}  // namespace fathom::workload
