package io.sluice.gateway.attach;

import io.sluice.producer.client.ReplyEvent;

/** An event of an answer, and its position. */
record Numbered(Position position, ReplyEvent event) {}
