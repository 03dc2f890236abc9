package io.sluice.bench.fleet.run;

import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;

/**
 * The result of one run, over its measured requests.
 *
 * @param ttftP50Millis from the caller's sending to the first token at the caller; over the
 *     requests that were not refused, except those that were lost without a token
 * @param itlP99Millis over all pairs of successive tokens
 * @param goodput share of all requests that had a first token within 2 s, then no more than 100 ms
 *     per token on average, and were finished
 * @param hitRate share of the prompts' tokens that was found in a prefix cache
 * @param preemptions of measured requests
 * @param refused share of all requests that got an error instead of an answer
 * @param late share of all requests whose first token came after 2 s
 * @param slow share of all requests that began in time, but took more than 100 ms per token
 * @param offeredPerSecond requests per second
 * @param lost share of all requests that ended with an error because an engine failed, with a part
 *     of their answer or with nothing of it
 * @param resumed share of all requests whose answer another engine continued
 * @param longestGapMillis between two tokens of an answer
 * @param uninformed over all requests
 */
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
public record RunResult(
    double ttftP50Millis,
    double ttftP95Millis,
    double ttftP99Millis,
    double itlP99Millis,
    double goodput,
    double hitRate,
    double preemptions,
    double refused,
    double late,
    double slow,
    double offeredPerSecond,
    double lost,
    double resumed,
    double longestGapMillis,
    Uninformed uninformed) {}
