package io.sluice.bench.torture;

/** What blows act on. */
record Arena(
    PoolProcesses pool,
    Load load,
    Journal journal,
    ReplyTopics topics,
    HostileCaller hostile,
    Victims victims) {}
