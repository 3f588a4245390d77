// Ends a block of requests where a place changes its file.
#include "run/files/open_places.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/system/fd.h"
#include "job/fields/files.h"
#include "run/records/setup_error.h"

namespace fathom::run::files {

OpenPlaces::OpenPlaces(workload::Source& requests, const Plan& plan, const OpenTargets& open,
                       records::WorkerRecord& record, const DescriptorLook& look)
    : requests_(&requests), plan_(plan), open_(open), record_(record), look_(look) {
  for (std::size_t place = 0; place < open.fds.size(); ++place) in_place_.push_back(static_cast<std::uint16_t>(place));
}

std::size_t OpenPlaces::next(std::span<io::Request> out) {
  if (failed_) return 0;
  if (next_ == made_) {
    next_ = 0;
    made_ = requests_->next({block_, std::min(out.size(), kBlock)});
  }
  std::size_t n = 0;
  for (; next_ < made_; ++next_) {
    const std::uint16_t file = block_[next_].target;
    if (in_place_[file % in_place_.size()] != file) {
      if (n > 0) break;
      if (!open_in_place(file)) return 0;
    }
    out[n++] = block_[next_];
  }
  return n;
}

OpenPlaces& OpenPlaces::continue_with(workload::Source& requests) {
  requests_ = &requests;
  next_ = made_ = 0;
  return *this;
}

int OpenPlaces::sync_closed() const {
  int err = 0;
  for (std::size_t file = 0; file < plan_.targets.size(); ++file) {
    const auto& target = plan_.targets[file];
    if (in_place_[file % in_place_.size()] == file || target.kind != io::TargetKind::regular) continue;
    const base::system::UniqueFd fd(::open(target.path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) == 0) continue;  // a file without any I/O may not exist
    if (err == 0) err = errno;
  }
  return err;
}

void OpenPlaces::fail(const base::Error& error) {
  failed_ = true;
  records::record_setup_error(record_, error, EIO);
}

bool OpenPlaces::open_in_place(std::uint16_t file) {
  const std::size_t place = file % in_place_.size();
  const int number = open_.fds[place].get();
  const auto& options = plan_.job.of<job::fields::FileOptions>();
  if ((options.fsync_on_close || plan_.job.end_fsync) && plan_.job.changes_targets() && ::fsync(number) != 0)
    return fail(base::system_error("fsync `" + plan_.targets[in_place_[place]].path + "`", errno)), false;
  const auto& target = plan_.targets[file];
  auto fd = open_target(plan_.job, target, plan_.targets.size());
  if (!fd) return fail(fd.error()), false;
  if (look_ && plan_.job.changes_targets())
    if (auto ok = look_(target.path, fd->get()); !ok) return fail(ok.error()), false;
  if (::dup3(fd->get(), number, O_CLOEXEC) < 0)
    return fail(base::system_error("open `" + target.path + "`", errno)), false;
  in_place_[place] = file;
  return true;
}

}  // namespace fathom::run::files
