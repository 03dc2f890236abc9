package io.sluice.router.request;

import java.util.OptionalLong;

/**
 * A place in a reply partition before which a request has no record.
 *
 * @param offset where the partition ended before the request's first assignment, if that was known
 * @param timeMillis else an append time, by the clock of the partition's leader
 */
public record ReplyStart(OptionalLong offset, long timeMillis) {}
