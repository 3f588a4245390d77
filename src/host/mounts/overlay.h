// What an overlay file system lies on. Its st_dev is an anonymous number, and from inside a container its layers' paths
// mostly lead nowhere; so there are two ways: the layer's own path where it can be seen, and else the file system among
// those in sight whose counters (statfs(2)) are to the block the overlay's, which hands on those of its upper layer.
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

// Folders in the order in which the overlay looks for a file: upperdir, then lowerdir's.
std::vector<std::string> overlay_layers(const Mount& overlay);
// The file of a layer that a path is at this moment, and where that lies on an overlay again, the one below; empty
// where the path is on none, or no layer is in sight. upper: a file that only a lower layer has is not meant, for a
// write copies it up first.
enum class OverlayLayers { upper, all };
std::vector<std::string> overlay_files(const std::string& path, std::span<const Mount> mounts, OverlayLayers which);
// The device below a path on it: the layer's that holds the file, or of a file that does not exist yet the upper
// layer's; 0 where it lies in memory. Nothing: no layer is in sight. `writes`: a file that is opened for writing is
// copied to the upper layer first.
std::optional<dev_t> overlay_device(const Mount& overlay, std::span<const Mount> mounts, const std::string& real_path,
                                    bool writes = false);
// All layers are in sight and lie on the same device.
bool overlay_on_one_device(const Mount& overlay);

}  // namespace fathom::host::mounts
