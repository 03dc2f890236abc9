package io.sluice.worker.reply;

import io.sluice.common.protocol.ReplyAddress;
import io.sluice.worker.clock.Ticker;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Scans over a small pool of consumers. Sessions on the same partition share one reader, see {@link
 * PartitionScan}. Thread-safe.
 */
public final class KafkaReplyScan implements ReplyScan, AutoCloseable {
  private static final Duration WARM_UP_BOUND = Duration.ofSeconds(4);

  private final ScanConsumers consumers;
  private final Ticker ticker;
  private final Map<TopicPartition, PartitionScan> partitions = new ConcurrentHashMap<>();

  /**
   * A scan with consumers from this source.
   *
   * @param consumers makes a consumer without a group
   */
  public KafkaReplyScan(Supplier<Consumer<String, byte[]>> consumers, Ticker ticker) {
    this.consumers = new ScanConsumers(consumers);
    this.ticker = ticker;
  }

  /**
   * Looks up the end of a reply partition, so that the first claim finds a connected consumer and
   * loaded classes. Returns at once; nothing depends on the result.
   */
  public void warmUp(ReplyAddress address) {
    var query = new Query(address, "warm-up", OptionalLong.empty(), Long.MAX_VALUE);
    of(new TopicPartition(address.topic(), address.partition()))
        .add(
            new PartitionFold(
                query, new PartialReply(), -1, OptionalLong.empty(), WARM_UP_BOUND, ticker));
  }

  @Override
  public Session open(Query query) {
    return new KafkaSession(query);
  }

  @Override
  public void close() {
    consumers.close();
  }

  PartitionScan of(TopicPartition partition) {
    return partitions.computeIfAbsent(partition, key -> new PartitionScan(key, consumers));
  }

  private final class KafkaSession implements Session {
    private final Query query;
    private final PartitionScan partition;
    private final PartialReply reply = new PartialReply();
    private long position;

    KafkaSession(Query query) {
      this.query = query;
      this.partition = of(new TopicPartition(query.address().topic(), query.address().partition()));
      this.position = query.fromOffset().orElse(-1);
    }

    @Override
    public void foldToEnd(Duration atMost) throws ScanException, InterruptedException {
      fold(OptionalLong.empty(), atMost);
    }

    @Override
    public void foldThrough(long offset, Duration atMost)
        throws ScanException, InterruptedException {
      fold(OptionalLong.of(offset + 1), atMost);
    }

    @Override
    public PartialReply reply() {
      return reply;
    }

    private void fold(OptionalLong end, Duration atMost)
        throws ScanException, InterruptedException {
      var fold = new PartitionFold(query, reply, position, end, atMost, ticker);
      partition.add(fold);
      position = fold.await();
    }
  }
}
