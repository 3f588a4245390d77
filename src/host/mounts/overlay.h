// The device below an overlay file system. Its st_dev is an anonymous number, and inside a container its layers' paths
// mostly do not resolve. So there are two methods: the layer's own path if it is visible; else the visible file system
// with exactly the overlay's counters (statfs(2)), because an overlay passes on its upper layer's counters.
// Thread-safe.
#pragma once
#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/mounts/mount_table.h"

namespace fathom::host::mounts {

// Directories in the order in which the overlay searches for a file: upperdir, then lowerdir's.
std::vector<std::string> overlay_layers(const Mount& overlay);
// The layer file that a path currently refers to, and if that is on an overlay too, the file below. Empty: the path is
// not on an overlay, or no layer is visible. upper: files in the upper layer only. A file in a lower layer is excluded,
// because a write copies it up first.
enum class OverlayLayers { upper, all };
std::vector<std::string> overlay_files(const std::string& path, std::span<const Mount> mounts, OverlayLayers which);
// The device below a path: of the layer that holds the file, or for a file that does not exist yet of the upper layer.
// 0: in memory. nullopt: no layer is visible. `writes`: the upper layer's device, because opening a file for writing
// copies it there first.
std::optional<dev_t> overlay_device(const Mount& overlay, std::span<const Mount> mounts, const std::string& real_path,
                                    bool writes = false);
// True if all layers are visible and on the same device.
bool overlay_on_one_device(const Mount& overlay);

}  // namespace fathom::host::mounts
