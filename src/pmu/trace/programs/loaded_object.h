// A compiled object of BPF programs on its way into the kernel: opened, sized, loaded by libbpf, its maps mapped, its
// programs attached and detached again, and what went wrong as a sentence. Whose programs they are is said by who
// uses it (split_programs.cc, device_time_programs.cc).
//
// Maps are made by loading, as large as was asked for, and mapped from their descriptors: what libbpf itself maps of
// initial values has no effect after loading. All goes with the process, at the latest: programs are held by links,
// links by descriptors. Source: libbpf's own header. Thread rule: one thread an object; several objects may be in use at
// once.
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

// In a fork of the process: lets go of the programs that it inherited, for they stay attached as long as anybody holds
// them. By what /proc says of the descriptors: another thread may have been about to note one.
void let_go_of_links();

class LoadedObject {
 public:
  // needs_btf: of the kernel, for its programs follow the kernel's own structures.
  static base::Expected<std::unique_ptr<LoadedObject>> open(std::span<const unsigned char> elf, bool needs_btf = true);
  ~LoadedObject();
  LoadedObject(const LoadedObject&) = delete;

  // Before load().
  void set_entries(const char* map, std::uint32_t entries);
  // In the order in which an I/O passes them; others of the object are not loaded.
  void use_only(std::vector<const char*> programs);
  template <class T>
  base::Expected<void> set_constants(const T& values) {
    return set_constants(&values, sizeof values);
  }
  base::Expected<void> load();

  int map(const char* name, std::size_t bytes, Mapping& to) const;  // 0, or an errno
  // What ends comes before what begins, so that nothing that is under way is begun and never seen to end.
  base::Expected<void> attach();
  void detach();
  // How often a program was not run, because it was being run on the CPU already.
  std::uint64_t missed_runs() const;
  // Of all its programs together, as long as it is measured (measure_run_times).
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
