// continue_on_error=, ignore_error=, error_dump=: the failed I/Os after which a job continues.
#pragma once
#include <array>
#include <vector>

#include "io/request.h"
#include "job/job.h"

namespace fathom::job::fields {

// fio's kinds of failed I/Os: reads; writes and all other non-reads; data that differ from those written.
enum class ErrorKind : std::uint8_t { read, write, verify };
inline constexpr std::size_t kErrorKinds = 3;

struct Errors : OfJob {
  std::uint8_t goes_on = 0;                          // continue_on_error: one bit per kind
  std::array<std::vector<int>, kErrorKinds> listed;  // ignore_error: replaces EIO and EILSEQ
  bool dump = false;                                 // report each error, although the job continues

  bool asked() const;  // true if either option is set: the report then counts errors
};

// The kind of failure for error `err` of an I/O in this direction.
ErrorKind kind_of(io::Dir dir, int err);
// True if the job continues after this error. No allocation.
bool goes_on_after(const Errors& errors, io::Dir dir, int err);

}  // namespace fathom::job::fields
