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
  return error_for(draft, section, "verify_interval",
                   fmt::format("verify_interval={} does not divide the blocks", job.verify_interval),
                   fmt::format("every block size and alignment of the job is a multiple of {}", divisor),
                   fmt::format("write `verify_interval={}`, or leave it out", divisor));
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
  const auto& engine = io::traits_of(job.ioengine);
  if (!engine.needs_files || !engine.keeps_data)
    return error_for(draft, section, "verify", fmt::format("engine {} cannot verify", job.ioengine),
                     "it keeps no data: what is read back is not what was written",
                     "leave verify= out, or take an engine that works on files");
  if (job.mode.trims)
    return error_for(draft, section, "verify", fmt::format("rw={} cannot be verified", job.rw_name),
                     "a trimmed block holds nothing that could be checked",
                     "leave verify= out, or write `rw=randwrite`");
  if (job.verify_only && job.mode.writes && job.time_based)
    return error_for(draft, section, "verify_only", "verify_only in a job that ends by its time",
                     "how much such a job wrote is not known", "leave out time_based, and give size= or number_ios=");
  return resolve_interval(draft, section);
}

}  // namespace fathom::job
