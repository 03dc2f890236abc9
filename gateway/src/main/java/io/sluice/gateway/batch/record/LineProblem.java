package io.sluice.gateway.batch.record;

import org.jspecify.annotations.Nullable;

/**
 * What is wrong with the input of a batch.
 *
 * @param code a stable short name
 * @param line the line at fault, counted from 1; null if it is the whole input
 */
public record LineProblem(String code, String message, @Nullable Long line) {}
