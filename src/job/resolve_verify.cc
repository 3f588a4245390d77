// A block can be checked when it begins and ends where headers do, whatever was written over it before: the interval
// has to divide every size, alignment and hole of the job.
#include "job/resolve_verify.h"

#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

#include "io/engines.h"
#include "job/resolve.h"
#include "job/verify.h"

namespace fathom::job {
namespace {

// As fio, twice a header.
std::uint64_t smallest_interval(const Job& job) {
  return job.of<VerifyOptions>().format == VerifyFormat::fio_3_33 ? 80 : 96;
}

std::uint64_t common_divisor(const Job& job) {
  if (job.bs_unaligned) return 1;
  std::uint64_t divisor = static_cast<std::uint64_t>(std::llabs(job.mode.sequential_add));
  const bool used[] = {job.mode.reads, job.mode.writes, job.mode.trims};
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    if (!used[d]) continue;
    divisor = std::gcd(std::gcd(divisor, job.bs_min[d]), job.bs_max[d]);
    divisor = std::gcd(divisor, job.blockalign[d]);
  }
  return divisor;
}

base::Expected<void> resolve_interval(Draft& draft, const Assignment& section) {
  Job& job = draft.job;
  const std::uint64_t divisor = common_divisor(job), smallest = smallest_interval(job);
  if (divisor < smallest)
    return error_for(draft, section, "verify", "these blocks cannot be verified",
                     fmt::format("no {} bytes or more divide all of the job's block sizes and alignments, so "
                                 "blocks that overlap would destroy each other's headers",
                                 smallest),
                     "write block sizes that are multiples of 512, without bs_unaligned");
  if (job.verify_interval == 0) job.verify_interval = divisor;
  if (job.verify_interval < smallest)
    return error_for(draft, section, "verify_interval",
                     fmt::format("verify_interval={} is too short", job.verify_interval),
                     "a header takes half of it or more", fmt::format("write `verify_interval={}` or more", smallest));
  if (divisor % job.verify_interval == 0) return {};
  job.notes.push_back(fmt::format("verify_interval={} does not divide the job's blocks: {} is used, as fio does",
                                  job.verify_interval, divisor));
  job.verify_interval = divisor;
  return {};
}

bool keeps_nothing(const Job& job) {
  const auto& engine = io::traits_of(job.ioengine);
  return !engine.needs_files || !engine.keeps_data;
}

// As fio: an engine without data passes. Where it at least makes I/Os of it, what was written is read back.
void verify_nothing(Job& job) {
  const auto& engine = io::traits_of(job.ioengine);
  job.notes.push_back(
      fmt::format("verify= with ioengine={}: it keeps no data, so nothing is checked, as in fio", job.ioengine));
  job.verify = engine.does_nothing || engine.fake_time;
}

// What reads back or trims between the writes, or asks which fsync came before which write.
base::Expected<void> check_between(Draft& draft, const Assignment& section) {
  Job& job = draft.job;
  auto& verify = job.own.get<VerifyOptions>();
  const bool fsynced = verify.policy == VerifyPolicy::fsynced;
  const char* const between = verify.reads_between()      ? "verify_backlog"
                              : verify.trims_between()    ? "trim_backlog"
                              : fsynced                   ? "verify_policy"
                              : verify.async_threads != 0 ? "verify_async"
                              : job.mode.trims            ? "rw"
                                                          : nullptr;
  if (between != nullptr && job.depth_per_file)
    return error_for(draft, section, between, "verifying between the writes with depth_per_file",
                     "each file has a queue of its own, and this is of one queue", "make a job of each file");
  if (verify.trims_between() && !io::traits_of(job.ioengine).trims)
    return error_for(draft, section, "trim_backlog", fmt::format("engine {} cannot trim", job.ioengine),
                     "trim_percentage and trim_backlog trim what was written",
                     "leave them out, or take ioengine=psync");
  const auto* const fua = draft.find("writefua");
  if (fsynced && fua != nullptr && fua->value != "0")
    return error_for(draft, section, "verify_policy", "verify_policy=fsynced with writefua=1",
                     "every write is on the medium when it is over, and no fsync tells more",
                     "write `verify_policy=completed`, or leave writefua= out");
  return {};
}

}  // namespace

base::Expected<void> resolve_verify(Draft& draft, const Assignment& section) {
  Job& job = draft.job;
  // As fio, a pattern alone asks for a header and itself.
  if (!job.verify && draft.find("verify") == nullptr && !job.of<VerifyOptions>().pattern_parts.empty())
    job.verify = true;
  if (job.verify_only && !job.verify && job.mode.destructive())
    return error_for(draft, section, "verify_only", "verify_only in a job that does not verify",
                     "it would have nothing to check, and writing is what it forbids",
                     "add verify=crc32c, or leave verify_only out");
  if (!job.verify) return {};
  if (keeps_nothing(job)) {
    verify_nothing(job);
    if (!job.verify) return {};
  }
  if (auto ok = check_between(draft, section); !ok) return ok;
  if (job.verify_only && job.mode.writes && job.time_based && !job.of<VerifyOptions>().state_load)
    return error_for(draft, section, "verify_only", "verify_only in a job that ends by its time",
                     "how much such a job wrote is not known",
                     "write verify_state_load=1, or leave out time_based and give size= or number_ios=");
  return resolve_interval(draft, section);
}

}  // namespace fathom::job
