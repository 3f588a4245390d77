// queue/ belongs to the whole disk: a partition has no queue/.
#include "host/disk/disk_facts.h"

#include <charconv>

#include "host/proc/proc_text.h"

namespace fathom::host::disk {

void add_disk_facts(result::DeviceFacts& facts, const BlockTree& tree, const std::string& name) {
  facts.disk = tree.whole_disk(name);
  facts.model = tree.model(name);
  facts.serial = tree.serial(name);
  facts.scheduler = proc::chosen(tree.attribute(facts.disk, "queue/scheduler"));
  facts.size_bytes = tree.size_bytes(name);
  const std::string block = tree.attribute(facts.disk, "queue/logical_block_size");
  std::from_chars(block.data(), block.data() + block.size(), facts.logical_block_bytes);
  facts.no_poll = tree.attribute(facts.disk, "queue/io_poll") == "0";
  facts.rotational = tree.attribute(facts.disk, "queue/rotational") == "1";
}

}  // namespace fathom::host::disk
