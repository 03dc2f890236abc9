package io.sluice.bench.direct;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A request to an engine.
 *
 * @param id unique among the questions that are asked together
 * @param endpoint such as {@code /v1/completions}
 */
public record Question(String id, String endpoint, ObjectNode body) {}
