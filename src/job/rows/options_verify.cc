// Verification of written data: fio's methods, and fio's format on the medium (verify/).
#include <algorithm>
#include <array>

#include "base/system/cpu_list.h"
#include "base/text/parse.h"
#include "job/fields/verify.h"
#include "job/option.h"
#include "job/values/pattern_text.h"

namespace fathom::job {
namespace {

// tests/job/fields/verify_options_test.cc compares these with the existing methods.
constexpr Choice kVerify[] = {
    {"0", 0, "no verification"},
    {"none", 0, "as 0"},
    {"md5", 1, "an MD5 behind the header of each block"},
    {"crc64", 1, "as md5, with fio's CRC-64"},
    {"crc32", 1, "CRC-32, fio's"},
    {"crc32c", 1, "CRC-32C, which CPUs have an instruction for"},
    {"crc32c-intel", 1, "as crc32c"},
    {"crc16", 1, "CRC-16"},
    {"crc7", 1, "CRC-7: misses 1 of 128 errors"},
    {"xxhash", 1, "xxHash of 32 bits"},
    {"sha1", 1, "SHA-1"},
    {"sha256", 1, "SHA-256, fio's"},
    {"sha512", 1, "SHA-512, fio's; not with verify_format=fio-3.33, where it is not a hash"},
    {"sha3-224", 1, "SHA-3"},
    {"sha3-256", 1, "SHA-3"},
    {"sha3-384", 1, "SHA-3"},
    {"sha3-512", 1, "SHA-3"},
    {"meta", 1, "only the header: the identity of the write, not its data"},
    {"pattern", 1, "verify_pattern=, without headers"},
    {"pattern_hdr", 1, "the header and verify_pattern="},
    {"null", 1, "read back without checks"},
};
constexpr std::string_view kNotBuilt[] = {"1", "pi"};

Outcome read_verify(const Targets& targets, const Value& value) {
  if (std::find(std::begin(kNotBuilt), std::end(kNotBuilt), value.text) != std::end(kNotBuilt))
    return wrong(fmt::format("fio's `verify={}` is not built in fathom yet", value.text),
                 "fathom has fio's hashes, meta, pattern and null", "write `verify=crc32c`, or omit it", value.text,
                 base::ErrorKind::not_built);
  if (auto read = apply::choice<&Job::verify>(targets, value); read) return read;
  auto& job = targets.get<Job>();
  job.own.get<fields::VerifyOptions>().method = job.verify ? value.text : std::string();
  return {};
}

Outcome read_verify_pattern(fields::VerifyOptions& verify, const Value& value) {
  return values::read_pattern(value, verify.pattern_parts, true);
}

// Records that a value was given. If 1 was given, a job with a state that cannot be saved fails. Without a value, the
// run has a finding.
Outcome read_state_save(fields::VerifyOptions& verify, const Value& value) {
  if (value.text != "0" && value.text != "1")
    return wrong("not 0 or 1", fmt::format("`{}` is on (1) or off (0)", value.name()),
                 fmt::format("write `{}`", value.with("1")), value.text);
  verify.state_save = value.text == "1";
  return {};
}

constexpr Choice kFormats[] = {
    {"fio-3.42", int(fields::VerifyFormat::fio_3_42), "headers of 48 bytes, of fio 3.41 and later"},
    {"fio-3.33", int(fields::VerifyFormat::fio_3_33), "headers of 40 bytes, of fio 3.33 to 3.40"},
};

constexpr Choice kReadBackPolicies[] = {
    {"completed", int(fields::VerifyPolicy::completed), "completed writes"},
    {"fsynced", int(fields::VerifyPolicy::fsynced), "completed writes issued before the last fsync of the job"},
};

Outcome read_async_cpus(fields::VerifyOptions& verify, const Value& value) {
  const auto list = base::system::parse_cpu_list(value.text);
  if (!list.ok())
    return wrong("not a list of CPUs", list.cause, "write for example " + value.with("0,2-3"),
                 base::text::trim(list.wrong));
  verify.async_cpus = list.sorted();
  return {};
}

constexpr std::uint64_t kMostThreads = 1024;

constexpr Row kVerifyRows[] = {
    special<read_verify>(
        {"verify", "0", "Verify written data, with fio's methods and format", "", "pi is not built", Status::partial},
        Type::choice, 0, 0, 0, false, kVerify),
    boolean<&Job::do_verify>({"do_verify", "1", "Read back and check the written data after the writes"}),
    boolean<&Job::verify_fatal>({"verify_fatal", "0", "End the job at the first wrong block"}),
    flag<&Job::verify_only>(
        {"verify_only", "", "Do not write: only check the data that an earlier run of the same job wrote"}),
    bytes<&Job::verify_interval>(
        {"verify_interval header_interval", "", "Bytes covered by each header; default: the divisor of all block sizes",
         "", "must divide the block sizes", Status::partial},
        80, kMaxU32),
    choice<&fields::VerifyOptions::format>(
        {"verify_format", "fio-3.42", "Write the format of this version of fio; both formats can be read"}, kFormats),
    bytes<&fields::VerifyOptions::offset>({"verify_offset header_offset", "0", "Offset of the header in its interval"},
                                          0, kMaxU32),
    special<read_verify_pattern>(
        {"verify_pattern", "",
         "Bytes that writes repeat and reads must return: as buffer_pattern, and `%o` for the I/O's offset"},
        Type::text),
    bytes<&fields::VerifyOptions::pattern_interval>(
        {"verify_pattern_interval", "0", "Restart the pattern after this many bytes; 0: with each I/O"}, 0, kMaxU32),
    boolean<&fields::VerifyOptions::header_seed>(
        {"verify_header_seed", "1", "Compare the seed in a header with that of the last write to the block"}),
    boolean<&fields::VerifyOptions::write_sequence>(
        {"verify_write_sequence", "1", "Compare the number in a header with that of the last write to the block"}),
    boolean<&fields::VerifyOptions::experimental>(
        {"experimental_verify", "0",
         "Read back every write in order, without a map of the last writes: any write of the job matches"}),
    choice<&fields::VerifyOptions::policy>({"verify_policy", "completed", "Writes that are read back"},
                                           kReadBackPolicies),
    count<&fields::VerifyOptions::backlog>(
        {"verify_backlog", "0", "Read back after this many unverified writes; 0: all writes at the end"}, 0,
        kMaxU64 / 2),
    count<&fields::VerifyOptions::backlog_batch>(
        {"verify_backlog_batch", "0", "Number of writes that are then read back; 0: as many as verify_backlog"}, 0,
        kMaxU64 / 2),
    count<&fields::VerifyOptions::async_threads>(
        {"verify_async", "0", "Threads that verify; 0: the reading job verifies"}, 0, kMostThreads),
    special<read_async_cpus>({"verify_async_cpus", "", "CPUs for the threads that verify"}, Type::list),
    boolean<&fields::VerifyOptions::dump>(
        {"verify_dump", "0", "Write the bytes of a wrong block to files: .received, .expected, .hdr_fail"}),
    count<&fields::VerifyOptions::trim_percentage>(
        {"trim_percentage", "0", "Share of the writes that are trimmed again"}, 0, 100),
    boolean<&fields::VerifyOptions::trim_verify_zero>({"trim_verify_zero", "1", "Trimmed blocks must read as zeroes"}),
    count<&fields::VerifyOptions::trim_backlog>({"trim_backlog", "0", "Trim after this many writes; 0: never"}, 0,
                                                kMaxU64 / 2),
    count<&fields::VerifyOptions::trim_backlog_batch>(
        {"trim_backlog_batch", "0", "Number of writes that are then trimmed; 0: as many as trim_backlog"}, 0,
        kMaxU64 / 2),
    special<read_state_save>({"verify_state_save", "1",
                              "At the end of the job, save which writes were issued and which were in flight: "
                              "local-JOB-NUMBER-verify.state, in the working directory or --aux-path"},
                             Type::boolean, 0, 1),
    boolean<&fields::VerifyOptions::state_load>(
        {"verify_state_load", "0", "Read back with the state that the writing job saved, or left when it was killed"}),
};

}  // namespace

std::span<const Row> verify_options() { return kVerifyRows; }

}  // namespace fathom::job
