// pvsync2: preadv2 and pwritev2. Their flags can make the kernel poll for the completion (hipri, RWF_HIPRI) in a share
// of the I/Os.
#include <sys/uio.h>

#include <cerrno>

#include "engine/file_ops.h"
#include "engine/parts.h"
#include "engine/raw_call.h"
#include "io/options/hipri.h"
#include "io/options/hipri_percentage.h"
#include "io/options/nowait.h"
#include "io/options/uncached.h"

namespace fathom::engine {
namespace {

base::Expected<void> prepare_pvsync2(const Setup& setup, CallContext& context) {
  const bool hipri = setup.options.of<io::HipriOptions>().hipri;
  context.hipri_percent = hipri ? setup.options.of<io::HipriPercentageOptions>().percentage : 0;
  const int flags =
      static_cast<int>((setup.options.of<io::NowaitOptions>().nowait ? unsigned{RWF_NOWAIT} : 0) |
                       (setup.options.of<io::UncachedOptions>().uncached ? io::UncachedOptions::kFlag : 0));
  context.rw_flags[0] = flags;
  context.rw_flags[1] = flags | RWF_HIPRI;
  context.write_flags = setup.job.atomic ? kAtomicWrite : 0;
  return {};
}

std::int32_t pvsync2_io(CallContext& context, const io::Request& request, std::byte* buffer) {
  const io::Target& target = context.targets[request.target];
  if (request.dir == io::Dir::trim) return trim_range(target, request);
  if (request.dir == io::Dir::sync) return sync_file(target.fd, request);
  const iovec vector{buffer, request.length};
  const bool poll = context.hipri_percent != 0 && context.prng.below(100) < context.hipri_percent;
  const bool read = request.dir == io::Dir::read;
  const int flags = context.rw_flags[poll] | (read ? 0 : context.write_flags) | write_through_of(request);
  // The kernel's interface has two words for the offset. A 64-bit system uses the first one.
  return static_cast<std::int32_t>(raw_call(read ? SYS_preadv2 : SYS_pwritev2, target.fd, as_argument(&vector), 1,
                                            static_cast<long>(request.offset), 0, flags));
}

}  // namespace

const Calls pvsync2_calls{pvsync2_io, prepare_pvsync2};

}  // namespace fathom::engine
