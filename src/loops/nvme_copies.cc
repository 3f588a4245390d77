// Ablation: the ways of writing a command that no job gets by itself.
#include "loops/nvme.h"

namespace fathom::loops {
namespace {

constexpr nvme::Policy with(nvme::SqCopy copy) {
  nvme::Policy p = engine::userspace::kDeepPolicy;
  p.copy = copy;
  return p;
}

constexpr nvme::Policy kSse2 = with(nvme::SqCopy::sse2), kAvx512 = with(nvme::SqCopy::avx512),
                       kMovdir64b = with(nvme::SqCopy::movdir64b);

constexpr NvmeRow kRows[] = {
    {kSse2, nvme_plain_form<kSse2>},
    {kAvx512, nvme_plain_form<kAvx512>},
    {kMovdir64b, nvme_plain_form<kMovdir64b>},
};

}  // namespace

std::span<const NvmeRow> nvme_copy_rows() { return kRows; }

}  // namespace fathom::loops
