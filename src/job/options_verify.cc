// Checking what was written. fathom has one of fio's checks so far; the format on the disk is its own
// (workload/verify.h).
#include <algorithm>
#include <array>

#include "job/rows.h"

namespace fathom::job {
namespace {

constexpr Choice kVerify[] = {
    {"0", false, "no verification"},
    {"none", false, "as 0"},
    {"null", false, "as 0"},
    {"crc32c", true, "each block carries its offset and a CRC32C"},
    {"crc32c-intel", true, "as crc32c"},
};
constexpr std::string_view kFioVerify[] = {"1",        "md5",    "crc64", "crc32",    "crc16",    "crc7",
                                           "sha256",   "sha512", "sha1",  "sha3-224", "sha3-256", "sha3-384",
                                           "sha3-512", "xxhash", "meta",  "pi",       "pattern",  "pattern_hdr"};

Outcome read_verify(Draft& draft, const Option& option, std::string_view value) {
  if (std::find(std::begin(kFioVerify), std::end(kFioVerify), value) != std::end(kFioVerify))
    return Problem{fmt::format("fio's `verify={}` is not built in fathom yet", value),
                   "fathom has verify=crc32c and verify=0", "write `verify=crc32c`, or leave it out", value,
                   base::ErrorKind::not_built};
  return apply::choice<&Job::verify>(draft, option, value);
}

constexpr Option kRows[] = {
    special({.name = "verify",
             .fallback = "0",
             .help = "Check what was written",
             .status = Status::partial,
             .note = "crc32c only; the format is fathom's own"},
            Type::choice, read_verify, 0, 0, 0, false, kVerify),
    boolean<&Job::do_verify>({.name = "do_verify",
                              .fallback = "1",
                              .help = "Read back and check what the job has written, when it has written it"}),
    boolean<&Job::verify_fatal>(
        {.name = "verify_fatal", .fallback = "0", .help = "The first block that is wrong ends the job"}),
    flag<&Job::verify_only>(
        {.name = "verify_only", .help = "Write nothing: only check what an earlier run of the same job wrote"}),
    bytes<&Job::verify_interval>({.name = "verify_interval",
                                  .aliases = {"header_interval"},
                                  .help = "Bytes that each header stands for; default: what divides all block sizes",
                                  .status = Status::partial,
                                  .note = "must divide the block sizes"},
                                 64, kMaxU32),
};

}  // namespace

std::span<const Option> verify_options() { return kRows; }

}  // namespace fathom::job
