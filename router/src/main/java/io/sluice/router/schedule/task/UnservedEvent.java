package io.sluice.router.schedule.task;

import io.sluice.router.request.RequestMetadata;

/**
 * A request waits for a worker of its model to start.
 *
 * @param sinceEpochMillis since when the task has known no worker of the model for it
 * @param known whether the model is configured, or was served lately; otherwise the request is
 *     refused as soon as others are served
 * @param atEpochMillis the time of the event
 */
public record UnservedEvent(
    RequestMetadata metadata, long sinceEpochMillis, boolean known, long atEpochMillis) {}
