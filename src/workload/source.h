// Where the requests of a job come from, in blocks: the one indirect call that the loops make, once in 128 I/Os. A
// stream that is generated (stream.h) and the reading back of what was written (read_back.h) are sources. A source
// reads no clock; all its memory is there before the run. Thread rule: one owner.
#pragma once
#include <cstddef>
#include <span>

#include "io/request.h"

namespace fathom::workload {

class Source {
 public:
  // What a loop asks for at a time. Who makes the same requests again asks for as many, or their order is another.
  static constexpr std::size_t kBlock = 128;

  virtual ~Source() = default;
  // The next requests of this pass, in order; fewer than out.size() only at the end of the pass, 0 after it. No
  // allocation.
  virtual std::size_t next(std::span<io::Request> out) = 0;
  // After the end of a pass: begins another (loops=, time_based); false: there is none, the work is done. No
  // allocation.
  virtual bool begin_pass() = 0;
};

}  // namespace fathom::workload
