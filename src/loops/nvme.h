// The loops over engine/userspace/nvme.h: which policies are compiled, and in which forms of the loop. A policy is part of the
// type, so each is a loop of its own. The two that jobs get by themselves exist in every form (clock, stamps, pacing);
// the others, which take one trick away or add one, only in the form that ablations are measured in: CPU clock,
// fathom's stamps, no pacing.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "engine/userspace/nvme.h"
#include "engine/userspace/nvme_policy.h"
#include "loops/instantiate.h"
#include "loops/table.h"
#include "workload/stream.h"

namespace fathom::loops {

using NvmeLoop = base::Expected<void> (*)(LoopContext&);
struct NvmeRow {
  nvme::Policy policy;
  NvmeLoop loop;
};

// One file of a job that keeps each of its files busy by itself (depth_per_file): its engine, stream and buffers.
template <class Engine>
struct OfOneFile {
  Engine engine;
  workload::Stream stream;
  LoopContext context;
  std::optional<run::checks::Verification> verification;
  OfOneFile(LoopContext& whole, std::uint32_t file)
      : stream(whole.job, whole.targets.subspan(file, 1), whole.job_index * 1024 + file),
        context{whole.job,
                whole.targets.subspan(file, 1),
                &stream,
                whole.buffers.from(file * whole.job.iodepth),
                whole.record,
                whole.stop,
                whole.calibration,
                whole.refill,
                whole.new_pass,
                whole.at_end,
                file,
                whole.job_index,
                whole.ready,
                nullptr,
                whole.before_read_back,
                whole.stamps} {
    context.watches = whole.watches;
  }
  base::Expected<void> verify_as(const LoopContext& whole, std::uint32_t file) {
    if (whole.verification == nullptr) return {};
    auto made =
        run::checks::Verification::make(whole.job, context.targets, whole.job_index * 1024 + file,
                                        whole.verification->generation(), whole.verification->others_write_there());
    if (!made) return made.error();
    verification.emplace(std::move(*made));
    context.verification = &*verification;
    return {};
  }
};

template <class Engine>
using Group = std::vector<std::unique_ptr<OfOneFile<Engine>>>;

// An engine a file, all of them driven by this thread.
template <class Engine>
base::Expected<Group<Engine>> open_group(LoopContext& context) {
  Group<Engine> group;
  for (std::uint32_t file = 0; file < context.targets.size(); ++file) {
    group.push_back(std::make_unique<OfOneFile<Engine>>(context, file));
    auto& one = *group.back();
    if (auto ok = one.verify_as(context, file); !ok) return ok.error();
    if (auto opened = open(one.engine, one.context, context.job.iodepth); !opened) return opened.error();
  }
  return group;
}

template <class Loop, class Engine, class Clock>
void run_group(Group<Engine>& group, Clock clock, LoopContext& context) {
  std::vector<std::unique_ptr<Loop>> loops;
  for (auto& file : group) loops.push_back(std::make_unique<Loop>(file->engine, clock, file->context));
  loops[0]->lead(loops);
  if (context.ready()) loops[0]->run();
}

template <nvme::Policy P>
base::Expected<void> nvme_full(LoopContext& context) {
  using Engine = engine::userspace::NvmeEngine<P>;
  if (!context.job.depth_per_file || context.targets.size() == 1) {
    Engine engine;
    return drive_queue(engine, context);
  }
  auto group = open_group<Engine>(context);
  if (!group) return group.error();
  with_variant(std::type_identity<Common>(), context, [&](auto variant, auto clock) {
    run_group<QueueLoop<Engine, decltype(variant)>>(*group, clock, context);
  });
  return {};
}

// The one form of the loop that ablations have.
using PlainForm = Variant<clock::sources::CpuClock, Stamping::fathom, false>;

// What the job itself has to say for the plain form, known before it runs.
inline bool plain_job(const job::Job& job) {
  const bool cpu_clock = job.clocksource == job::ClockSource::automatic || job.clocksource == job::ClockSource::cpu;
  return cpu_clock && !job.paced() && job.thinktime_ns == 0 && !job.verify && job.fill == job::Fill::stamped &&
         run::loop::stamping_of(job) == PlainForm::kStamps;
}

inline bool plain_form(const LoopContext& context) { return plain_job(context.job) && PlainForm::fits(context); }

template <nvme::Policy P>
base::Expected<void> nvme_plain_form(LoopContext& context) {
  using Engine = engine::userspace::NvmeEngine<P>;
  if (!context.job.depth_per_file || context.targets.size() == 1) {
    Engine engine;
    if (auto opened = open(engine, context, context.job.iodepth); !opened) return opened;
    run_loop<QueueLoop<Engine, PlainForm>>(engine, PlainForm::Clock(), context);
    engine.close();
    return {};
  }
  auto group = open_group<Engine>(context);
  if (!group) return group.error();
  run_group<QueueLoop<Engine, PlainForm>>(*group, PlainForm::Clock(), context);
  return {};
}

base::Expected<void> nvme_words_loop(LoopContext& context);        // kPlainPolicy
base::Expected<void> nvme_nontemporal_loop(LoopContext& context);  // kDeepPolicy
std::span<const NvmeRow> nvme_copy_rows();
std::span<const NvmeRow> nvme_trick_rows();

}  // namespace fathom::loops
