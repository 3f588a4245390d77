// The event is looked at in this order: switched on? of a device? Only then is the clock read, and the ring after it,
// because to find room there may mean to wait for another CPU.
#include "pmu/trace/bpf/bpf_program.h"

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "pmu/trace/bpf/bpf_assembler.h"

namespace fathom::pmu::trace::bpf {
namespace {

// Registers that calls leave alone.
constexpr Reg kEvent = Reg::r6, kDev = Reg::r7, kTime = Reg::r8, kRecord = Reg::r9;
constexpr int kNumbers = -16;  // on the stack: bpf_pidns_info

base::Error unreadable(const EventFormat& format, std::string_view field) {
  base::Error e;
  e.kind = base::ErrorKind::io;
  e.what = "tracepoint " + format.name + ": no program can read field `" + std::string(field) + "`";
  e.cause = "this kernel describes its block layer in a way that is not known here";
  return e;
}

std::optional<Width> width_of(const TraceField* field, std::size_t most) {
  if (field == nullptr || field->size > most || field->size == 0 || field->offset % field->size != 0)
    return std::nullopt;
  switch (field->size) {
    case 4:
      return Width::u32;
    case 8:
      return Width::u64;
    default:
      return std::nullopt;
  }
}

void pass_if_wanted(Assembler& a, const BpfProgram& program, const TraceField& dev, Assembler::Label out) {
  a.set_map_value(Reg::r1, program.control_fd, offsetof(BpfControl, on));
  a.put(load(Width::u32, Reg::r1, Reg::r1, 0));
  a.jump_if_zero(Reg::r1, out);
  a.put(load(Width::u32, kDev, kEvent, static_cast<int>(dev.offset)));
  const auto wanted = a.label();
  for (const auto device : program.devices) a.jump_if_equal(kDev, device, wanted);
  if (!program.devices.empty()) a.jump(out);
  a.here(wanted);
}

void put_process(Assembler& a, const BpfProgram& program) {
  constexpr int kAt = offsetof(BpfRecord, process);
  if (program.point != BlockPoint::bio_queue) return a.put(store_value(Width::u32, kRecord, kAt, 0));
  if (!program.space) {
    a.put(call(BPF_FUNC_get_current_pid_tgid));
    a.put(shift_right(Reg::r0, 32));
    return a.put(store(Width::u32, kRecord, kAt, Reg::r0));
  }
  a.put(store_value(Width::u64, Reg::stack, kNumbers, 0));
  a.set_wide(Reg::r1, program.space->device);
  a.set_wide(Reg::r2, program.space->inode);
  a.put(move(Reg::r3, Reg::stack));
  a.put(add(Reg::r3, kNumbers));
  a.put(set(Reg::r4, sizeof(bpf_pidns_info)));
  a.put(call(BPF_FUNC_get_ns_current_pid_tgid));
  a.put(load(Width::u32, Reg::r0, Reg::stack, kNumbers + static_cast<int>(offsetof(bpf_pidns_info, tgid))));
  a.put(store(Width::u32, kRecord, kAt, Reg::r0));
}

void put_letters(Assembler& a, const TraceField& rwbs) {
  for (std::size_t i = 0; i < sizeof(BpfRecord::rwbs); ++i) {
    a.put(load(Width::u8, Reg::r0, kEvent, static_cast<int>(rwbs.offset + i)));
    a.put(store(Width::u8, kRecord, static_cast<int>(offsetof(BpfRecord, rwbs) + i), Reg::r0));
  }
}

}  // namespace

base::Expected<std::vector<bpf_insn>> assemble(const BpfProgram& program, const EventFormat& format) {
  const auto *dev = format.find("dev"), *sector = format.find("sector"), *sectors = format.find("nr_sector"),
             *rwbs = format.find("rwbs");
  const auto sector_width = width_of(sector, 8);
  if (width_of(dev, 4) != Width::u32) return unreadable(format, "dev");
  if (!sector_width) return unreadable(format, "sector");
  if (width_of(sectors, 4) != Width::u32) return unreadable(format, "nr_sector");
  if (rwbs == nullptr || rwbs->size < sizeof(BpfRecord::rwbs)) return unreadable(format, "rwbs");

  Assembler a;
  const auto out = a.label(), full = a.label();
  a.put(move(kEvent, Reg::r1));
  pass_if_wanted(a, program, *dev, out);
  a.put(call(BPF_FUNC_ktime_get_ns));
  a.put(move(kTime, Reg::r0));
  a.set_map(Reg::r1, program.ring_fd);
  a.put(set(Reg::r2, sizeof(BpfRecord)));
  a.put(set(Reg::r3, 0));
  a.put(call(BPF_FUNC_ringbuf_reserve));
  a.jump_if_zero(Reg::r0, full);
  a.put(move(kRecord, Reg::r0));
  a.put(store(Width::u64, kRecord, offsetof(BpfRecord, time_ns), kTime));
  a.put(load(*sector_width, Reg::r0, kEvent, static_cast<int>(sector->offset)));
  a.put(store(Width::u64, kRecord, offsetof(BpfRecord, sector), Reg::r0));
  a.put(load(Width::u32, Reg::r0, kEvent, static_cast<int>(sectors->offset)));
  a.put(store(Width::u32, kRecord, offsetof(BpfRecord, sectors), Reg::r0));
  a.put(store(Width::u32, kRecord, offsetof(BpfRecord, dev), kDev));
  put_letters(a, *rwbs);
  a.put(store_value(Width::u8, kRecord, offsetof(BpfRecord, point), static_cast<int>(program.point)));
  a.put(store_value(Width::u8, kRecord, offsetof(BpfRecord, spare), 0));
  put_process(a, program);
  a.put(move(Reg::r1, kRecord));
  a.put(set(Reg::r2, BPF_RB_NO_WAKEUP));
  a.put(call(BPF_FUNC_ringbuf_submit));
  a.jump(out);
  a.here(full);
  a.set_map_value(Reg::r1, program.control_fd, offsetof(BpfControl, no_room));
  a.put(set(Reg::r2, 1));
  a.put(add_atomic(Reg::r1, 0, Reg::r2));
  a.here(out);
  a.put(set(Reg::r0, 1));
  a.put(leave());
  return a.finish();
}

std::optional<BlockEvent> parse_record(std::span<const std::byte> bytes) {
  BpfRecord record;
  if (bytes.size() < sizeof record) return std::nullopt;
  std::memcpy(&record, bytes.data(), sizeof record);
  if (record.point >= kBlockPoints) return std::nullopt;
  const std::string_view letters(record.rwbs, sizeof record.rwbs);
  BlockEvent event;
  event.time_ns = record.time_ns;
  event.sector = record.sector;
  event.sectors = record.sectors;
  event.dev = record.dev;
  event.process = static_cast<std::int32_t>(record.process);
  event.point = static_cast<BlockPoint>(record.point);
  event.dir = direction_of(letters.substr(0, letters.find('\0')));
  event.flush = begins_with_flush(letters);
  return event;
}

}  // namespace fathom::pmu::trace::bpf
