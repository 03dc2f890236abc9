package io.sluice.router.bulk;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Access to the records of parked requests. */
interface BulkRecords extends AutoCloseable {

  /**
   * What was read.
   *
   * @param found the records, without those that are no longer there
   * @param unread the requests whose records cannot be read now
   */
  record Reading(
      Map<ParkedRequest, ConsumerRecord<byte[], byte[]>> found, Set<ParkedRequest> unread) {}

  /**
   * Reads the records of these requests again. Blocks for a bounded time.
   *
   * @throws org.apache.kafka.common.KafkaException if none can be read now
   */
  Reading read(List<ParkedRequest> requests);

  @Override
  void close();
}
