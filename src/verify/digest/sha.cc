// MD5, SHA-1 and SHA-2. Only MD5 is the standard's digest without changes. sha1 stores the five words of the state in
// the machine's byte order.
// sha256 and sha512 have fields larger than the digest. fio uses the field as the buffer of the current block. After
// the digest, the field therefore contains the rest of the last block with its padding.
// The padding of sha256 ends with the bit count in little-endian byte order, so its state is not the standard's. Only
// the low byte of each word of the state is stored. All this was measured on fio's output
// (tests/verify/fixtures_test.cc).
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "verify/digest/digests.h"

namespace fathom::verify::digest {
namespace {

// The last one or two blocks of a message with SHA-2's padding: the rest of the data, a one bit, zeroes, the bit count.
template <std::size_t kBlock>
struct Padded {
  std::array<std::byte, 2 * kBlock> bytes{};
  std::size_t size = kBlock;
  const std::byte* last() const { return bytes.data() + size - kBlock; }
};

// of_count: bytes at the end that are reserved for the count. This function returns them as zeroes.
template <std::size_t kBlock>
Padded<kBlock> pad(std::span<const std::byte> data, std::size_t of_count) {
  Padded<kBlock> padded;
  const std::size_t rest = data.size() % kBlock;
  const auto tail = data.last(rest);
  std::copy(tail.begin(), tail.end(), padded.bytes.begin());
  padded.bytes[rest] = std::byte{0x80};
  if (rest + 1 + of_count > kBlock) padded.size = 2 * kBlock;
  return padded;
}

void put_count(std::byte* end, std::uint64_t bits, bool big_endian) {
  if (big_endian) bits = __builtin_bswap64(bits);
  std::memcpy(end - sizeof bits, &bits, sizeof bits);
}

}  // namespace

void digest_md5(HashState& state, std::span<const std::byte> data, std::byte* field) {
  const auto& openssl = state.functions();
  ::MD5_CTX context;
  openssl.md5_init(&context);
  openssl.md5_update(&context, data.data(), data.size());
  openssl.md5_final(reinterpret_cast<unsigned char*>(field), &context);
}

void digest_sha1(HashState& state, std::span<const std::byte> data, std::byte* field) {
  const auto& openssl = state.functions();
  ::SHA_CTX context;
  openssl.sha1_init(&context);
  openssl.sha1_update(&context, data.data(), data.size());
  std::array<std::uint32_t, 5> words;
  openssl.sha1_final(reinterpret_cast<unsigned char*>(words.data()), &context);
  for (auto& word : words) word = __builtin_bswap32(word);
  std::memcpy(field, words.data(), sizeof words);
}

void digest_sha256(HashState& state, std::span<const std::byte> data, std::byte* field) {
  constexpr std::size_t kBlock = 64, kCount = 8;
  const auto& openssl = state.functions();
  ::SHA256_CTX context;
  openssl.sha256_init(&context);
  openssl.sha256_update(&context, data.data(), data.size() / kBlock * kBlock);
  auto padded = pad<kBlock>(data, kCount);
  put_count(padded.bytes.data() + padded.size, 8 * std::uint64_t{data.size()}, false);
  for (std::size_t at = 0; at < padded.size; at += kBlock)
    openssl.sha256_transform(&context, reinterpret_cast<const unsigned char*>(padded.bytes.data() + at));
  std::memcpy(field, padded.last(), kBlock);
  for (std::size_t i = 0; i < 8; ++i) field[i] = static_cast<std::byte>(context.h[i] & 0xff);
}

void digest_sha512(HashState& state, std::span<const std::byte> data, std::byte* field) {
  constexpr std::size_t kBlock = 128, kCount = 16;
  const auto& openssl = state.functions();
  ::SHA512_CTX context;
  openssl.sha512_init(&context);
  openssl.sha512_update(&context, data.data(), data.size());
  auto padded = pad<kBlock>(data, kCount);
  put_count(padded.bytes.data() + padded.size, 8 * std::uint64_t{data.size()}, true);
  std::memcpy(field, padded.last(), kBlock);
  openssl.sha512_final(reinterpret_cast<unsigned char*>(field), &context);
}

}  // namespace fathom::verify::digest

namespace fathom::verify {

void sha512_copy(std::span<const std::byte> data, std::byte* field) {
  constexpr std::size_t kBlock = 128;
  if (data.size() >= kBlock) std::memcpy(field, data.data(), kBlock);
  const std::size_t rest = data.size() % kBlock;
  std::memcpy(field, data.data() + data.size() - rest, rest);
}

}  // namespace fathom::verify
