package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.HostileCaller;
import io.sluice.bench.torture.load.Load;
import io.sluice.bench.torture.log.Journal;
import io.sluice.bench.torture.log.ReplyTopics;
import io.sluice.bench.torture.pool.PoolProcesses;

/** What blows act on. */
public record Arena(
    PoolProcesses pool,
    Load load,
    Journal journal,
    ReplyTopics topics,
    HostileCaller hostile,
    Victims victims) {}
