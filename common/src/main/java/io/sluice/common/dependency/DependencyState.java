package io.sluice.common.dependency;

/**
 * What is known of a dependency. Immutable.
 *
 * @param isUp whether it answers
 * @param wasUp whether it has answered at any time since the start
 * @param detail for people: {@code up}, or since when it is away and why
 */
public record DependencyState(boolean isUp, boolean wasUp, String detail) {}
