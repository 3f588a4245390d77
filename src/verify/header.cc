// Two structs define the fields of the two formats. Bytes are copied into and out of them.
#include "verify/header.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "verify/digest/crc.h"

namespace fathom::verify {
namespace {

static_assert(std::endian::native == std::endian::little);

struct Small {
  std::uint16_t magic, type;
  std::uint32_t length;
  std::uint64_t seed, offset;
  std::uint32_t sec, nsec;
  std::uint16_t thread, numberio;
  std::uint32_t crc;
};
static_assert(sizeof(Small) == header_size(Format::fio_3_33) && offsetof(Small, crc) == 36);

struct Large {
  std::uint16_t magic;
  std::uint8_t version, type;
  std::uint32_t length;
  std::uint64_t seed, offset;
  std::uint32_t sec, nsec;
  std::uint64_t numberio;
  std::uint16_t thread, unused;
  std::uint32_t crc;
};
static_assert(sizeof(Large) == header_size(Format::fio_3_42) && offsetof(Large, crc) == 44);

template <class Form>
void write_common(Form& form, const Header& header) {
  form.magic = kMagic;
  form.length = header.length;
  form.seed = header.seed;
  form.offset = header.offset;
  form.sec = header.sec;
  form.nsec = header.nsec;
  form.thread = header.thread;
}

template <class Form>
Header read_form(std::span<const std::byte> bytes, Format format) {
  Form form;
  std::memcpy(&form, bytes.data(), sizeof form);
  Header header{.format = format,
                .magic = form.magic,
                .type = form.type,
                .thread = form.thread,
                .length = form.length,
                .sec = form.sec,
                .nsec = form.nsec,
                .crc = form.crc,
                .seed = form.seed,
                .offset = form.offset,
                .numberio = form.numberio};
  if constexpr (requires { form.version; }) header.version = form.version;
  return header;
}

}  // namespace

std::uint32_t header_crc(std::span<const std::byte> bytes, Format format) {
  return digest::crc32c(bytes.first(header_size(format) - sizeof(std::uint32_t)));
}

void write_header(std::span<std::byte> out, const Header& header) {
  if (header.format == Format::fio_3_33) {
    Small form{};
    write_common(form, header);
    form.type = header.type;
    form.numberio = static_cast<std::uint16_t>(header.numberio);
    std::memcpy(out.data(), &form, sizeof form);
  } else {
    Large form{};
    std::memcpy(&form.unused, out.data() + offsetof(Large, unused), sizeof form.unused);
    write_common(form, header);
    form.version = kVersion;
    form.type = static_cast<std::uint8_t>(header.type);
    form.numberio = header.numberio;
    std::memcpy(out.data(), &form, sizeof form);
  }
  const std::uint32_t crc = header_crc(out, header.format);
  std::memcpy(out.data() + header_size(header.format) - sizeof crc, &crc, sizeof crc);
}

Format told_apart(std::span<const std::byte> bytes) {
  constexpr std::uint8_t kLastMethod = 19;  // the highest method that the smaller format has
  const auto third = static_cast<std::uint8_t>(bytes[2]);
  if (bytes.size() < kLargestHeader) return Format::fio_3_33;
  return third <= kLastMethod && bytes[3] == std::byte{0} ? Format::fio_3_33 : Format::fio_3_42;
}

Header read_header(std::span<const std::byte> bytes, Format format) {
  return format == Format::fio_3_33 ? read_form<Small>(bytes, format) : read_form<Large>(bytes, format);
}

const char* name(Flaw flaw) {
  constexpr std::array kNames = {"none",     "magic",      "version", "length",  "seed",  "offset",
                                 "numberio", "header_crc", "digest",  "pattern", "zeroes"};
  return kNames[static_cast<std::size_t>(flaw)];
}

FieldVerdict check_header(const Header& read, std::span<const std::byte> bytes, const WantedHeader& wanted) {
  if (read.magic != kMagic) return {Flaw::magic, read.magic, kMagic};
  if (read.format == Format::fio_3_42 && read.version != kVersion) return {Flaw::version, read.version, kVersion};
  if (read.length != wanted.length) return {Flaw::length, read.length, wanted.length};
  if (wanted.seed && read.seed != *wanted.seed) return {Flaw::seed, read.seed, *wanted.seed};
  if (read.offset != wanted.offset) return {Flaw::offset, read.offset, wanted.offset};
  if (wanted.numberio) {
    // The smaller format counts to 65535, then restarts at 0.
    const std::uint64_t number = read.format == Format::fio_3_33 ? *wanted.numberio & 0xffff : *wanted.numberio;
    if (read.numberio != number) return {Flaw::numberio, read.numberio, number};
  }
  if (const std::uint32_t crc = header_crc(bytes, read.format); crc != read.crc)
    return {Flaw::header_crc, read.crc, crc};
  return {};
}

}  // namespace fathom::verify
