package io.sluice.router.stream;

import io.sluice.router.clock.AppendTimes;
import io.sluice.router.clock.PoolTime;
import io.sluice.router.log.EndOffsets;
import io.sluice.router.parse.RequestReader;
import io.sluice.router.schedule.SchedulerParts;
import io.sluice.router.write.RecordWriter;
import java.util.function.LongSupplier;

/**
 * What the tasks of one router process share.
 *
 * @param ends where the outcomes end
 * @param starts from where they are read
 * @param time the pool's
 * @param appendTimes of the lanes
 * @param nanoClock monotonic nanoseconds
 * @param pauses how often the process has paused so long that its tasks may be another's by now
 */
public record StreamParts(
    SchedulerParts shared,
    RequestReader reader,
    RecordWriter writer,
    OwnedPartitions partitions,
    EndOffsets ends,
    StartPositions starts,
    PoolTime time,
    AppendTimes appendTimes,
    LongSupplier nanoClock,
    LongSupplier pauses) {}
