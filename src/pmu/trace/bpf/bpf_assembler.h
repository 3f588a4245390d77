// The few instructions that the programs on tracepoints are made of, by name, and jumps to labels that come later.
// Source: Documentation/bpf/standardization/instruction-set.rst. Pure; constexpr where the standard library lets it be.
#pragma once
#include <linux/bpf.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fathom::pmu::trace::bpf {

enum class Reg : std::uint8_t { r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, stack };  // stack: read only, grows down
enum class Width : std::uint8_t { u8 = BPF_B, u16 = BPF_H, u32 = BPF_W, u64 = BPF_DW };

constexpr bpf_insn make(unsigned code, Reg to, Reg from, int offset, std::int32_t value) {
  bpf_insn i{};
  i.code = static_cast<__u8>(code);
  i.dst_reg = static_cast<__u8>(to) & 15;
  i.src_reg = static_cast<__u8>(from) & 15;
  i.off = static_cast<__s16>(offset);
  i.imm = value;
  return i;
}
constexpr bpf_insn move(Reg to, Reg from) { return make(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0); }
constexpr bpf_insn set(Reg to, std::int32_t value) { return make(BPF_ALU64 | BPF_MOV | BPF_K, to, Reg::r0, 0, value); }
constexpr bpf_insn add(Reg to, std::int32_t value) { return make(BPF_ALU64 | BPF_ADD | BPF_K, to, Reg::r0, 0, value); }
constexpr bpf_insn shift_right(Reg to, int bits) { return make(BPF_ALU64 | BPF_RSH | BPF_K, to, Reg::r0, 0, bits); }
constexpr bpf_insn load(Width width, Reg to, Reg base, int offset) {
  return make(BPF_LDX | BPF_MEM | static_cast<unsigned>(width), to, base, offset, 0);
}
constexpr bpf_insn store(Width width, Reg base, int offset, Reg from) {
  return make(BPF_STX | BPF_MEM | static_cast<unsigned>(width), base, from, offset, 0);
}
constexpr bpf_insn store_value(Width width, Reg base, int offset, std::int32_t value) {
  return make(BPF_ST | BPF_MEM | static_cast<unsigned>(width), base, Reg::r0, offset, value);
}
// *(u64*)(base + offset) += from, whoever else does it at the same time.
constexpr bpf_insn add_atomic(Reg base, int offset, Reg from) {
  return make(BPF_STX | BPF_ATOMIC | BPF_DW, base, from, offset, BPF_ADD);
}
constexpr bpf_insn call(bpf_func_id helper) { return make(BPF_JMP | BPF_CALL, Reg::r0, Reg::r0, 0, helper); }
constexpr bpf_insn leave() { return make(BPF_JMP | BPF_EXIT, Reg::r0, Reg::r0, 0, 0); }

class Assembler {
 public:
  using Label = std::size_t;
  Label label() {
    places_.push_back(kNowhere);
    return places_.size() - 1;
  }
  void here(Label label) { places_[label] = code_.size(); }
  void put(const bpf_insn& instruction) { code_.push_back(instruction); }
  // 64 bits: two instructions long.
  void set_wide(Reg to, std::uint64_t value) { wide(to, 0, static_cast<std::uint32_t>(value), value >> 32); }
  void set_map(Reg to, int map_fd) { wide(to, BPF_PSEUDO_MAP_FD, map_fd, 0); }
  // The address of a byte of an array map's first value.
  void set_map_value(Reg to, int map_fd, std::uint32_t offset) { wide(to, BPF_PSEUDO_MAP_VALUE, map_fd, offset); }
  void jump(Label to) { jump_with(make(BPF_JMP | BPF_JA, Reg::r0, Reg::r0, 0, 0), to); }
  void jump_if_zero(Reg reg, Label to) { jump_with(make(BPF_JMP | BPF_JEQ | BPF_K, reg, Reg::r0, 0, 0), to); }
  // The lower 32 bits.
  void jump_if_equal(Reg reg, std::uint32_t value, Label to) {
    jump_with(make(BPF_JMP32 | BPF_JEQ | BPF_K, reg, Reg::r0, 0, static_cast<std::int32_t>(value)), to);
  }
  // The program, its jumps filled in. Every label that is jumped to has been put somewhere.
  std::vector<bpf_insn> finish() const {
    auto code = code_;
    for (const auto& j : jumps_)
      code[j.from].off =
          static_cast<__s16>(static_cast<std::ptrdiff_t>(places_[j.to]) - static_cast<std::ptrdiff_t>(j.from) - 1);
    return code;
  }

 private:
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  struct Jump {
    std::size_t from;
    Label to;
  };
  void jump_with(const bpf_insn& instruction, Label to) {
    jumps_.push_back({code_.size(), to});
    put(instruction);
  }
  void wide(Reg to, int kind, std::int64_t low, std::uint64_t high) {
    put(make(BPF_LD | BPF_DW | BPF_IMM, to, static_cast<Reg>(kind), 0, static_cast<std::int32_t>(low)));
    put(make(0, Reg::r0, Reg::r0, 0, static_cast<std::int32_t>(high)));
  }

  std::vector<bpf_insn> code_;
  std::vector<std::size_t> places_;
  std::vector<Jump> jumps_;
};

}  // namespace fathom::pmu::trace::bpf
