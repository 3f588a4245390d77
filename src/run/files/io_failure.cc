// Examines the file of a failed I/O to find the cause.
#include "run/files/io_failure.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/text/unit_text.h"
#include "engine/zoned/zoned.h"
#include "io/engines.h"
#include "job/fields/files.h"
#include "job/fields/offset_choice.h"
#include "run/records/setup_error.h"

namespace fathom::run::files {
namespace {

// Files that are read or mapped were laid out whole. A file that is only written grows during the job.
bool was_whole(const records::ErrorRecord& e, const Plan& plan) {
  return e.err == EIO && (e.dir == io::Dir::read || io::traits_of(plan.job.ioengine).maps_files);
}

// Such a file starts empty, regardless of its planned size.
bool made_by_the_job(const Plan& plan, std::size_t target) {
  return plan.job.of<job::fields::FileOptions>().create_on_open && !plan.targets[target].exists;
}

struct Known {
  std::string cause, remedy;
};

// The unit of offsets and lengths for direct I/O in bytes, as reported by the block layer. 0: unknown.
std::uint64_t direct_unit_bytes(const struct stat& st) {
  const dev_t disk = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
  for (const char* where : {"queue", "../queue"}) {
    std::ifstream in(fmt::format("/sys/dev/block/{}:{}/{}/logical_block_size", major(disk), minor(disk), where));
    std::uint64_t bytes = 0;
    if (in >> bytes) return bytes;
  }
  return 0;
}

// Explains EINVAL of direct I/O by its most frequent cause.
Known refused_size(const records::ErrorRecord& e, const struct stat& st) {
  const std::uint64_t known = direct_unit_bytes(st), unit = known == 0 ? 512 : known;
  if (e.length_bytes % unit == 0 && e.offset_bytes % unit == 0) return {};
  return {fmt::format("direct=1 and {} bytes at offset {}: the device accepts whole blocks of {}{} bytes",
                      e.length_bytes, e.offset_bytes, unit, known == 0 ? " or more" : ""),
          fmt::format("write bs= and offset= as multiples of {}, or direct=0", unit)};
}

// The sizes of atomic writes that this file supports: STATX_WRITE_ATOMIC and its fields, which older headers lack.
// Source: kernel, include/uapi/linux/stat.h (6.11). Both 0: no atomic writes.
struct AtomicUnits {
  std::uint32_t min_bytes = 0, max_bytes = 0;
};

AtomicUnits atomic_units(int fd) {
  constexpr unsigned kWriteAtomic = 0x10000;
  constexpr std::size_t kUnitsAt = 0xa8;
  struct statx facts {};
  AtomicUnits units;
  if (::statx(fd, "", AT_EMPTY_PATH, kWriteAtomic, &facts) != 0 || (facts.stx_mask & kWriteAtomic) == 0) return units;
  static_assert(sizeof facts >= kUnitsAt + sizeof units);
  std::memcpy(&units, reinterpret_cast<const char*>(&facts) + kUnitsAt, sizeof units);
  return units;
}

// Explains EINVAL of a job with atomic=1.
Known refused_atomic(const records::ErrorRecord& e, int fd) {
  const auto [min, max] = atomic_units(fd);
  if (max == 0)
    return {"atomic=1: this kernel, the file system or its device has no atomic writes (statx names no unit)",
            "omit atomic= (a write may then be torn), or use a file system and device with atomic writes"};
  const bool fits = e.length_bytes >= min && e.length_bytes <= max && std::has_single_bit(e.length_bytes) &&
                    e.offset_bytes % e.length_bytes == 0;
  if (fits) return {};
  return {fmt::format("atomic=1 and {} bytes at offset {}: a write must be a power of two from {} to {} bytes, at a "
                      "multiple of its size",
                      e.length_bytes, e.offset_bytes, min, max),
          fmt::format("write one bs= from {} to {}, and blockalign= with the same value", min, max)};
}

// A zoned device accepts writes at its write pointers only, in a limited number of zones. The words are fio's.
Known refused_by_zones(const records::ErrorRecord& e, const io::Target& target, const job::Job& job) {
  const auto device = engine::zoned::look_at(target.path, target.kind);
  if (!device || device->model == io::ZoneModel::none) return {};
  if (!job.of<job::fields::ZonedDevice>().used)
    return {fmt::format("fio: first I/O failed. If {} is a zoned block device, consider --zonemode=zbd", target.path),
            "add `zonemode=zbd`"};
  if (e.err == EOVERFLOW || e.err == ETOOMANYREFS)
    return {"Exceeded max_active_zones limit. Check conditions of zones out of I/O ranges.",
            fmt::format("reset or finish zones with blkzone(8): the device allows {} active ones", device->max_active)};
  return {};
}

Known known_of(const records::ErrorRecord& e, const io::Target& target, const Plan& plan) {
  struct stat st;
  struct statvfs fs;
  const bool on_disk = target.kind == io::TargetKind::regular || target.kind == io::TargetKind::block;
  if (!on_disk || ::fstat(target.fd, &st) != 0) return {};
  const bool atomic = plan.job.of<job::fields::FileOptions>().atomic && e.dir == io::Dir::write;
  if (atomic && (e.err == EOPNOTSUPP || e.err == EINVAL))
    if (auto known = refused_atomic(e, target.fd); !known.cause.empty()) return known;
  if (S_ISBLK(st.st_mode) && e.dir == io::Dir::write)
    if (auto known = refused_by_zones(e, target, plan.job); !known.cause.empty()) return known;
  if (e.err == EINVAL && plan.job.direct) return refused_size(e, st);
  if (target.kind != io::TargetKind::regular) return {};
  if (e.err == ENOSPC && ::fstatvfs(target.fd, &fs) == 0) {
    const auto free = static_cast<std::uint64_t>(fs.f_bavail) * fs.f_frsize;
    // xfs allocates new space for such a write. On Linux 6.18, random writes of 4 KiB fail with half of the disk free.
    if (atomic && free >= e.length_bytes)
      return {fmt::format("atomic=1: the file system has {} bytes free, but not in extents that an atomic write needs",
                          free),
              "free more space, or omit atomic="};
    return {fmt::format("the file system has {} bytes free", free), "free space, or lower size="};
  }
  const auto size = static_cast<std::uint64_t>(st.st_size);
  if (was_whole(e, plan) && size < target.size && made_by_the_job(plan, e.target))
    return {fmt::format("create_on_open=1 created the file, which has {} bytes: nothing was written at this offset yet",
                        size),
            "omit create_on_open=, so that files are laid out before the job"};
  if (was_whole(e, plan) && size < target.size)
    return {fmt::format("the file was cut short while the job ran: it had {} bytes and has {}", target.size, size),
            "keep other programs from shortening the file during the run"};
  const bool unfit = e.err == EINVAL || e.err == ENOTTY || e.err == EOPNOTSUPP;
  if (const auto why = io::traits_of(plan.job.ioengine).einval_means; unfit && !why.empty())
    return {std::string(why), ""};
  if (e.err == EOPNOTSUPP)
    return {"the file system does not support an I/O flag that an option sets", "omit nowait=, uncached= or hipri"};
  if (e.err == EIO && io::traits_of(plan.job.ioengine).maps_files)
    return {"the kernel could not read a page of the mapping (SIGBUS): `dmesg` shows the device's error", ""};
  return {};
}

}  // namespace

std::string kept_text(const records::WorkerRecord& record) {
  std::uint64_t ios = 0, bytes = 0;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    ios += record.measured.done.ios[d].get();
    bytes += record.measured.done.bytes[d].get();
  }
  return fmt::format("{} I/Os ({}) in {:.2f} s", ios, base::text::mib_text(bytes),
                     static_cast<double>(record.elapsed_ns) * 1e-9);
}

void explain_io_failures(const Plan& plan, const OpenTargets& open, records::WorkerRecord& record) {
  for (std::size_t i = 0; i < record.errors_kept; ++i) {
    auto& e = record.errors[i];
    if (!e.is_io || (e.what[0] != 0 && !e.told_by_engine) || e.target >= open.targets.size()) continue;
    const auto known = e.told_by_engine ? Known{e.what, ""} : known_of(e, open.targets[e.target], plan);
    if (known.cause.empty()) continue;
    const std::string remedy = known.remedy.empty() ? "" : "; " + known.remedy;
    records::write_down(e, known.cause + remedy + "; kept: " + kept_text(record));
    base::Error whole;
    whole.cause = known.cause;
    whole.help = known.remedy;
    records::tell(record, e, whole);
  }
}

}  // namespace fathom::run::files
