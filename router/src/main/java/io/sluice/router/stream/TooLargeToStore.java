package io.sluice.router.stream;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Topics;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProductionExceptionHandler;

/**
 * Handles changelog records that are too large for their topic. They must not stop the task, which
 * would only write them again. This should not happen, because requests are measured before they
 * are stored. It does if a topic was created with a smaller limit than the pool's. The value is
 * then in this task's store but not in its changelog. A task that takes over finds the request
 * without its body and reports that, or finds the previous step and repeats it; the request ends
 * with its deadline at the latest. A dead letter names the topic that is too small.
 */
public final class TooLargeToStore implements ProductionExceptionHandler {
  @Override
  public void configure(Map<String, ?> configs) {
    // There is nothing to configure.
  }

  @Override
  public Response handleError(
      ErrorHandlerContext context, ProducerRecord<byte[], byte[]> record, Exception exception) {
    if (exception instanceof RecordTooLargeException
        || exception instanceof RecordBatchTooLargeException) {
      return Response.resume(List.of(deadLetter(record)));
    }
    return exception instanceof RetriableException ? Response.retry() : Response.fail();
  }

  private static ProducerRecord<byte[], byte[]> deadLetter(ProducerRecord<byte[], byte[]> record) {
    long bytes = record.value() == null ? 0 : record.value().length;
    Headers headers =
        UnprocessedHeaders.headers(
            new String(record.key(), StandardCharsets.UTF_8),
            "topic %s does not accept records of %d bytes; raise its max.message.bytes"
                .formatted(record.topic(), bytes));
    HeaderText.put(headers, HeaderNames.OMITTED_BYTES, bytes);
    return new ProducerRecord<>(Topics.DEAD_LETTERS, null, record.key(), new byte[0], headers);
  }
}
