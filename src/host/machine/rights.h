// What the kernel permits this process: its user, capabilities, seccomp mode and resource limits.
// Source: capabilities(7), seccomp(2), proc(5) ("/proc/self/status", "/proc/self/limits"). What cannot be read is
// unknown. Thread-safe.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace fathom::host::machine {

inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

struct Rights {
  std::optional<std::uint64_t> user;                             // effective user id
  std::optional<std::uint64_t> capabilities;                     // effective: bit n is number n of linux/capability.h
  std::optional<std::uint64_t> seccomp;                          // 0: off, 1: strict, 2: a filter
  std::optional<std::uint64_t> locked_memory_bytes, open_files;  // soft limits, or kUnlimited

  // With unknown capabilities: whether the user is root.
  bool has(unsigned capability) const;
  bool operator==(const Rights&) const = default;
};

// `prefix` precedes /proc, for tests.
Rights own_rights(const std::string& prefix = "");

}  // namespace fathom::host::machine
