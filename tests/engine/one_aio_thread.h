// Under ThreadSanitizer the C library's POSIX AIO has one thread. It begins its threads by itself, the second one from the
// first; ThreadSanitizer sees none of them begin, and its allocator ends the program in whichever asks it for memory, as
// the first does for the second's stack. Included by tests of ioengine=posixaio.
#pragma once
#include <aio.h>

#include "base/sanitized.h"

namespace fathom::engine::test {

inline const bool kOneAioThread = [] {
  if (FATHOM_TSAN == 0) return false;
  aioinit one{};
  one.aio_threads = 1;
  ::aio_init(&one);
  return true;
}();

}  // namespace fathom::engine::test
