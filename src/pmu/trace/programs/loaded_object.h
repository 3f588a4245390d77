// Loads a compiled object of BPF programs into the kernel: opens, sizes and loads it with libbpf, maps its maps,
// attaches and detaches its programs, and reports errors as sentences. The callers decide which programs these are
// (split_programs.cc, device_time_programs.cc).
//
// Loading makes maps of the requested sizes, and their descriptors are mapped: libbpf's own mapping of initial values
// has no effect after loading. Everything ends with the process, at the latest: links hold programs, descriptors hold
// links.
// Source: libbpf's own header.
// Thread rule: one thread per object; several objects may be in use at once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "pmu/trace/programs/bpf_call.h"

struct bpf_object;
struct bpf_link;
struct bpf_program;

namespace fathom::pmu::trace::programs {

struct Libbpf;

// Memory of a map.
class Mapping {
 public:
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  ~Mapping();
  int map(int fd, std::size_t bytes);  // 0, or an errno
  template <class T>
  std::span<T> as(std::size_t n) const {
    return {static_cast<T*>(at_), n};
  }

 private:
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

// In a fork of the process: closes the programs that it inherited, since they stay attached while any process holds
// them. Finds them by the descriptors in /proc: another thread may have been about to record one.
void let_go_of_links();

class LoadedObject {
 public:
  // needs_btf: the programs need the kernel's BTF, since they follow the kernel's own structures.
  static base::Expected<std::unique_ptr<LoadedObject>> open(std::span<const unsigned char> elf, bool needs_btf = true);
  ~LoadedObject();
  LoadedObject(const LoadedObject&) = delete;

  // Call this before load().
  void set_entries(const char* map, std::uint32_t entries);
  // In the order in which an I/O passes them; other programs of the object are not loaded.
  void use_only(std::vector<const char*> programs);
  template <class T>
  base::Expected<void> set_constants(const T& values) {
    return set_constants(&values, sizeof values);
  }
  base::Expected<void> load();

  int map(const char* name, std::size_t bytes, Mapping& to) const;  // 0, or an errno
  // Attaches the programs of ends before those of begins, so that no operation in flight has a begin without a visible
  // end.
  base::Expected<void> attach();
  void detach();
  // How often a program was not run, because it was already running on the CPU.
  std::uint64_t missed_runs() const;
  // Run time of all its programs together, while it is measured (measure_run_times).
  RunTime run_time() const;

 private:
  bpf_link* attached(bpf_program* program) const;
  explicit LoadedObject(bool needs_btf) : needs_btf_(needs_btf) {}
  base::Error refused(const char* what, int err) const;
  base::Expected<void> set_constants(const void* values, std::size_t bytes);

  const bool needs_btf_;
  const Libbpf* bpf_ = nullptr;
  ::bpf_object* object_ = nullptr;
  std::vector<const char*> programs_;
  std::vector<::bpf_link*> links_;
};

}  // namespace fathom::pmu::trace::programs
