package io.sluice.gateway.responses.event;

import io.sluice.common.reply.Utf8Text;

/**
 * A server-sent event of a response.
 *
 * @param sequenceNumber its place among the events of its response, from 0
 * @param data one line of JSON
 */
public record ResponseEvent(int sequenceNumber, String type, Utf8Text data) {}
