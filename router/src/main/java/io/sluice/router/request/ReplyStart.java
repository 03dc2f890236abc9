package io.sluice.router.request;

import java.util.OptionalLong;

/**
 * A place in a reply partition before which a request has no record.
 *
 * @param offset the end of the partition before the request's first assignment, if it was known
 * @param timeMillis otherwise an append time, by the clock of the partition's leader
 */
public record ReplyStart(OptionalLong offset, long timeMillis) {}
