package io.sluice.bench.direct;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What an engine is asked.
 *
 * @param id unique among all that are asked at once
 * @param endpoint such as {@code /v1/completions}
 */
public record Question(String id, String endpoint, ObjectNode body) {}
