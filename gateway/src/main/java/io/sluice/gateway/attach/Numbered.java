package io.sluice.gateway.attach;

import io.sluice.producer.reply.ReplyEvent;

/** An event of an answer, and its position. */
record Numbered(Position position, ReplyEvent event) {}
