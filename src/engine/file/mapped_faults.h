// An inaccessible page of a mapped file (a truncated file, a failed device, a hole that cannot be filled) raises SIGBUS
// during a copy. This would end the worker, and with thread=1 the whole program. Here only that I/O fails: the handler
// maps an empty page in place, so that the copy completes, and sets a flag. The engine tests this flag where it tests
// for direct=1 anyway. Thread rule: one watched engine per thread.
#pragma once
#include "engine/syscall_call.h"

namespace fathom::engine::file {

// Bits of CallContext::after_copy.
inline constexpr std::uint8_t kWriteBack = 1;    // direct=1
inline constexpr std::uint8_t kPageMissing = 2;  // set by the handler

void watch_faults(CallContext& context);  // for this thread; the context's mappings are complete
void forget_faults(const CallContext& context);

// Maps the file again under [data, data + length). If that fails, the mapping ends before these pages.
void map_again(Mapping& mapping, int fd, std::byte* data, std::size_t length);

}  // namespace fathom::engine::file
