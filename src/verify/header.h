// The header that fio puts at the start of every interval that it is going to verify: which write this was (where to,
// the how manieth, when, from which seed its contents are) and by which method the rest can be checked. fathom writes
// and reads fio's two forms, so that each program can check what the other wrote:
//
//   field       fio 3.33 to 3.40: 40 bytes     fio from 3.41: 48 bytes
//   magic       2 at 0, 0xacca                 2 at 0, 0xacca
//   version     none                           1 at 2, 0x81
//   type        2 at 2                         1 at 3              number of the method
//   length      4 at 4                         4 at 4              bytes from this header to the next
//   seed        8 at 8                         8 at 8              of the contents; 0 with a pattern
//   offset      8 at 16                        8 at 16             in the file
//   sec, nsec   4 at 24, 4 at 28               4 at 24, 4 at 28    start of the write, no wall clock
//   thread      2 at 32                        2 at 40             number of the job, from 1
//   numberio    2 at 34                        8 at 32             writes of the job before this one
//   unused      none                           2 at 42             what the contents have there
//   crc         4 at 36                        4 at 44             CRC-32C of all before it, not inverted at the end
//
// Little-endian. Nothing here allocates, and any thread may call it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace fathom::verify {

enum class Format : std::uint8_t { fio_3_33, fio_3_42 };  // by the versions of fio that the two forms are compared with

constexpr std::size_t header_size(Format format) { return format == Format::fio_3_33 ? 40 : 48; }
inline constexpr std::size_t kLargestHeader = 48;
inline constexpr std::uint16_t kMagic = 0xacca;
inline constexpr std::uint8_t kVersion = 0x81;

struct Header {
  Format format = Format::fio_3_42;
  std::uint8_t version = kVersion;  // as it was read; without a meaning in the smaller form
  std::uint16_t magic = kMagic, type = 0, thread = 0;
  std::uint32_t length = 0, sec = 0, nsec = 0, crc = 0;
  std::uint64_t seed = 0, offset = 0, numberio = 0;
};

// Writes `header` in its own form, with magic, version and CRC as they have to be. out: header_size() bytes or more, of
// which the unused ones stay. The smaller form has the low 16 bits of numberio.
void write_header(std::span<std::byte> out, const Header& header);

// In which form these bytes are: kLargestHeader of them, or fewer if the smaller form is all that fits. Bytes that are
// in neither are told as the larger one, whose version is then wrong.
Format told_apart(std::span<const std::byte> bytes);

// Takes the fields as they stand. bytes: header_size(format) or more.
Header read_header(std::span<const std::byte> bytes, Format format);

// Of the bytes before the CRC.
std::uint32_t header_crc(std::span<const std::byte> bytes, Format format);

// What can be wrong, in fio's order of looking: the header's fields, then what it covers.
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
  std::optional<std::uint64_t> seed = {}, numberio = {};  // none: any
};

// The first field that is not as wanted. `read` is what `bytes` hold.
FieldVerdict check_header(const Header& read, std::span<const std::byte> bytes, const WantedHeader& wanted);

}  // namespace fathom::verify
