// A read beyond the end is short, and a seek beyond it fails: minizip treats both as a damaged file.
#include "bundle/zip_memory.h"

#include <algorithm>
#include <cstring>

namespace fathom::bundle {
namespace {

template <class Stream>
Stream& stream_of(voidpf stream) {
  return *static_cast<Stream*>(stream);
}

uLong read_input(voidpf, voidpf stream, void* buffer, uLong size) {
  auto& input = stream_of<ZipInput>(stream);
  const auto part = input.bytes.substr(std::min<ZPOS64_T>(input.at, input.bytes.size()), size);
  std::memcpy(buffer, part.data(), part.size());
  input.at += part.size();
  return part.size();
}

uLong write_nothing(voidpf, voidpf, const void*, uLong) { return 0; }

// zip.c reads only to append to an archive.
uLong read_nothing(voidpf, voidpf, void*, uLong) { return 0; }

// It also seeks back to write the sizes and checksum of a member into the header.
uLong write_output(voidpf, voidpf stream, const void* buffer, uLong size) {
  auto& output = stream_of<ZipOutput>(stream);
  if (output.bytes.size() < output.at + size) output.bytes.resize(output.at + size);
  std::memcpy(output.bytes.data() + output.at, buffer, size);
  output.at += size;
  return size;
}

template <class Stream>
ZPOS64_T tell(voidpf, voidpf stream) {
  return stream_of<Stream>(stream).at;
}

template <class Stream>
long seek(voidpf, voidpf stream, ZPOS64_T offset, int origin) {
  auto& at = stream_of<Stream>(stream);
  const ZPOS64_T size = at.bytes.size();
  const ZPOS64_T from = origin == ZLIB_FILEFUNC_SEEK_CUR ? at.at : origin == ZLIB_FILEFUNC_SEEK_END ? size : 0;
  if (offset > size || from > size - offset) return -1;
  at.at = from + offset;
  return 0;
}

template <class Stream>
zlib_filefunc64_def functions(Stream& stream) {
  zlib_filefunc64_def all = {};
  all.zopen64_file = [](voidpf opaque, const void*, int) { return opaque; };
  all.ztell64_file = tell<Stream>;
  all.zseek64_file = seek<Stream>;
  all.zclose_file = [](voidpf, voidpf) { return 0; };
  all.zerror_file = [](voidpf, voidpf) { return 0; };
  all.opaque = &stream;
  return all;
}

}  // namespace

zlib_filefunc64_def functions_of(ZipInput& input) {
  auto all = functions(input);
  all.zread_file = read_input;
  all.zwrite_file = write_nothing;
  return all;
}

zlib_filefunc64_def functions_of(ZipOutput& output) {
  auto all = functions(output);
  all.zread_file = read_nothing;
  all.zwrite_file = write_output;
  return all;
}

}  // namespace fathom::bundle
