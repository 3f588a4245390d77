// A minimal ELF reader: section headers to find .fathom.marks, program headers to find the bytes of an address. Every
// offset is checked against the file's size, because the file may contain anything.
#include "clock/self_code.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/system/fd.h"

namespace fathom::clock {
namespace {

using Bytes = std::span<const std::uint8_t>;

Bytes part(Bytes all, std::uint64_t offset, std::uint64_t size) {
  if (offset > all.size() || size > all.size() - offset) return {};
  return all.subspan(offset, size);
}

template <class T>
std::optional<T> read(Bytes all, std::uint64_t offset) {
  const Bytes bytes = part(all, offset, sizeof(T));
  if (bytes.empty()) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::string text_at(Bytes all, std::uint64_t offset) {
  if (offset >= all.size()) return {};
  const auto end = std::find(all.begin() + static_cast<std::ptrdiff_t>(offset), all.end(), 0);
  return {all.begin() + static_cast<std::ptrdiff_t>(offset), end};
}

Bytes section(Bytes elf, const Elf64_Ehdr& head, std::string_view name) {
  const auto header = [&](unsigned i) {
    return read<Elf64_Shdr>(elf, head.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
  };
  const auto names = header(head.e_shstrndx);
  if (!names) return {};
  const Bytes table = part(elf, names->sh_offset, names->sh_size);
  for (unsigned i = 0; i < head.e_shnum; ++i)
    if (const auto h = header(i); h && text_at(table, h->sh_name) == name) return part(elf, h->sh_offset, h->sh_size);
  return {};
}

std::vector<std::uint8_t> code_at(Bytes elf, const Elf64_Ehdr& head, std::uint64_t address) {
  constexpr std::uint64_t kMost = 64;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    const auto p = read<Elf64_Phdr>(elf, head.e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr));
    if (!p || p->p_type != PT_LOAD || address < p->p_vaddr || address - p->p_vaddr >= p->p_filesz) continue;
    const std::uint64_t inside = address - p->p_vaddr;
    const Bytes code = part(elf, p->p_offset + inside, std::min(kMost, p->p_filesz - inside));
    return {code.begin(), code.end()};
  }
  return {};
}

struct Encoding {
  std::string_view bytes, text;
};
using namespace std::string_view_literals;
constexpr Encoding kEncodings[] = {
#if defined(__x86_64__)
    {"\x0f\xae\xf0"sv, "mfence"},
    {"\x0f\xae\xe8"sv, "lfence"},
    {"\x0f\xae\xf8"sv, "sfence"},
    {"\xf0\x48\x83\x0c\x24\x00"sv, "lock orq $0,(%rsp)"},
    {"\xf0\x83\x0c\x24\x00"sv, "lock orl $0,(%rsp)"},
    {"\xf0\x83\x04\x24\x00"sv, "lock addl $0,(%rsp)"},
#elif defined(__aarch64__)
    {"\xbf\x3b\x03\xd5"sv, "dmb ish"},
    {"\x9f\x3b\x03\xd5"sv, "dsb ish"},
    {"\xdf\x3f\x03\xd5"sv, "isb"},
#endif
};

}  // namespace

std::vector<MarkedCode> marked_code(Bytes elf) {
  const auto head = read<Elf64_Ehdr>(elf, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64) return {};
  if (head->e_shentsize != sizeof(Elf64_Shdr) || head->e_phentsize != sizeof(Elf64_Phdr)) return {};
  std::vector<MarkedCode> found;
  const Bytes marks = section(elf, *head, ".fathom.marks");
  for (std::uint64_t at = 0; const auto address = read<std::uint64_t>(marks, at);) {
    const std::string name = text_at(marks, at + sizeof *address);
    found.push_back({name, *address, code_at(elf, *head, *address)});
    at += sizeof *address + name.size() + 1;
  }
  return found;
}

std::string_view barrier_in(Bytes code) {
  const std::string_view text(reinterpret_cast<const char*>(code.data()), code.size());
  std::size_t first = std::string_view::npos;
  std::string_view name;
  for (const auto& e : kEncodings) {
    const std::size_t at = text.find(e.bytes);
    if (at < first) {
      first = at;
      name = e.text;
    }
  }
  return name;
}

std::string builtin_instruction(Bytes elf) {
  const auto marks = marked_code(elf);
  for (const auto& barrier : marks) {
    if (barrier.name != "clock.barrier.builtin") continue;
    for (const auto& end : marks) {
      if (end.name != "clock.read.builtin" || end.address < barrier.address) continue;
      const std::uint64_t between = end.address - barrier.address;
      if (between > barrier.code.size()) continue;
      if (const auto name = barrier_in(part(barrier.code, 0, between)); !name.empty()) return std::string(name);
    }
  }
  return "unknown";
}

std::string builtin_instruction() {
  base::system::UniqueFd fd(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  struct stat st;
  if (!fd || ::fstat(fd.get(), &st) != 0) return "unknown";
  const auto size = static_cast<std::size_t>(st.st_size);
  void* map = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (map == MAP_FAILED) return "unknown";
  std::string name = builtin_instruction(Bytes(static_cast<const std::uint8_t*>(map), size));
  ::munmap(map, size);
  return name;
}

}  // namespace fathom::clock
