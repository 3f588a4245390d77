// Ablations of the nvme loop. Each disables one optimization of kDeepPolicy, adds one, or writes a command in another
// way. Compiled only for bench builds and tests (cmake/ablations.cmake).
#include "loops/nvme.h"

namespace fathom::loops {
namespace {

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
  run_loop<GroupLoop<Engine, PlainForm>>(*group, PlainForm::Clock(), context);
  return {};
}

template <auto Member, auto kValue>
constexpr nvme::Policy with() {
  nvme::Policy p = engine::userspace::kDeepPolicy;
  p.*Member = kValue;
  return p;
}
template <nvme::Policy P>
constexpr NvmeRow row() {
  return {P, nvme_plain_form<P>};
}

using nvme::Policy;
constexpr NvmeRow kRows[] = {
    row<with<&Policy::copy, nvme::SqCopy::sse2>()>(),
    row<with<&Policy::copy, nvme::SqCopy::avx512>()>(),
    row<with<&Policy::copy, nvme::SqCopy::movdir64b>()>(),
    row<with<&Policy::sq_doorbell, nvme::SqDoorbell::command>()>(),
    row<with<&Policy::cq_doorbell, nvme::CqDoorbell::entry>()>(),
    row<with<&Policy::cq_doorbell, nvme::CqDoorbell::lazy>()>(),
    row<with<&Policy::cq_read, nvme::CqRead::entry>()>(),
    row<Policy{
        .copy = nvme::SqCopy::nontemporal, .lookahead = nvme::Lookahead::none, .cq_read = nvme::CqRead::entry}>(),
    row<Policy{
        .copy = nvme::SqCopy::nontemporal, .lookahead = nvme::Lookahead::pipeline, .cq_read = nvme::CqRead::entry}>(),
    row<with<&Policy::context, nvme::Context::in_request>()>(),
    row<with<&Policy::wide_entries, true>()>(),
    row<with<&Policy::trackers_4k_apart, true>()>(),
    row<with<&Policy::divide, true>()>(),
};

}  // namespace

std::span<const NvmeRow> nvme_ablation_rows() { return kRows; }

}  // namespace fathom::loops
