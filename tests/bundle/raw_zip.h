// A zip archive of stored members, byte by byte: every field can be wrong, and the headers may differ from the list.
#pragma once
#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fathom::bundle {

struct RawMember {
  std::string name, bytes;
  std::uint16_t flags = 0, method = 0;
  std::uint32_t attributes = 0100644u << 16;
  std::string local_name = {};     // empty: as name
  std::int64_t stated_bytes = -1;  // -1: the size
  std::string comment = {};
};

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

inline std::uint32_t crc_of(const std::string& bytes) {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<unsigned>(bytes.size())));
}

struct RawZip {
  std::vector<RawMember> members;
  std::string before = {}, between = {}, after = {};  // bytes of no member; between: before the list
  std::int64_t stated_members = -1;

  std::string text() const {
    std::string out = before, list;
    for (const auto& m : members) {
      const auto offset = out.size();
      const auto size = m.stated_bytes < 0 ? m.bytes.size() : static_cast<std::uint64_t>(m.stated_bytes);
      const auto fields = little_endian(m.flags, 2) + little_endian(m.method, 2) + little_endian(0x00210000, 4) +
                          little_endian(crc_of(m.bytes), 4) + little_endian(m.bytes.size(), 4) + little_endian(size, 4);
      const auto& local = m.local_name.empty() ? m.name : m.local_name;
      out += "PK\3\4" + little_endian(20, 2) + fields + little_endian(local.size(), 2) + little_endian(0, 2) + local +
             m.bytes;
      list += "PK\1\2" + little_endian(3 << 8 | 20, 2) + little_endian(20, 2) + fields +
              little_endian(m.name.size(), 2) + little_endian(0, 2) + little_endian(m.comment.size(), 2) +
              little_endian(0, 4) + little_endian(m.attributes, 4) + little_endian(offset, 4) + m.name + m.comment;
    }
    out += between;
    const auto at = out.size();
    const auto count = stated_members < 0 ? members.size() : static_cast<std::uint64_t>(stated_members);
    return out + list + "PK\5\6" + little_endian(0, 4) + little_endian(count, 2) + little_endian(count, 2) +
           little_endian(list.size(), 4) + little_endian(at, 4) + little_endian(0, 2) + after;
  }
};

}  // namespace fathom::bundle
