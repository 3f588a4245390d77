// Targets without a disk: a file on tmpfs, a device with its file there (even below other layers), or a kernel device.
#include "witness/targets/without_disk.h"

#include <sys/sysmacros.h>

#include <optional>
#include <string>

#include "audit/witnesses/evidence.h"
#include "io/engines.h"
#include "result/findings/rows.h"
#include "witness/targets/file_state.h"

namespace fathom::witness::targets {
namespace {

using result::findings::found;

struct InMemory {
  std::string what, file_system;
};

std::optional<InMemory> file_in_memory(const run::files::Plan& plan, host::placement::Placements& placements) {
  if (is_direct(plan.job)) return std::nullopt;
  for (const auto& target : plan.targets) {
    if (target.kind != io::TargetKind::regular) continue;
    const auto& place = placements.of(target.path, plan.job.mode.writes);
    if (place.in_memory) return InMemory{"`" + target.path + "`", place.file_system};
  }
  return std::nullopt;
}

// /dev/null, /dev/zero and similar devices have the major number of the memory driver.
std::string device_of_kernel(const run::files::Plan& plan, host::placement::Placements& placements) {
  constexpr unsigned kMemoryMajor = 1;
  for (const auto& target : plan.targets)
    if (target.kind == io::TargetKind::character &&
        major(placements.of(target.path, plan.job.mode.writes).node) == kMemoryMajor)
      return target.path;
  return {};
}

std::optional<InMemory> device_in_memory(const audit::witnesses::Facts& facts, std::vector<std::string> disks) {
  for (const auto& layer : facts.layers) {  // upper layers before lower ones
    if (!audit::witnesses::holds(disks, layer.upper)) continue;
    if (!layer.memory.empty()) return InMemory{layer.upper + " with its file `" + layer.file + "`", layer.memory};
    disks.insert(disks.end(), layer.lower.begin(), layer.lower.end());
  }
  return std::nullopt;
}

}  // namespace

std::vector<result::Finding> without_disk(const std::vector<run::files::Plan>& plans,
                                          const audit::witnesses::Facts& facts,
                                          host::placement::Placements& placements) {
  std::vector<result::Finding> out;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto& plan = plans[i];
    if (plan.failed || !io::traits_of(plan.job.ioengine).no_block_layer.empty()) continue;
    if (const auto device = device_of_kernel(plan, placements); !device.empty())
      out.push_back(found("run.no_medium", {.variant = "kernel",
                                            .job = plan.job.name,
                                            .values = {{"device", device}},
                                            .effect = result::Effect{result::EffectOn::bytes, 1}}));
    auto memory = device_in_memory(facts, facts.jobs[i].disks);
    if (!memory) memory = file_in_memory(plan, placements);
    if (memory)
      out.push_back(found("run.no_medium", {.variant = "memory",
                                            .job = plan.job.name,
                                            .values = {{"device", memory->what}, {"place", memory->file_system}},
                                            .effect = result::Effect{result::EffectOn::bytes, 1}}));
    else if (!facts.jobs[i].unfollowed.empty())
      out.push_back(found("audit.no_disk", {.job = plan.job.name, .values = {{"cause", facts.jobs[i].unfollowed}}}));
  }
  return out;
}

}  // namespace fathom::witness::targets
