// What the tests of state files share: a folder that is gone afterwards, files as bytes, payloads with a right
// checksum, a child process whose verdict is its exit status.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "source_dir.h"
#include "verify/state/state_file.h"

namespace fathom::verify::testing {

using Bytes = std::vector<std::byte>;

class Folder {
 public:
  explicit Folder(const std::string& parent = "/dev/shm") {
    std::string name = parent + "/fathom-state-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder in " + parent);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    return names;
  }

 private:
  std::string path_;
};

inline Bytes bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

inline void write_bytes(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

inline Bytes fixture(const std::string& name) { return bytes_of(in_source("tests/verify/data/" + name)); }

// CRC32C a bit at a time from its polynomial, so that the code's own is held against another.
inline std::uint32_t slow_checksum(std::span<const std::byte> bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const std::byte byte : bytes) {
    crc ^= static_cast<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
  }
  return crc;
}

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// A file of this payload that only its content can be wrong in.
inline Bytes with_header(std::uint64_t version, const Bytes& payload) {
  Bytes file(state::StateHeader::kBytes);
  put(file, 0, version);
  put(file, 8, std::uint64_t{payload.size()});
  put(file, 16, std::uint64_t{slow_checksum(payload)});
  file.insert(file.end(), payload.begin(), payload.end());
  return file;
}

inline state::State small_state(std::uint64_t writes_issued) {
  state::State state;
  state.job_name = "job";
  state.depth = 4;
  state.writes_issued = writes_issued;
  state.slots = {state::kNoWrite, writes_issued - 1, state::kNoWrite, state::kNoWrite};
  return state;
}

// The child's exit status, 128 + the signal that ended it.
inline int status_of(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// In a process of its own, which ends with what `work` returns.
inline int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  return status_of(child);
}

}  // namespace fathom::verify::testing
