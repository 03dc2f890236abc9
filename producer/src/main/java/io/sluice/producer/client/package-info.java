/**
 * The client SDK: requests go out through one shared producer, replies come in through one shared
 * reader of one partition, and each request is a {@link io.sluice.producer.client.ReplyStream}
 * without a thread of its own. A slow reader of one stream never holds up its neighbours.
 */
@NullMarked
package io.sluice.producer.client;

import org.jspecify.annotations.NullMarked;
