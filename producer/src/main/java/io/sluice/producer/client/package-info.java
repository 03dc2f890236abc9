/**
 * The client SDK: requests are sent by one shared producer, replies are read by one shared reader
 * of one partition, and each request is a {@link io.sluice.producer.reply.ReplyStream} without a
 * thread of its own. A slow reader of one stream never delays the others.
 */
@NullMarked
package io.sluice.producer.client;

import org.jspecify.annotations.NullMarked;
