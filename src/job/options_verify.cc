// Checking what was written: fio's methods and its format on the medium (verify/).
#include <algorithm>
#include <array>

#include "job/option.h"
#include "job/pattern_text.h"
#include "job/verify.h"

namespace fathom::job {
namespace {

// tests/job/verify_options_test.cc holds these against the methods that there are.
constexpr Choice kVerify[] = {
    {"0", 0, "no verification"},
    {"none", 0, "as 0"},
    {"md5", 1, "an MD5 behind the header of each block"},
    {"crc64", 1, "the like with CRC-64, fio's"},
    {"crc32", 1, "CRC-32, fio's"},
    {"crc32c", 1, "CRC-32C, which CPUs have an instruction for"},
    {"crc32c-intel", 1, "as crc32c"},
    {"crc16", 1, "CRC-16"},
    {"crc7", 1, "CRC-7: one damage in 128 is not seen"},
    {"xxhash", 1, "xxHash of 32 bits"},
    {"sha1", 1, "SHA-1"},
    {"sha256", 1, "SHA-256, fio's"},
    {"sha512", 1, "SHA-512, fio's; not with verify_format=fio-3.33, where it is no hash"},
    {"sha3-224", 1, "SHA-3"},
    {"sha3-256", 1, "SHA-3"},
    {"sha3-384", 1, "SHA-3"},
    {"sha3-512", 1, "SHA-3"},
    {"meta", 1, "the header alone: which write this was, not its data"},
    {"pattern", 1, "verify_pattern=, without headers"},
    {"pattern_hdr", 1, "the header and verify_pattern="},
    {"null", 1, "reads back, and checks nothing"},
};
constexpr std::string_view kNotBuilt[] = {"1", "pi"};

Outcome read_verify(const Targets& targets, const Value& value) {
  if (std::find(std::begin(kNotBuilt), std::end(kNotBuilt), value.text) != std::end(kNotBuilt))
    return wrong(fmt::format("fio's `verify={}` is not built in fathom yet", value.text),
                 "fathom has fio's hashes, meta, pattern and null", "write `verify=crc32c`, or leave it out",
                 value.text, base::ErrorKind::not_built);
  if (auto read = apply::choice<&Job::verify>(targets, value); read) return read;
  auto& job = targets.get<Job>();
  job.own.get<VerifyOptions>().method = job.verify ? value.text : std::string();
  return {};
}

Outcome read_verify_pattern(VerifyOptions& verify, const Value& value) {
  return read_pattern(value, verify.pattern_parts, true);
}

constexpr Choice kFormats[] = {
    {"fio-3.42", int(VerifyFormat::fio_3_42), "headers of 48 bytes, of fio 3.41 and later"},
    {"fio-3.33", int(VerifyFormat::fio_3_33), "headers of 40 bytes, of fio 3.33 to 3.40"},
};

constexpr Row kRows[] = {
    special<read_verify>({"verify", "0", "Check what was written, by fio's method and in its format", "",
                          "pi is not built", Status::partial},
                         Type::choice, 0, 0, 0, false, kVerify),
    boolean<&Job::do_verify>(
        {"do_verify", "1", "Read back and check what the job has written, when it has written it"}),
    boolean<&Job::verify_fatal>({"verify_fatal", "0", "The first block that is wrong ends the job"}),
    flag<&Job::verify_only>({"verify_only", "", "Write nothing: only check what an earlier run of the same job wrote"}),
    bytes<&Job::verify_interval>({"verify_interval header_interval", "",
                                  "Bytes that each header stands for; default: what divides all block sizes", "",
                                  "must divide the block sizes", Status::partial},
                                 80, kMaxU32),
    choice<&VerifyOptions::format>(
        {"verify_format", "fio-3.42", "Which fio's format is written; both are told apart and read"}, kFormats),
    bytes<&VerifyOptions::offset>({"verify_offset header_offset", "0", "Where in its interval the header stands"}, 0,
                                  kMaxU32),
    special<read_verify_pattern>(
        {"verify_pattern", "",
         "Bytes that writes repeat and reads must hold: as buffer_pattern, and `%o` for the I/O's offset"},
        Type::text),
    bytes<&VerifyOptions::pattern_interval>(
        {"verify_pattern_interval", "0", "The pattern begins anew every so many bytes; 0: with each I/O"}, 0, kMaxU32),
};

}  // namespace

std::span<const Row> verify_options() { return kRows; }

}  // namespace fathom::job
