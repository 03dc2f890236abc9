package io.sluice.gateway.attach;

import io.sluice.common.reply.Utf8Text;

/**
 * What a reader gets: a part of an answer as text.
 *
 * @param position after which the next item comes
 * @param name the name of the server-sent event; empty for one without a name
 * @param data JSON, or the mark of a stream's end, on one line
 */
record Item(Position position, String name, Utf8Text data) {}
