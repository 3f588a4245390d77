// From the spec of a job to its generator: the one switch over the kinds.
#include "pattern/sampler.h"

#include <algorithm>

namespace fathom::pattern {
namespace {

std::uint64_t hottest_rank(const Spec& spec, std::uint64_t n) { return spec.kind == Kind::normal ? n / 2 : 0; }

Sampler::Generator make(const Spec& spec, std::uint64_t n, std::uint64_t block_bytes, std::uint64_t key) {
  switch (spec.kind) {
    case Kind::zipf:
      return Sampler::Scattered<draws::Zipf>{draws::Zipf(spec.parameter, n), Placement(spec, n, key)};
    case Kind::pareto:
      return Sampler::Scattered<draws::Pareto>{draws::Pareto(spec.parameter, n), Placement(spec, n, key)};
    case Kind::normal:
      return Sampler::Scattered<draws::Normal>{draws::Normal(spec.parameter, n), Placement(spec, n, key)};
    case Kind::zoned:
    case Kind::zoned_abs:
      return Zoned(spec, n, block_bytes);
    case Kind::uniform:
      break;
  }
  return Uniform(n);
}

}  // namespace

Placement::Placement(const Spec& spec, std::uint64_t n, std::uint64_t key) : scatter_(n, key) {
  if (spec.center < 0) return;
  const auto center = std::min(static_cast<std::uint64_t>(static_cast<double>(n) * spec.center), n - 1);
  const std::uint64_t hottest = scatter_(hottest_rank(spec, n));
  shift_ = center >= hottest ? center - hottest : center + n - hottest;
}

Sampler::Sampler(const Spec& spec, std::uint64_t n, std::uint64_t block_bytes, std::uint64_t key)
    : generator_(make(spec, std::max<std::uint64_t>(n, 1), block_bytes, key)) {}

}  // namespace fathom::pattern
