// Compares the names in --allow-destructive with the targets of writes. The guard checks the other targets.
#include "session/jobs/refusals.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/disk/generic_device.h"
#include "nvme/device_address.h"

namespace fathom::session::jobs {
namespace {

base::Error not_named(const std::string& device) {
  base::Error e;
  e.kind = base::ErrorKind::refused;
  e.what = "writing to `" + device + "` would destroy its data";
  e.cause =
      "only its name in --allow-destructive permits this: partition tables and file systems are not detected on this "
      "device";
  e.help = "add --allow-destructive=" + device + " if its data may be overwritten";
  return e;
}

// A namespace has several names: 01:00.0 is 0000:01:00.0/1. A name that is not an address of the driver (/dev/ng0n1)
// equals only itself.
bool same_device(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto left = nvme::parse_address(a), right = nvme::parse_address(b);
  return left && right && left->kind == right->kind && left->where == right->where && left->nsid == right->nsid;
}

template <class Names>
bool named(const std::string& device, const Names& allowed) {
  return std::any_of(allowed.begin(), allowed.end(), [&](const auto& name) {
    return same_device(device, name) || same_device(device, host::guards::parse_allow_entry(name).device);
  });
}

}  // namespace

std::set<std::string> allowed_entries(const std::vector<run::files::Plan>& plans, const job::Command& command) {
  std::set<std::string> entries(command.allow_destructive.begin(), command.allow_destructive.end());
  for (const auto& target : run::write_targets(plans)) {
    const std::string block = target.device ? host::disk::block_path_of_generic(target.path) : std::string();
    if (block.empty()) continue;
    for (const auto& text : command.allow_destructive) {
      const std::string device = text == target.path ? text : host::guards::parse_allow_entry(text).device;
      if (device == target.path) entries.insert(block + text.substr(device.size()));
    }
  }
  return entries;
}

base::Expected<void> look_at_targets(host::guards::WriteGuard& guard, host::placement::Placements& placements,
                                     const std::vector<run::files::Plan>& plans, const job::Command& command,
                                     bool fio_mode) {
  std::vector<host::guards::WriteWish> wishes;
  bool option_counts_for_nothing = false;
  for (const auto& target : run::write_targets(plans)) {
    if (target.device) {
      if (!named(target.path, command.allow_destructive)) return not_named(target.path);
      const std::string block = host::disk::block_path_of_generic(target.path);
      if (!block.empty()) wishes.push_back({block, target.allow_mounted_write && fio_mode});
      continue;
    }
    wishes.push_back({target.path, target.allow_mounted_write && fio_mode});
    option_counts_for_nothing |= target.allow_mounted_write && !fio_mode;
  }
  auto ok = guard.look(wishes, placements);
  if (!ok && option_counts_for_nothing) ok.error().help += "; allow_mounted_write=1 works only under the name fio";
  return ok;
}

std::optional<base::Error> fatal_warning(const job::Command& command) {
  if (!command.warnings_fatal) return std::nullopt;
  for (const auto& job : command.jobs.jobs) {
    const bool ignored = !job.ignored.empty();
    if (!ignored && job.notes.empty()) continue;
    base::Error e;
    e.kind = base::ErrorKind::usage;
    e.what = ignored ? fmt::format("`{}` was accepted and has no effect", job.ignored.front()) : job.notes.front();
    e.cause = "--warnings-fatal";
    e.help = "change the option, or omit --warnings-fatal";
    e.place = job.place;
    return e;
  }
  return std::nullopt;
}

}  // namespace fathom::session::jobs
