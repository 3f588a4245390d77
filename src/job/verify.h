// Checking what was written, as the options say it: verify= and those that go with it. What they come to is decided in
// run/verify_plan.h.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "job/contents.h"
#include "job/job.h"

namespace fathom::job {

enum class VerifyFormat : std::uint8_t { fio_3_42, fio_3_33 };

struct VerifyOptions : OfJob {
  std::string method;  // as fio calls it (verify/methods.h); empty: none is named
  VerifyFormat format = VerifyFormat::fio_3_42;
  std::uint64_t offset = 0;                // of the header in its interval, bytes
  std::vector<PatternPart> pattern_parts;  // verify_pattern; empty: none
  std::uint64_t pattern_interval = 0;      // bytes; 0: the pattern begins anew with each I/O
  // Read by run/, when the job is planned: the bytes, and where in them the I/O's offset goes.
  std::string pattern;
  std::vector<std::size_t> offset_places;
};

}  // namespace fathom::job
