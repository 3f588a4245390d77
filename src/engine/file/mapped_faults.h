// A page of a mapped file that cannot be had (the file was cut short, its device failed, a hole cannot be filled) is a
// SIGBUS in the middle of a copy, which would end the worker, and with thread=1 the whole program. Here it becomes the
// failure of that one I/O: the handler puts an empty page in the place, so that the copy comes to its end, and leaves a
// mark that the engine looks at where it looks for direct=1 anyway. Thread rule: one engine a thread watches.
#pragma once
#include "engine/syscall_call.h"

namespace fathom::engine::file {

// Bits of CallContext::after_copy.
inline constexpr std::uint8_t kWriteBack = 1;    // direct=1
inline constexpr std::uint8_t kPageMissing = 2;  // set by the handler

void watch_faults(CallContext& context);  // of this thread; its mappings are complete
void forget_faults(const CallContext& context);

// The pages under [data, data + length) are the file's again; a mapping where that is refused ends before them.
void map_again(Mapping& mapping, int fd, std::byte* data, std::size_t length);

}  // namespace fathom::engine::file
