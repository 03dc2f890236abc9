package io.sluice.common.protocol;

/** Where a request's answer goes: one partition of one reply topic. */
public record ReplyAddress(String topic, int partition) {}
