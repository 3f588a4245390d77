// A record of the kernel's block trace (include/uapi/linux/blktrace_api.h), binary or as blkparse prints it.
// Thread rule: plain data; any thread.
#pragma once
#include <cstdint>

namespace fathom::trace::readers {

enum BlkAct : std::uint16_t {
  kBlkQueue = 1,
  kBlkBackMerge = 2,
  kBlkFrontMerge = 3,
  kBlkIssue = 7,
  kBlkComplete = 8,
};

// The high half of blk_io_trace.action.
enum BlkFlag : std::uint16_t {
  kBlkRead = 1,
  kBlkWrite = 2,
  kBlkFlush = 4,
  kBlkPassthrough = 512,
  kBlkNotify = 1024,
  kBlkDiscard = 8192,
  kBlkFua = 32768,
};

inline constexpr std::uint64_t kSector_bytes = 512;

struct BlkRecord {
  std::uint64_t time_ns = 0;
  std::uint64_t sector = 0;
  std::uint32_t bytes = 0;
  std::uint16_t act = 0;     // BlkAct
  std::uint16_t flags = 0;   // BlkFlag
  std::uint32_t device = 0;  // major << 20 | minor
  std::uint32_t task = 0;    // of a completion: whichever was running
};

}  // namespace fathom::trace::readers
