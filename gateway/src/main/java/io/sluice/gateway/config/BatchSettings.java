package io.sluice.gateway.config;

import io.sluice.config.Setting;

/**
 * What the batches of one gateway may use.
 *
 * @param maxRunning how many batches run at once
 * @param maxConcurrent how many requests of one batch are in the pool at once
 * @param maxLines the most lines of an input
 * @param maxUnfinished the most batches of a tenant that have not ended
 * @param maxKept the most batches of a tenant that are kept, with those that have ended
 */
public record BatchSettings(
    @Setting(
            key = "batch-max-running",
            defaultValue = "4",
            unit = "batches",
            min = 1,
            max = 1_000,
            meaning = "The maximum number of batches that this gateway runs at once; others wait.")
        int maxRunning,
    @Setting(
            key = "batch-max-concurrent",
            defaultValue = "256",
            unit = "requests",
            min = 1,
            max = 100_000,
            meaning = "The maximum number of requests of one batch that are in the pool at once.")
        int maxConcurrent,
    @Setting(
            key = "batch-max-lines",
            defaultValue = "50000",
            unit = "lines",
            min = 1,
            max = 100_000_000,
            meaning = "The maximum number of lines of a batch's input; a batch with more fails.")
        int maxLines,
    @Setting(
            key = "batch-max-unfinished",
            defaultValue = "100",
            unit = "batches",
            min = 1,
            max = 100_000,
            meaning =
                "The maximum number of batches of a tenant that have not ended; more are"
                    + " refused with status 429.")
        int maxUnfinished,
    @Setting(
            key = "batch-max-kept",
            defaultValue = "5000",
            unit = "batches",
            min = 1,
            max = 1_000_000,
            meaning =
                "The maximum number of batches that a tenant may create in 30 days (the"
                    + " retention of batches); more are refused with status 429. Every gateway holds all of them in memory.")
        int maxKept) {}
