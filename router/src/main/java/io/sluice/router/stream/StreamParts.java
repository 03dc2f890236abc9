package io.sluice.router.stream;

import io.sluice.router.clock.AppendTimes;
import io.sluice.router.clock.PoolTime;
import io.sluice.router.log.EndOffsets;
import io.sluice.router.parse.RequestReader;
import io.sluice.router.schedule.task.SchedulerParts;
import io.sluice.router.write.RecordWriter;
import java.util.function.LongSupplier;

/**
 * What the tasks of one router process share.
 *
 * @param ends the end offsets of the outcomes
 * @param starts the positions from which outcomes are read
 * @param time the pool's time
 * @param appendTimes of the lanes
 * @param nanoClock monotonic nanoseconds
 * @param pauses how often the process was paused for so long that others may own its tasks
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
