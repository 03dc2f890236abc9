package io.sluice.gateway.batch.record;

/**
 * A batch is to be cancelled.
 *
 * @param at when that was asked for, in milliseconds since 1970
 */
public record BatchCancellation(String id, long at) implements BatchRecord {}
