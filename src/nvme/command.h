// A 64-byte command and a 16-byte completion, the two structures that cross the queues.
// The file also defines the opcodes, and the bits of the dwords that this driver writes.
// Source: NVM Express Base Specification 2.0c, figures 86-93 and 94-97; NVM Command Set Specification 1.0c, section 3.
// Names and sections are from these specifications.
// The wire format is little-endian. The driver supports little-endian machines only.
// Thread rule: plain data and constants; any thread.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

namespace fathom::nvme {

static_assert(std::endian::native == std::endian::little);

struct alignas(64) Command {
  std::uint8_t opcode = 0;  // CDW0: OPC
  std::uint8_t flags = 0;   // CDW0: FUSE (1:0), PSDT (7:6); 0: not fused, PRP
  std::uint16_t cid = 0;    // CDW0: CID
  std::uint32_t nsid = 0;   // CDW1
  std::uint32_t cdw2 = 0, cdw3 = 0;
  std::uint64_t mptr = 0;            // CDW4-5: metadata pointer; this driver leaves it 0
  std::uint64_t prp1 = 0, prp2 = 0;  // CDW6-9: DPTR
  std::uint32_t cdw10 = 0, cdw11 = 0, cdw12 = 0, cdw13 = 0, cdw14 = 0, cdw15 = 0;
};
static_assert(sizeof(Command) == 64);
static_assert(offsetof(Command, nsid) == 4 && offsetof(Command, mptr) == 16 && offsetof(Command, prp1) == 24);
static_assert(offsetof(Command, prp2) == 32 && offsetof(Command, cdw10) == 40 && offsetof(Command, cdw15) == 60);

struct Completion {
  std::uint32_t result = 0;       // DW0: command specific
  std::uint32_t result_high = 0;  // DW1: command specific
  std::uint16_t sq_head = 0;      // DW2: SQHD
  std::uint16_t sq_id = 0;        // DW2: SQID
  std::uint16_t cid = 0;          // DW3: CID
  std::uint16_t status = 0;       // DW3 31:16: phase (bit 0), SC (8:1), SCT (11:9), CRD (13:12), M (14), DNR (15)
};
static_assert(sizeof(Completion) == 16);
static_assert(offsetof(Completion, sq_head) == 8 && offsetof(Completion, cid) == 12 &&
              offsetof(Completion, status) == 14);

enum class AdminOpcode : std::uint8_t {
  delete_io_sq = 0x00,
  create_io_sq = 0x01,
  get_log_page = 0x02,
  delete_io_cq = 0x04,
  create_io_cq = 0x05,
  identify = 0x06,
  abort = 0x08,
  set_features = 0x09,
  get_features = 0x0a,
  async_event_request = 0x0c,
  namespace_attachment = 0x15,
  keep_alive = 0x18,
};

enum class NvmOpcode : std::uint8_t {
  flush = 0x00,
  write = 0x01,
  read = 0x02,
  write_uncorrectable = 0x04,
  compare = 0x05,
  write_zeroes = 0x08,
  dataset_management = 0x09,
};

enum class Feature : std::uint8_t {
  number_of_queues = 0x07,
  async_event_configuration = 0x0b,
  volatile_write_cache = 0x06,
};

inline constexpr std::uint32_t kForceUnitAccess = 1u << 30;  // CDW12 of read, write, write zeroes: FUA
inline constexpr std::uint32_t kDsmDeallocate = 1u << 2;     // CDW11 of dataset management: AD

// One range of a dataset management command (NVM Command Set Specification, figure 42).
struct DsmRange {
  std::uint32_t context = 0;
  std::uint32_t blocks = 0;  // length in logical blocks
  std::uint64_t lba = 0;     // first logical block
};
static_assert(sizeof(DsmRange) == 16);

}  // namespace fathom::nvme
