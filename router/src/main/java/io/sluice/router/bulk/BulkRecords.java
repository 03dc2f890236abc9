package io.sluice.router.bulk;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Access to the records of parked requests. */
interface BulkRecords extends AutoCloseable {

  /**
   * Reads the records of these requests again. Blocks for a bounded time.
   *
   * @return the records, without those that are no longer there
   * @throws org.apache.kafka.common.KafkaException if they cannot be read now
   */
  Map<ParkedRequest, ConsumerRecord<byte[], byte[]>> read(List<ParkedRequest> requests);

  @Override
  void close();
}
