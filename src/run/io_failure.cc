// Looking at the file of a failed I/O.
#include "run/io_failure.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>

#include "base/unit_text.h"
#include "io/engines.h"
#include "run/setup_error.h"

namespace fathom::run {
namespace {

// What is read has been laid out whole, and so has what is mapped; what is only written grows as it is written.
bool was_whole(const ErrorRecord& e, const Plan& plan) {
  return e.err == EIO && (e.dir == io::Dir::read || io::traits_of(plan.job.ioengine).maps_files);
}

struct Known {
  std::string cause, remedy;
};

Known known_of(const ErrorRecord& e, const io::Target& target, const Plan& plan) {
  struct stat st;
  struct statvfs fs;
  if (target.kind != io::TargetKind::regular || ::fstat(target.fd, &st) != 0) return {};
  if (e.err == ENOSPC && ::fstatvfs(target.fd, &fs) == 0)
    return {
        fmt::format("the file system has {} bytes free for it", static_cast<std::uint64_t>(fs.f_bavail) * fs.f_frsize),
        "make room, or lower size="};
  const auto size = static_cast<std::uint64_t>(st.st_size);
  if (was_whole(e, plan) && size < target.size)
    return {fmt::format("the file was cut short while the job ran: it had {} bytes and has {}", target.size, size),
            "nothing else may shorten a file that a job uses"};
  if (e.err == EIO && io::traits_of(plan.job.ioengine).maps_files)
    return {"the kernel could not bring a page of the mapping in (SIGBUS): `dmesg` names the device's error", ""};
  return {};
}

}  // namespace

std::string kept_text(const WorkerRecord& record) {
  std::uint64_t ios = 0, bytes = 0;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    ios += record.measured.done.ios[d].get();
    bytes += record.measured.done.bytes[d].get();
  }
  return fmt::format("{} I/Os ({}) in {:.2f} s", ios, base::mib_words(bytes),
                     static_cast<double>(record.elapsed_ns) * 1e-9);
}

void explain_io_failures(const Plan& plan, const OpenTargets& open, WorkerRecord& record) {
  const auto n = std::min<std::uint64_t>(record.error_count, kErrorRecords);
  for (std::size_t i = 0; i < n; ++i) {
    auto& e = record.errors[i];
    if (!e.is_io || e.what[0] != 0 || e.target >= open.targets.size()) continue;
    const auto known = known_of(e, open.targets[e.target], plan);
    if (known.cause.empty()) continue;
    const std::string remedy = known.remedy.empty() ? "" : "; " + known.remedy;
    write_down(e, known.cause + remedy + "; kept: " + kept_text(record));
    base::Error whole;
    whole.cause = known.cause;
    whole.help = known.remedy;
    tell(record, e, whole);
  }
}

}  // namespace fathom::run
