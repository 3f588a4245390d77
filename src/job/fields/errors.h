// continue_on_error=, ignore_error=, error_dump=: which failed I/Os a job goes on after.
#pragma once
#include <array>
#include <vector>

#include "io/request.h"
#include "job/job.h"

namespace fathom::job::fields {

// fio's kinds of failed I/Os: of reads, of writes and all that is no read, and data that are not what was written.
enum class ErrorKind : std::uint8_t { read, write, verify };
inline constexpr std::size_t kErrorKinds = 3;

struct Errors : OfJob {
  std::uint8_t goes_on = 0;                          // continue_on_error: a bit a kind
  std::array<std::vector<int>, kErrorKinds> listed;  // ignore_error: these instead of EIO and EILSEQ
  bool dump = false;                                 // say each, though the job goes on

  bool asked() const;  // of what happens after an error: then they are counted in the report
};

// What kind of failure `err` is of an I/O of this direction.
ErrorKind kind_of(io::Dir dir, int err);
// Whether the job goes on after it. No allocation.
bool goes_on_after(const Errors& errors, io::Dir dir, int err);

}  // namespace fathom::job::fields
