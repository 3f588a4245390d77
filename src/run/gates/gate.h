// Admission of single I/Os: a job with a gate asks it before each I/O, outside the measured time of the I/O. The loops
// of other jobs do not contain it. Thread rule: the worker's.
#pragma once
#include <cstdint>

#include "io/request.h"

namespace fathom::run::gates {

enum class Admission : std::uint8_t {
  go,
  wait,  // the job's I/Os in flight have to end; then wait(), and ask again
  skip,  // the request is dropped
  fail   // the record has the error that ends the job
};

class Gate {
 public:
  virtual ~Gate() = default;
  // May change the request.
  virtual Admission enter(io::Request& request) = 0;
  // Called without I/O in flight. Sleeps for at most a few milliseconds.
  virtual void wait() = 0;
  // The I/Os have ended or will not take place. Repeated calls are harmless.
  virtual void leave() = 0;
  // An admitted request has ended. err: 0, or the errno. The request may be the last part of it.
  virtual void ended(const io::Request&, int /*err*/) {}
};

}  // namespace fathom::run::gates
