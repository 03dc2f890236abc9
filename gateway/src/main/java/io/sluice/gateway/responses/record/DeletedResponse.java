package io.sluice.gateway.responses.record;

/** The response no longer exists. */
public record DeletedResponse(String requestId) implements ResponseRecord {}
