// Opens and closes a synchronous engine; see the header.
#include "engine/syscall_engine.h"

namespace fathom::engine {

base::Expected<void> SyscallEngine::open(const Setup& setup) {
  close();
  context_ = CallContext();
  context_.targets = setup.targets;
  context_.direct = setup.options.direct;
  open_ = true;
  if (calls_.prepare == nullptr) return {};
  auto ready = calls_.prepare(setup, context_);
  if (!ready) close();
  return ready;
}

base::Expected<void> SyscallEngine::begin() {
  return calls_.begin == nullptr ? base::Expected<void>() : calls_.begin(context_);
}

void SyscallEngine::close() {
  if (open_ && calls_.release != nullptr) calls_.release(context_);
  context_.own.reset();
  open_ = false;
}

}  // namespace fathom::engine
