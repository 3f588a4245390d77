// The part of DeviceFacts that sysfs provides, without the path that led to the device.
#pragma once
#include <string>

#include "host/disk/block_tree.h"
#include "result/result.h"

namespace fathom::host::disk {

// Fills disk, model, serial, scheduler, size_bytes (of `name` itself), logical_block_bytes, rotational.
void add_disk_facts(result::DeviceFacts& facts, const BlockTree& tree, const std::string& name);

}  // namespace fathom::host::disk
