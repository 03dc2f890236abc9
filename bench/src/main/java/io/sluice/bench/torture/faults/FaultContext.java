package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.HostileCaller;
import io.sluice.bench.torture.load.LoadGenerator;
import io.sluice.bench.torture.log.Journal;
import io.sluice.bench.torture.log.ReplyTopics;
import io.sluice.bench.torture.pool.PoolProcesses;

/** Everything that faults act on. */
public record FaultContext(
    PoolProcesses pool,
    LoadGenerator load,
    Journal journal,
    ReplyTopics topics,
    HostileCaller hostile,
    PoisonKills kills) {}
