// The loops for engine/userspace/nvme.h: the compiled policies, and the forms of the loop for each. A policy is part of
// the type, so each policy has a separate loop. The two default policies exist in every form (clock, timestamps,
// pacing). The others, which disable or add one optimization, are in ablations/, and only in bench builds.
#pragma once
#include <memory>

#include "engine/userspace/nvme.h"
#include "engine/userspace/nvme_policy.h"
#include "loops/instantiate.h"
#include "loops/table.h"
#include "run/loop/device_group_loop.h"

namespace fathom::loops {

using NvmeLoop = base::Expected<void> (*)(LoopContext&);
struct NvmeRow {
  nvme::Policy policy;
  NvmeLoop loop;
};

// One engine per device, all driven by this thread.
template <class Engine>
base::Expected<run::loop::DeviceGroup<Engine>> open_group(LoopContext& context) {
  run::loop::DeviceGroup<Engine> group;
  for (std::uint32_t device = 0; device < context.targets.size(); ++device) {
    group.push_back(std::make_unique<run::loop::DeviceOfGroup<Engine>>(context, device));
    auto& one = *group.back();
    if (auto ok = one.verify_as(context, device); !ok) return ok.error();
    if (auto opened = open(one.engine, one.context, context.job.iodepth); !opened) return opened.error();
  }
  return group;
}

template <class Engine, class V>
using GroupLoop = run::loop::DeviceGroupLoop<TraitsOf<Engine, V>>;

template <nvme::Policy P>
base::Expected<void> nvme_full(LoopContext& context) {
  using Engine = engine::userspace::NvmeEngine<P>;
  if (!context.job.depth_per_file || context.targets.size() == 1) {
    Engine engine;
    return drive_queue(engine, context);
  }
  auto group = open_group<Engine>(context);
  if (!group) return group.error();
  with_variant<Engine>(std::type_identity<Common>(), context, [&](auto variant, auto clock) {
    run_loop<GroupLoop<Engine, decltype(variant)>>(*group, clock, context);
  });
  return {};
}

// The only form of the loop for ablations: CPU clock, fathom's timestamps, no pacing.
using PlainForm = Variant<clock::sources::CpuClock, Stamping::fathom, false>;

base::Expected<void> nvme_words_loop(LoopContext& context);        // kPlainPolicy
base::Expected<void> nvme_nontemporal_loop(LoopContext& context);  // kDeepPolicy
std::span<const NvmeRow> nvme_ablation_rows();                     // empty except in a bench build

}  // namespace fathom::loops
