// The header that fio puts at the start of every interval to verify. It identifies the write (offset, sequence number,
// time, seed of the contents) and the method that checks the rest. fathom writes and reads both of fio's forms, so each
// program can check the data of the other:
//
//   field       fio 3.33 to 3.40: 40 bytes     fio from 3.41: 48 bytes
//   magic       2 at 0, 0xacca                 2 at 0, 0xacca
//   version     none                           1 at 2, 0x81
//   type        2 at 2                         1 at 3              number of the method
//   length      4 at 4                         4 at 4              bytes from this header to the next
//   seed        8 at 8                         8 at 8              of the contents; 0 with a pattern
//   offset      8 at 16                        8 at 16             in the file
//   sec, nsec   4 at 24, 4 at 28               4 at 24, 4 at 28    start of the write, not wall-clock time
//   thread      2 at 32                        2 at 40             number of the job, from 1
//   numberio    2 at 34                        8 at 32             writes of the job before this one
//   unused      none                           2 at 42             bytes of the contents
//   crc         4 at 36                        4 at 44             CRC-32C of all before it, not inverted at the end
//
// Little-endian. No function allocates; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace fathom::verify {

enum class Format : std::uint8_t { fio_3_33, fio_3_42 };  // fio versions that the forms are compared with

constexpr std::size_t header_size(Format format) { return format == Format::fio_3_33 ? 40 : 48; }
inline constexpr std::size_t kLargestHeader = 48;
inline constexpr std::uint16_t kMagic = 0xacca;
inline constexpr std::uint8_t kVersion = 0x81;

struct Header {
  Format format = Format::fio_3_42;
  std::uint8_t version = kVersion;  // as read; meaningless in the smaller form
  std::uint16_t magic = kMagic, type = 0, thread = 0;
  std::uint32_t length = 0, sec = 0, nsec = 0, crc = 0;
  std::uint64_t seed = 0, offset = 0, numberio = 0;
};

// Writes `header` in its own form, with correct magic, version and CRC. out: header_size() bytes or more; unused bytes
// stay unchanged. The smaller form has the low 16 bits of numberio.
void write_header(std::span<std::byte> out, const Header& header);

// Detects the form of these bytes: kLargestHeader bytes, or fewer if only the smaller form fits. Bytes in neither form
// count as the larger one, with a wrong version.
Format told_apart(std::span<const std::byte> bytes);

// Reads the fields without checks. bytes: header_size(format) or more.
Header read_header(std::span<const std::byte> bytes, Format format);

// CRC of the bytes before the CRC field.
std::uint32_t header_crc(std::span<const std::byte> bytes, Format format);

// The possible flaws, in the order of fio's checks: header fields first, then the data.
enum class Flaw : std::uint8_t {
  none,
  magic,
  version,
  length,
  seed,
  offset,
  numberio,
  header_crc,
  digest,
  pattern,
  zeroes
};
const char* name(Flaw flaw);

struct FieldVerdict {
  Flaw flaw = Flaw::none;
  std::uint64_t found = 0, wanted = 0;
};

struct WantedHeader {
  std::uint32_t length = 0;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> seed = {}, numberio = {};  // nullopt: any
};

// Returns the first field that differs from `wanted`. `read` is the parsed form of `bytes`.
FieldVerdict check_header(const Header& read, std::span<const std::byte> bytes, const WantedHeader& wanted);

}  // namespace fathom::verify
