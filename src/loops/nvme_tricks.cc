// Ablation: one trick taken away from kDeepPolicy, or one added.
#include "loops/nvme.h"

namespace fathom::loops {
namespace {

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

std::span<const NvmeRow> nvme_trick_rows() { return kRows; }

}  // namespace fathom::loops
