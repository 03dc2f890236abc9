package io.sluice.bench.torture;

import java.util.List;

/**
 * A broken promise.
 *
 * @param records the request's reply records, as evidence
 */
record Violation(String requestId, String kind, String what, List<String> records) {}
