// Reads a bundle's zip archive, which is not trusted. Members are unpacked into memory, never to a disk.
// Refused: names that lead out of a directory (member_name.h), duplicate names, links, directories, encrypted members,
// methods other than stored and deflated, comments, more than 1000 members, more than 1 GiB unpacked.
// Also refused: bytes that belong to no member, and headers that differ from the list of members. Different programs
// would unpack different members of such an archive.
// Source: APPNOTE.TXT of PKWARE, 4.3. Thread rule: one thread.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "bundle/zip_memory.h"

namespace fathom::bundle {

inline constexpr std::uint64_t kMostUnpacked_bytes = std::uint64_t{1} << 30;
inline constexpr std::size_t kMostMembers = 1000;
// Members that deflate does not make smaller grow a little.
inline constexpr std::size_t kMostArchive_bytes = kMostUnpacked_bytes + (std::size_t{16} << 20);

struct Entry {
  std::string name;
  std::uint64_t size_bytes = 0;  // unpacked, as the archive states
};

class Archive {
 public:
  // ErrorKind::usage: not such an archive. file: its name, for messages.
  static base::Expected<Archive> open(std::string bytes, const std::string& file);
  Archive(Archive&&) noexcept;
  ~Archive();

  const std::vector<Entry>& entries() const { return entries_; }
  bool has(std::string_view name) const;
  // Passes the unpacked bytes to `take`, in parts. Returns what is wrong; empty: nothing.
  // The CRC of the archive has been checked only after the last part.
  std::string unpack(std::string_view name, const std::function<void(std::string_view)>& take) const;

 private:
  struct Reader;
  explicit Archive(std::unique_ptr<Reader> reader);
  base::Expected<void> list(const std::string& file);

  std::unique_ptr<Reader> reader_;
  std::vector<Entry> entries_;
};

}  // namespace fathom::bundle
