# The table of rooms (see ARCHITECTURE.md). A room may include itself, the standard library, its packages and the rooms named here.
# tests/house/layers_test.py holds every #include line under src/ against this file, so an arrow is drawn here or it does not exist.
#
#            room      may include                                              PACKAGES  what it links
fathom_layer(base      ""                                                       PACKAGES fmt::fmt)
fathom_layer(clock     "base"                                                   PACKAGES Threads::Threads)
fathom_layer(stats     "base")
fathom_layer(pattern   "base")
fathom_layer(io        "base")
fathom_layer(result    "base;stats")
fathom_layer(host      "base;result"                                            PACKAGES PkgConfig::BLKID)
fathom_layer(job       "base;io;pattern")
fathom_layer(workload  "base;io;job;pattern"                                    PACKAGES PkgConfig::ISAL)
fathom_layer(nvme      "base;clock"                                             PACKAGES Threads::Threads)
fathom_layer(engine    "base;io;clock;nvme"                                     PACKAGES PkgConfig::URING aio)
fathom_layer(run       "base;clock;stats;io;job;workload;engine;result"         PACKAGES Threads::Threads)
fathom_layer(loops     "base;clock;stats;io;job;workload;nvme;engine;result;run")
fathom_layer(pmu       "base;clock;stats;host;result"                           PACKAGES Threads::Threads)
fathom_layer(paging    "base;clock;stats;pattern;host;result"                   PACKAGES Threads::Threads)
fathom_layer(audit     "base;stats;host;result")
fathom_layer(live      "base;stats;result")
fathom_layer(import    "base;stats;result"                                      PACKAGES pugixml::pugixml)
fathom_layer(report    "base;stats;result"                                      PACKAGES nlohmann_json::nlohmann_json pugixml::pugixml)
fathom_layer(cli       "base;clock;stats;pattern;io;result;host;job;workload;nvme;engine;run;loops;pmu;paging;audit;live;import;report")
