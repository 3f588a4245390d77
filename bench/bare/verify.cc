// bare_verify METHOD BLOCK FILE BYTES: what verify= costs at least. Each block is filled as fio fills one, gets a header
// and a hash of what is behind it, and is written; then all blocks are read, and headers and hashes held against what
// they are to be. The hashes are those of the libraries that fathom calls, as they come: one call a block. Nothing is
// stamped, counted, chosen or reported. FILE has BYTES bytes already.
// Prints the seconds of both passes, and the share of a CPU that they were given.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <isa-l/crc.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/sha.h>
#include <unistd.h>
#include <xxhash.h>

#include <span>

#include "bare.h"
#include "base/random_fill.h"

namespace {

constexpr std::size_t kMostField = 64;

struct Header {
  std::uint16_t magic = 0xacca;
  std::uint8_t version = 0x81, type = 0;
  std::uint32_t length = 0;
  std::uint64_t seed = 0, offset = 0;
  std::uint32_t sec = 0, nsec = 0;
  std::uint64_t number = 0;
  std::uint16_t thread = 1, unused = 0;
  std::uint32_t crc = 0;
};
static_assert(sizeof(Header) == 48);

// ISA-L leaves the registers' upper halves in use, which makes the filling of the next block several times slower.
#if defined(__x86_64__)
[[gnu::target("avx"), gnu::noinline]] void zero_upper_halves() { __builtin_ia32_vzeroupper(); }
const bool upper_halves = __builtin_cpu_supports("avx");
#else
void zero_upper_halves() {}
constexpr bool upper_halves = false;
#endif

std::uint32_t crc32c(const void* data, std::size_t bytes) {
  const std::uint32_t crc =
      ::crc32_iscsi(static_cast<unsigned char*>(const_cast<void*>(data)), static_cast<int>(bytes), ~0u);
  if (upper_halves) zero_upper_halves();
  return crc;
}
std::uint32_t crc_of(const Header& header) { return crc32c(&header, sizeof header - sizeof header.crc); }

EVP_MD* fetched = nullptr;
EVP_MD_CTX* context = nullptr;

using Hash = void(const unsigned char* data, std::size_t bytes, unsigned char* field);
void hash_crc32c(const unsigned char* data, std::size_t bytes, unsigned char* field) {
  const std::uint32_t crc = crc32c(data, bytes);
  std::memcpy(field, &crc, sizeof crc);
}
void hash_xxhash(const unsigned char* data, std::size_t bytes, unsigned char* field) {
  const XXH32_hash_t hash = ::XXH32(data, bytes, 1);
  std::memcpy(field, &hash, sizeof hash);
}
void hash_md5(const unsigned char* data, std::size_t bytes, unsigned char* field) { ::MD5(data, bytes, field); }
// Not by SHA1() and its like, which look their algorithm up for each call.
void hash_sha1(const unsigned char* data, std::size_t bytes, unsigned char* field) {
  ::SHA_CTX state;
  ::SHA1_Init(&state);
  ::SHA1_Update(&state, data, bytes);
  ::SHA1_Final(field, &state);
}
void hash_sha256(const unsigned char* data, std::size_t bytes, unsigned char* field) {
  ::SHA256_CTX state;
  ::SHA256_Init(&state);
  ::SHA256_Update(&state, data, bytes);
  ::SHA256_Final(field, &state);
}
void hash_sha512(const unsigned char* data, std::size_t bytes, unsigned char* field) {
  ::SHA512_CTX state;
  ::SHA512_Init(&state);
  ::SHA512_Update(&state, data, bytes);
  ::SHA512_Final(field, &state);
}
void hash_sha3(const unsigned char* data, std::size_t bytes, unsigned char* field) {
  ::EVP_DigestInit_ex(context, fetched, nullptr);
  ::EVP_DigestUpdate(context, data, bytes);
  ::EVP_DigestFinal_ex(context, field, nullptr);
}

struct Row {
  const char* name;
  Hash* hash;
  std::size_t field;  // bytes that the method has behind the header, of which the hash may fill fewer
  std::size_t hashed;
};
constexpr Row kRows[] = {{"crc32c", hash_crc32c, 4, 4},   {"xxhash", hash_xxhash, 4, 4},
                         {"md5", hash_md5, 16, 16},       {"sha1", hash_sha1, 20, 20},
                         {"sha256", hash_sha256, 64, 32}, {"sha512", hash_sha512, 128, 64},
                         {"sha3-256", hash_sha3, 32, 32}, {"sha3-512", hash_sha3, 64, 64}};

struct Job {
  const Row& row;
  int fd;
  unsigned char* buffer;
  std::size_t block;
  std::uint64_t blocks;
  std::size_t data() const { return sizeof(Header) + row.field; }
  std::uint64_t seed(std::uint64_t i) const { return (i + 1) * 0x9e3779b97f4a7c15ull; }
};

void write_all(const Job& job) {
  for (std::uint64_t i = 0; i < job.blocks; ++i) {
    const std::uint64_t offset = i * job.block;
    fathom::base::fill_streams(std::as_writable_bytes(std::span(job.buffer, job.block)), job.seed(i));
    Header header{.length = static_cast<std::uint32_t>(job.block), .seed = job.seed(i), .offset = offset, .number = i};
    header.crc = crc_of(header);
    std::memcpy(job.buffer, &header, sizeof header);
    job.row.hash(job.buffer + job.data(), job.block - job.data(), job.buffer + sizeof header);
    if (::pwrite(job.fd, job.buffer, job.block, static_cast<off_t>(offset)) != static_cast<ssize_t>(job.block))
      bare::fail("pwrite");
  }
}

void read_all(const Job& job) {
  unsigned char field[kMostField];
  for (std::uint64_t i = 0; i < job.blocks; ++i) {
    const std::uint64_t offset = i * job.block;
    if (::pread(job.fd, job.buffer, job.block, static_cast<off_t>(offset)) != static_cast<ssize_t>(job.block))
      bare::fail("pread");
    Header header;
    std::memcpy(&header, job.buffer, sizeof header);
    job.row.hash(job.buffer + job.data(), job.block - job.data(), field);
    const bool well = header.magic == 0xacca && header.version == 0x81 && header.length == job.block &&
                      header.seed == job.seed(i) && header.offset == offset && header.number == i &&
                      header.crc == crc_of(header) &&
                      std::memcmp(field, job.buffer + sizeof header, job.row.hashed) == 0;
    if (!well) {
      std::fprintf(stderr, "bare_verify: block %llu is wrong\n", static_cast<unsigned long long>(i));
      std::exit(1);
    }
  }
}

int measure(const Job& job) {
  const double cpu = bare::now_s(CLOCK_PROCESS_CPUTIME_ID), begin = bare::now_s();
  write_all(job);
  const double written = bare::now_s();
  read_all(job);
  const double end = bare::now_s();
  std::printf("%.6f %.6f %.4f\n", written - begin, end - written,
              (bare::now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (end - begin));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::size_t block = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t bytes = std::strtoull(argv[4], nullptr, 10);
  const int fd = ::open(argv[3], O_RDWR);
  if (fd < 0) bare::fail(argv[3]);
  auto* const buffer = reinterpret_cast<unsigned char*>(bare::buffers((block + bare::kBlock - 1) / bare::kBlock));
  for (const auto& row : kRows) {
    if (std::strcmp(row.name, argv[1]) != 0) continue;
    if (row.hash == hash_sha3) {
      fetched = ::EVP_MD_fetch(nullptr, row.name, nullptr);
      context = ::EVP_MD_CTX_new();
      if (fetched == nullptr || context == nullptr) bare::fail(row.name);
    }
    return measure({.row = row, .fd = fd, .buffer = buffer, .block = block, .blocks = bytes / block});
  }
  std::fprintf(stderr, "bare_verify: no method %s\n", argv[1]);
  return 2;
}
