// Snapshots of memory counters. Changes between them are not read, because they follow from the snapshots.
#include "import/pmbench/pmbench_parts.h"

namespace fathom::import::pmbench {
namespace {

using result::PagingMemoryItem;

struct Field {
  const char* name;
  std::uint64_t PagingMemoryItem::*member;
};
constexpr Field kFields[] = {
    {"free_kib", &PagingMemoryItem::free_kib},         {"buffer_kib", &PagingMemoryItem::buffer_kib},
    {"cache_kib", &PagingMemoryItem::cache_kib},       {"active_kib", &PagingMemoryItem::active_kib},
    {"inactive_kib", &PagingMemoryItem::inactive_kib}, {"pgpgin", &PagingMemoryItem::pgpgin},
    {"pgpgout", &PagingMemoryItem::pgpgout},           {"pswpin", &PagingMemoryItem::pswpin},
    {"pswpout", &PagingMemoryItem::pswpout},           {"pgmajfault", &PagingMemoryItem::pgmajfault}};

}  // namespace

void read_memory(XmlReader& in, pugi::xml_node report, result::Run& run) {
  for (const auto node : report.child("sys_mem_info").children("sys_mem_item")) {
    PagingMemoryItem item;
    item.name = node.attribute("name").value();
    const auto info = in.need(node, "mem_item_info");
    if (info.child("AvailPhys")) {
      for (const auto value : info.children()) item.windows[value.name()] = in.integer(info, value.name());
    } else {
      for (const auto& field : kFields) item.*field.member = static_cast<std::uint64_t>(in.integer(info, field.name));
    }
    run.paging->memory_items.push_back(std::move(item));
  }
}

}  // namespace fathom::import::pmbench
