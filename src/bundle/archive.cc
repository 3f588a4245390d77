// minizip's unzip.h, from memory. minizip reads the list of members and inflates; the checks are here.
#include "bundle/archive.h"

#include <fmt/format.h>
#include <minizip/unzip.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/text/printable.h"
#include "bundle/member_name.h"

namespace fathom::bundle {
namespace {

// Sizes of the fixed parts, and places in them.
constexpr std::uint64_t kLocalHeader = 30, kListHeader = 46, kEnd = 22;
constexpr std::uint64_t kNameSizeAt = 26, kExtraSizeAt = 28;
constexpr uLong kEncrypted = 1 << 0, kSizesFollow = 1 << 3, kStrongEncryption = 1 << 6, kMaskedHeaders = 1 << 13;
constexpr uLong kDosDirectory = 0x10;

base::Error no_bundle(const std::string& file, std::string cause) {
  base::Error error;
  error.what = fmt::format("`{}` is not a bundle", base::text::printable(file));
  error.cause = std::move(cause);
  error.help = "name a file that `fathom bundle` wrote";
  return error;
}

std::uint64_t number_at(std::string_view bytes, std::uint64_t at) {
  const auto byte = [&](std::uint64_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])); };
  return byte(at) | byte(at + 1) << 8;
}

// What the list states of a member that fathom does not accept; empty: nothing.
std::string refused_trait(const unz_file_info64& info) {
  if ((info.flag & (kEncrypted | kStrongEncryption | kMaskedHeaders)) != 0) return "it is encrypted";
  if ((info.flag & kSizesFollow) != 0) return "its size follows its data";
  if (info.compression_method != 0 && info.compression_method != Z_DEFLATED)
    return fmt::format("its compression method is {}; known: 0 and {}", info.compression_method, Z_DEFLATED);
  if (info.compression_method == 0 && info.compressed_size != info.uncompressed_size) return "it has two sizes";
  const auto mode = static_cast<mode_t>(info.external_fa >> 16);
  if (S_ISLNK(mode)) return "it is a link";
  if (((mode & S_IFMT) != 0 && !S_ISREG(mode)) || (info.external_fa & kDosDirectory) != 0)
    return "it is no regular file";
  if (info.size_file_comment != 0) return "it has a comment";
  if (info.disk_num_start != 0) return "it begins in another file";
  return {};
}

}  // namespace

struct Archive::Reader {
  explicit Reader(std::string text) : bytes(std::move(text)), input{bytes} {
    auto functions = functions_of(input);
    zip = unzOpen2_64("bundle", &functions);
  }
  ~Reader() {
    if (zip != nullptr) unzClose(zip);
  }
  Reader(const Reader&) = delete;

  // Reads the current member of the list. Returns what is wrong; empty: nothing.
  std::string take(Entry& entry);
  // The same for its header and data, which must begin where the one before ends.
  std::string take_data(const Entry& entry);
  std::string take_end() const;

  std::string bytes;
  ZipInput input;
  unzFile zip = nullptr;
  std::vector<unz64_file_pos> places;
  unz_file_info64 info = {};
  std::uint64_t next = 0;        // end of the data of the members so far
  std::uint64_t list_bytes = 0;  // of the members so far
  std::uint64_t total_bytes = 0;
};

std::string Archive::Reader::take(Entry& entry) {
  std::array<char, kMostNameBytes + 1> name;
  unz64_file_pos place = {};
  if (unzGetCurrentFileInfo64(zip, &info, name.data(), name.size(), nullptr, 0, nullptr, 0) != UNZ_OK ||
      unzGetFilePos64(zip, &place) != UNZ_OK)
    return "its list of members is damaged";
  places.push_back(place);
  entry.name.assign(name.data(), std::min<std::size_t>(info.size_filename, name.size()));
  entry.size_bytes = info.uncompressed_size;
  const auto shown = base::text::printable(entry.name);
  if (const auto why = refusal_of(entry.name); !why.empty()) return fmt::format("member `{}`: {}", shown, why);
  if (const auto why = refused_trait(info); !why.empty()) return fmt::format("member `{}`: {}", shown, why);
  if (entry.size_bytes > kMostUnpacked_bytes - total_bytes)
    return fmt::format("it has more than {} MiB unpacked", kMostUnpacked_bytes >> 20);
  total_bytes += entry.size_bytes;
  list_bytes += kListHeader + info.size_filename + info.size_file_extra;
  return {};
}

std::string Archive::Reader::take_data(const Entry& entry) {
  const auto shown = base::text::printable(entry.name);
  const std::string_view all = bytes;
  const bool fits = next + kLocalHeader <= all.size();
  const auto name_bytes = fits ? number_at(all, next + kNameSizeAt) : 0;
  const auto data = next + kLocalHeader + name_bytes + (fits ? number_at(all, next + kExtraSizeAt) : 0);
  if (!fits || data > all.size() || all.substr(next + kLocalHeader, name_bytes) != entry.name)
    return fmt::format("member `{}` does not begin where the one before ends", shown);
  if (unzOpenCurrentFile(zip) != UNZ_OK) return fmt::format("the header of member `{}` is damaged", shown);
  const auto found = unzGetCurrentFileZStreamPos64(zip);
  unzCloseCurrentFile(zip);
  if (found != data) return fmt::format("member `{}` does not begin where the one before ends", shown);
  if (info.compressed_size > all.size() - data) return fmt::format("member `{}` is truncated", shown);
  next = data + info.compressed_size;
  return {};
}

std::string Archive::Reader::take_end() const {
  const bool whole = next + list_bytes + kEnd == bytes.size();
  return whole ? std::string() : "it has bytes that belong to no member";
}

Archive::Archive(std::unique_ptr<Reader> reader) : reader_(std::move(reader)) {}
Archive::Archive(Archive&&) noexcept = default;
Archive::~Archive() = default;

base::Expected<Archive> Archive::open(std::string bytes, const std::string& file) {
  constexpr std::string_view kBegin("PK\3\4", 4);
  if (bytes.empty()) return no_bundle(file, "the file is empty");
  if (!bytes.starts_with(kBegin)) return no_bundle(file, "it is no zip archive");
  auto reader = std::make_unique<Reader>(std::move(bytes));
  if (reader->zip == nullptr) return no_bundle(file, "the list of members at its end is missing: it is truncated");
  Archive archive(std::move(reader));
  if (auto ok = archive.list(file); !ok) return ok.error();
  return archive;
}

base::Expected<void> Archive::list(const std::string& file) {
  unz_global_info64 about = {};
  if (unzGetGlobalInfo64(reader_->zip, &about) != UNZ_OK) return no_bundle(file, "its list of members is damaged");
  if (about.number_entry > kMostMembers)
    return no_bundle(file, fmt::format("it has {} members; the limit is {}", about.number_entry, kMostMembers));
  std::set<std::string_view> names;
  entries_.reserve(about.number_entry);
  int err = about.number_entry == 0 ? UNZ_END_OF_LIST_OF_FILE : unzGoToFirstFile(reader_->zip);
  for (; err == UNZ_OK; err = unzGoToNextFile(reader_->zip)) {
    if (entries_.size() == about.number_entry) return no_bundle(file, "its list of members is damaged");
    auto& entry = entries_.emplace_back();
    if (auto why = reader_->take(entry); !why.empty()) return no_bundle(file, std::move(why));
    if (!names.insert(entry.name).second)
      return no_bundle(file, fmt::format("two members are called `{}`", base::text::printable(entry.name)));
    if (auto why = reader_->take_data(entry); !why.empty()) return no_bundle(file, std::move(why));
  }
  if (err != UNZ_END_OF_LIST_OF_FILE || entries_.size() != about.number_entry)
    return no_bundle(file, "its list of members is damaged");
  if (auto why = reader_->take_end(); !why.empty()) return no_bundle(file, std::move(why));
  return {};
}

bool Archive::has(std::string_view name) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.name == name; });
}

std::string Archive::unpack(std::string_view name, const std::function<void(std::string_view)>& take) const {
  std::size_t i = 0;
  while (i < entries_.size() && entries_[i].name != name) ++i;
  if (i == entries_.size()) return "the member is missing";
  auto* zip = reader_->zip;
  if (unzGoToFilePos64(zip, &reader_->places[i]) != UNZ_OK || unzOpenCurrentFile(zip) != UNZ_OK)
    return "its header is damaged";
  std::string buffer(std::size_t{1} << 16, '\0');
  std::uint64_t have = 0;
  int n = 0;
  while ((n = unzReadCurrentFile(zip, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0) {
    have += static_cast<std::uint64_t>(n);
    take(std::string_view(buffer).substr(0, static_cast<std::size_t>(n)));
  }
  const int closed = unzCloseCurrentFile(zip);
  if (n < 0) return "its data is damaged";
  if (have != entries_[i].size_bytes) return "its data is shorter than the archive states";
  return closed == UNZ_OK ? std::string() : "its data is damaged";
}

}  // namespace fathom::bundle
