// Controller registers: offsets into BAR0 in bytes, and the fields of each.
// Source: NVM Express Base Specification 2.0c, section 3.1.3.
// Thread rule: constants and pure functions; any thread.
#pragma once
#include <cstdint>

namespace fathom::nvme {

enum Register : std::uint32_t {
  kCap = 0x00,    // 64 bit: controller capabilities
  kVs = 0x08,     // version
  kIntms = 0x0c,  // interrupt mask set
  kIntmc = 0x10,  // interrupt mask clear
  kCc = 0x14,     // controller configuration
  kCsts = 0x1c,   // controller status
  kNssr = 0x20,   // NVM subsystem reset
  kAqa = 0x24,    // admin queue attributes
  kAsq = 0x28,    // 64 bit: admin submission queue base
  kAcq = 0x30,    // 64 bit: admin completion queue base
  kDoorbells = 0x1000,
};

// CAP, decoded. `raw` is the register's value.
struct Cap {
  std::uint64_t raw = 0;
  std::uint32_t queue_entries_max() const { return static_cast<std::uint32_t>(raw & 0xffff) + 1; }   // MQES
  bool contiguous_queues() const { return (raw >> 16) & 1; }                                         // CQR
  std::uint32_t timeout_ms() const { return static_cast<std::uint32_t>((raw >> 24) & 0xff) * 500; }  // TO
  std::uint32_t doorbell_stride_bytes() const { return 4u << ((raw >> 32) & 0xf); }                  // DSTRD
  bool subsystem_reset() const { return (raw >> 36) & 1; }                                           // NSSRS
  std::uint32_t command_sets() const { return static_cast<std::uint32_t>((raw >> 37) & 0xff); }      // CSS
  std::uint32_t page_bytes_min() const { return 4096u << ((raw >> 48) & 0xf); }                      // MPSMIN
  std::uint32_t page_bytes_max() const { return 4096u << ((raw >> 52) & 0xf); }                      // MPSMAX
};

// CC: enable (0), CSS (6:4), MPS (10:7), AMS (13:11), SHN (15:14), IOSQES (19:16), IOCQES (23:20)
inline constexpr std::uint32_t kCcEnable = 1;
inline constexpr std::uint32_t kCcShutdownNormal = 1u << 14;
inline constexpr std::uint32_t kCcShutdownMask = 3u << 14;
constexpr std::uint32_t cc_entry_sizes(std::uint32_t sqes, std::uint32_t cqes) { return sqes << 16 | cqes << 20; }

// CSTS
inline constexpr std::uint32_t kCstsReady = 1;
inline constexpr std::uint32_t kCstsFatal = 2;  // CFS
inline constexpr std::uint32_t kCstsShutdownMask = 3u << 2;
inline constexpr std::uint32_t kCstsShutdownComplete = 2u << 2;

inline constexpr std::uint32_t kAllOnes = 0xffffffff;  // register value of a device that is gone

// Offset in bytes from kDoorbells to the doorbell of queue `qid` (section 3.1.3.15 ff.).
// stride_bytes: Cap::doorbell_stride_bytes().
constexpr std::uint32_t sq_doorbell_offset(std::uint32_t qid, std::uint32_t stride_bytes) {
  return 2 * qid * stride_bytes;
}
constexpr std::uint32_t cq_doorbell_offset(std::uint32_t qid, std::uint32_t stride_bytes) {
  return (2 * qid + 1) * stride_bytes;
}

}  // namespace fathom::nvme
