// The table of engines that make one call an I/O; see the header.
#include "engine/syscall_engine.h"

#include <fmt/format.h>

namespace fathom::engine {
namespace {

base::Expected<void> prepare_nothing(const Setup&, CallContext&) { return {}; }
void release_nothing(CallContext&) {}

constexpr SyscallRow kRows[] = {
    {"sync", prepare_sync, sync_io, release_nothing},
    {"psync", prepare_nothing, psync_io, release_nothing},
    {"pvsync2", prepare_pvsync2, pvsync2_io, release_nothing},
    {"mmap", prepare_mmap, mmap_io, release_mmap},
};

}  // namespace

base::Expected<void> SyscallEngine::open(const Setup& setup) {
  close();
  for (const SyscallRow& row : kRows) {
    if (row.name != setup.name) continue;
    context_ = CallContext();
    context_.targets = setup.targets;
    context_.direct = setup.options.direct;
    if (auto ready = row.prepare(setup, context_); !ready) {
      row.release(context_);
      return ready;
    }
    row_ = &row;
    do_io_ = row.do_io;
    return {};
  }
  base::Error e;
  e.what = fmt::format("ioengine={}: not an engine that makes a system call an I/O", setup.name);
  return e;
}

void SyscallEngine::close() {
  if (row_) row_->release(context_);
  row_ = nullptr;
}

}  // namespace fathom::engine
