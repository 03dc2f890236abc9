package io.sluice.worker.config;

import io.sluice.config.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What a new engine process gets before and while it takes its first requests.
 *
 * @param requests sent to the engine before it gets traffic
 * @param prompts a file of request bodies to send; without it, generated prompts are sent
 * @param timeout how long those requests may take in all
 * @param ramp how long the worker takes to reach its limit of requests
 */
public record WarmUpSettings(
    @Setting(
            key = "warm-up-requests",
            defaultValue = "20",
            unit = "requests",
            min = 0,
            max = 1_000,
            meaning = "Requests to an engine that has just started, before it gets traffic.")
        int requests,
    @Setting(
            key = "warm-up-prompts",
            otherwise = "generated prompts of 32 to 2,048 words",
            unit = "file",
            meaning =
                "Prompts of those requests, a chat completion's JSON body per line. Put the system"
                    + " prompts of the tier there: they are then in the prefix cache.")
        Optional<Path> prompts,
    @Setting(
            key = "warm-up-timeout-millis",
            defaultValue = "60000",
            unit = "ms",
            min = 0,
            max = 86_400_000,
            meaning = "The longest time that those requests may take in all.")
        Duration timeout,
    @Setting(
            key = "ramp-millis",
            defaultValue = "10000",
            unit = "ms",
            min = 0,
            max = 86_400_000,
            meaning =
                "How long a worker with a new engine process takes to reach its limit of requests.")
        Duration ramp) {}
