// The first bytes of disks with a partition table, built by hand: the machines that run the tests need no partitioning
// tool.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>

namespace fathom::host::testing {

template <class T>
void put(std::string& image, std::size_t offset, T value) {
  std::memcpy(image.data() + offset, &value,
              sizeof value);  // tables are little-endian, as every machine fathom builds for
}

// One entry of the table in sector 0, and its signature.
inline std::string dos_table(std::uint8_t type = 0x83, std::uint32_t first = 2048, std::uint32_t sectors = 40960) {
  constexpr std::size_t kEntry = 446, kSignature = 510;
  std::string sector(512, '\0');
  put(sector, kEntry + 4, type);
  put(sector, kEntry + 8, first);
  put(sector, kEntry + 12, sectors);
  put<std::uint16_t>(sector, kSignature, 0xaa55);
  return sector;
}

// An LVM physical volume's label, for sector 1; its checksum is left wrong.
inline std::string lvm2_label() {
  std::string sector(512, '\0');
  std::memcpy(sector.data(), "LABELONE", 8);
  put<std::uint64_t>(sector, 8, 1);  // the sector it lies in
  std::memcpy(sector.data() + 24, "LVM2 001", 8);
  return sector;
}

inline std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const char c : bytes) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

// Protective MBR, header (UEFI 5.3.2) and 128 entries, the first a Linux file system: 34 sectors.
inline std::string gpt_table(std::uint64_t disk_bytes) {
  constexpr std::size_t kHeader = 512, kEntries = 1024, kEntryBytes = 128, kEntryCount = 128;
  constexpr unsigned char kLinuxData[] = {0xaf, 0x3d, 0xc6, 0x0f, 0x83, 0x84, 0x72, 0x47,
                                          0x8e, 0x79, 0x3d, 0x69, 0xd8, 0x47, 0x7d, 0xe4};
  const std::uint64_t last = disk_bytes / 512 - 1;
  std::string image = dos_table(0xee, 1, static_cast<std::uint32_t>(last));
  image.resize(kEntries + kEntryBytes * kEntryCount, '\0');
  std::memcpy(image.data() + kEntries, kLinuxData, sizeof kLinuxData);
  put<std::uint64_t>(image, kEntries + 16, 1);     // unique id
  put<std::uint64_t>(image, kEntries + 32, 2048);  // first and last sector
  put<std::uint64_t>(image, kEntries + 40, 40960);
  std::memcpy(image.data() + kHeader, "EFI PART", 8);
  put<std::uint32_t>(image, kHeader + 8, 0x00010000);
  put<std::uint32_t>(image, kHeader + 12, 92);  // header bytes
  put<std::uint64_t>(image, kHeader + 24, 1);   // this header, the other one, first and last usable sector
  put<std::uint64_t>(image, kHeader + 32, last);
  put<std::uint64_t>(image, kHeader + 40, 34);
  put<std::uint64_t>(image, kHeader + 48, last - 33);
  put<std::uint64_t>(image, kHeader + 56, 2);  // disk id
  put<std::uint64_t>(image, kHeader + 72, 2);  // where the entries are, how many, how large, their sum
  put<std::uint32_t>(image, kHeader + 80, kEntryCount);
  put<std::uint32_t>(image, kHeader + 84, kEntryBytes);
  put<std::uint32_t>(image, kHeader + 88, crc32(std::string_view(image).substr(kEntries)));
  put<std::uint32_t>(image, kHeader + 16, crc32(std::string_view(image).substr(kHeader, 92)));
  return image;
}

}  // namespace fathom::host::testing
