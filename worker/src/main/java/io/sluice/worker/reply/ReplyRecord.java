package io.sluice.worker.reply;

import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.reply.ReplyHeaders;
import java.util.Optional;

/**
 * A reply record to write.
 *
 * @param correlationId Spring's correlation id, which only a terminal record carries back
 */
@SuppressWarnings("ArrayRecordComponent") // never changed, never compared
public record ReplyRecord(
    ReplyAddress address, ReplyHeaders headers, Optional<byte[]> correlationId, byte[] value) {}
