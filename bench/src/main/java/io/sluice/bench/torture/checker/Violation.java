package io.sluice.bench.torture.checker;

import java.util.List;

/**
 * A broken promise.
 *
 * @param isLate whether it is broken in time only, which a machine that is too slow for the load
 *     brings about too
 * @param records the request's reply records, as evidence
 */
public record Violation(
    String requestId, String kind, String what, boolean isLate, List<String> records) {}
