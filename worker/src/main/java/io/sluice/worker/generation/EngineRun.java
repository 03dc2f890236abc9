package io.sluice.worker.generation;

import io.sluice.common.protocol.Endpoint;
import java.time.Duration;
import java.util.Optional;

/**
 * An attempt as far as its engine answered it or failed it, for metrics. Immutable.
 *
 * @param model the name that the caller's answer has
 * @param engine the kind of engine, such as {@code vllm}
 * @param sinceAppend the time from the append of the request to the end of the attempt
 * @param firstToken the time from the append of the request to its first token; empty without one
 * @param perOutputToken the mean time between two tokens; empty with fewer than two
 * @param promptTokens as the engine counts them; 0 if it did not report them
 * @param outputTokens made by this attempt
 * @param error the code of what went wrong; empty if the request is answered
 */
public record EngineRun(
    Endpoint endpoint,
    String model,
    String engine,
    Duration sinceAppend,
    Optional<Duration> firstToken,
    Optional<Duration> perOutputToken,
    int promptTokens,
    int outputTokens,
    Optional<String> error) {}
