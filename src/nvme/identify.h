// Identify data of a controller and of a namespace.
// Source: NVM Express Base Specification 2.0c, figures 275 and 280; NVM Command Set Specification 1.0c, figure 97.
// Only the fields that the driver reads have names. The others are reserved_*.
// The layout is the wire format, little-endian. The values are unchecked data from the device.
// Thread rule: plain data and pure functions; any thread.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fathom::nvme {

// CNS values of Identify.
enum class Cns : std::uint8_t {
  identify_namespace = 0x00,
  identify_controller = 0x01,
  active_namespaces = 0x02,
  namespace_descriptors = 0x03,
};

#pragma pack(push, 1)
struct IdentifyController {
  std::uint16_t vid, ssvid;
  char sn[20], mn[40], fr[8];
  std::uint8_t rab, ieee[3], cmic;
  // Maximum transfer: 2^mdts pages of CAP.MPSMIN bytes. 0: no limit.
  std::uint8_t mdts;
  std::uint16_t cntlid;
  std::uint32_t ver, rtd3r, rtd3e, oaes, ctratt;
  std::uint8_t reserved_100[11], cntrltype, reserved_112[144];
  std::uint16_t oacs;
  std::uint8_t acl;   // maximum concurrent aborts, minus one
  std::uint8_t aerl;  // maximum outstanding async event requests, minus one
  std::uint8_t frmw, lpa, elpe, npss, avscc, apsta;
  std::uint16_t wctemp, cctemp;
  std::uint8_t reserved_270[242];
  std::uint8_t sqes, cqes;  // entry sizes as powers of two: 3:0 smallest, 7:4 largest
  std::uint16_t maxcmd;
  std::uint32_t nn;
  // Bit 0 compare, 1 write uncorrectable, 2 dataset management, 3 write zeroes.
  std::uint16_t oncs;
  std::uint16_t fuses;
  std::uint8_t fna, vwc;
  std::uint16_t awun, awupf;
  std::uint8_t icsvscc, nwpc;
  std::uint16_t acwu;
  std::uint8_t reserved_534[2];
  std::uint32_t sgls;
  std::uint8_t reserved_540[228];
  char subnqn[256];
  std::uint8_t reserved_1024[1024], power_states[1024], vendor[1024];
};
static_assert(sizeof(IdentifyController) == 4096);
static_assert(offsetof(IdentifyController, mdts) == 77 && offsetof(IdentifyController, oacs) == 256);
static_assert(offsetof(IdentifyController, sqes) == 512 && offsetof(IdentifyController, nn) == 516);
static_assert(offsetof(IdentifyController, oncs) == 520 && offsetof(IdentifyController, vwc) == 525);
static_assert(offsetof(IdentifyController, sgls) == 536 && offsetof(IdentifyController, subnqn) == 768);

struct LbaFormat {
  std::uint16_t ms;    // metadata bytes
  std::uint8_t lbads;  // log2 of the block size in bytes
  std::uint8_t rp;
};
static_assert(sizeof(LbaFormat) == 4);

struct IdentifyNamespace {
  std::uint64_t nsze, ncap, nuse;  // in logical blocks
  std::uint8_t nsfeat, nlbaf;
  std::uint8_t flbas;  // the format in use: see format_index()
  std::uint8_t mc, dpc, dps, nmic, rescap, fpi, dlfeat;
  std::uint16_t nawun, nawupf, nacwu, nabsn, nabo, nabspf;
  std::uint16_t noiob;
  std::uint8_t nvmcap[16];
  std::uint16_t npwg, npwa, npdg, npda, nows, mssrl;
  std::uint32_t mcl;
  std::uint8_t msrc, reserved_81[11];
  std::uint32_t anagrpid;
  std::uint8_t reserved_96[3], nsattr;
  std::uint16_t nvmsetid, endgid;
  std::uint8_t nguid[16], eui64[8];
  LbaFormat lbaf[64];
  std::uint8_t vendor[3712];
};
static_assert(sizeof(IdentifyNamespace) == 4096);
static_assert(offsetof(IdentifyNamespace, nguid) == 104 && offsetof(IdentifyNamespace, lbaf) == 128);
#pragma pack(pop)

// Index into lbaf of the format in use: FLBAS 3:0. With more than 16 formats, FLBAS 6:5 are the bits above these.
constexpr unsigned format_index(const IdentifyNamespace& ns) {
  const unsigned low = ns.flbas & 0xfu;
  return ns.nlbaf < 16 ? low : low | (ns.flbas >> 5 & 3u) << 4;
}

}  // namespace fathom::nvme
