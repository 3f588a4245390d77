// Checking what was written. fathom has one of fio's checks so far; the format on the disk is its own
// (workload/verify.h).
#include <algorithm>
#include <array>

#include "job/option.h"

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

Outcome read_verify(const Targets& targets, const Value& value) {
  if (std::find(std::begin(kFioVerify), std::end(kFioVerify), value.text) != std::end(kFioVerify))
    return wrong(fmt::format("fio's `verify={}` is not built in fathom yet", value.text),
                 "fathom has verify=crc32c and verify=0", "write `verify=crc32c`, or leave it out", value.text,
                 base::ErrorKind::not_built);
  return apply::choice<&Job::verify>(targets, value);
}

constexpr Row kRows[] = {
    special<read_verify>(
        {"verify", "0", "Check what was written", "", "crc32c only; the format is fathom's own", Status::partial},
        Type::choice, 0, 0, 0, false, kVerify),
    boolean<&Job::do_verify>(
        {"do_verify", "1", "Read back and check what the job has written, when it has written it"}),
    boolean<&Job::verify_fatal>({"verify_fatal", "0", "The first block that is wrong ends the job"}),
    flag<&Job::verify_only>({"verify_only", "", "Write nothing: only check what an earlier run of the same job wrote"}),
    bytes<&Job::verify_interval>({"verify_interval header_interval", "",
                                  "Bytes that each header stands for; default: what divides all block sizes", "",
                                  "must divide the block sizes", Status::partial},
                                 64, kMaxU32),
};

}  // namespace

std::span<const Row> verify_options() { return kRows; }

}  // namespace fathom::job
