// minizip's zip.h, into memory.
#include "bundle/pack.h"

#include <fmt/format.h>
#include <minizip/zip.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <memory>

#include "bundle/zip_memory.h"

namespace fathom::bundle {
namespace {

constexpr uLong kUnix = 3 << 8, kVersion = 20;          // of the format: deflate
constexpr uLong kFirstDosDate = (1 << 21) | (1 << 16);  // 1980-01-01, 00:00
constexpr uLong kRegular = static_cast<uLong>(S_IFREG | 0644) << 16;
constexpr std::size_t kStep_bytes = std::size_t{1} << 20;

// 0: success, else minizip's error.
int add(zipFile zip, const Member& member) {
  zip_fileinfo info = {};
  info.dosDate = kFirstDosDate;
  info.external_fa = kRegular;
  int err = zipOpenNewFileInZip4_64(zip, member.name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED,
                                    Z_DEFAULT_COMPRESSION, 0, -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, nullptr, 0,
                                    kUnix | kVersion, 0, 0);
  for (auto rest = member.bytes; err == ZIP_OK && !rest.empty();) {
    const auto part = rest.substr(0, kStep_bytes);
    err = zipWriteInFileInZip(zip, part.data(), static_cast<unsigned>(part.size()));
    rest.remove_prefix(part.size());
  }
  return err == ZIP_OK ? zipCloseFileInZip(zip) : err;
}

}  // namespace

base::Expected<std::string> pack(const std::vector<Member>& members) {
  ZipOutput output;
  auto functions = functions_of(output);
  zipFile zip = zipOpen2_64("bundle", APPEND_STATUS_CREATE, nullptr, &functions);
  int err = zip == nullptr ? ZIP_INTERNALERROR : ZIP_OK;
  for (std::size_t i = 0; err == ZIP_OK && i < members.size(); ++i) err = add(zip, members[i]);
  if (zip != nullptr) {
    const int closed = zipClose(zip, nullptr);
    if (err == ZIP_OK) err = closed;
  }
  if (err == ZIP_OK) return std::move(output.bytes);
  base::Error error;
  error.kind = base::ErrorKind::io;
  error.what = "the archive cannot be made";
  error.cause = fmt::format("error {} of minizip", err);
  return error;
}

}  // namespace fathom::bundle
