package io.sluice.bench.torture.checker;

import java.util.List;

/**
 * A violation of the protocol's promises.
 *
 * @param isLate whether it is about time only, and may come from a machine that is too slow for the
 *     load
 * @param records the reply records of the request, as evidence
 */
public record Violation(
    String requestId, String kind, String what, boolean isLate, List<String> records) {}
