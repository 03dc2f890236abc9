package io.sluice.common.protocol;

/** The destination of a request's answer: one partition of one reply topic. */
public record ReplyAddress(String topic, int partition) {}
