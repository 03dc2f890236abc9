package io.sluice.router.clock;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Topics;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BrokerProbeTest {
  private static final int BROKERS = 3;
  private static final Duration ALL = Duration.ZERO;
  private static final Duration ANY = Duration.ofSeconds(10);
  private static final long NOW = 1_800_000_000_000L;

  private final PoolClock clock = new PoolClock(System::nanoTime, Clock.systemUTC());

  static List<RuntimeException> whatAProducerThrows() {
    return List.of(new IllegalStateException("it cannot go on"), new TimeoutException("full"));
  }

  @ParameterizedTest
  @MethodSource("whatAProducerThrows")
  void aBrokerThatCannotBeAskedHidesNoOther(RuntimeException thrown) throws Exception {
    // Given
    Producer producer = new Producer(thrown);

    // When
    try (var probe =
        new BrokerProbe(admin(), producer, Set.of(Topics.DECISIONS), clock, System::nanoTime)) {
      probe.start(ALL, ANY);
    }

    // Then
    assertThat(clock.isKnown()).isTrue();
    assertThat(clock.known(ANY)).isEqualTo(BROKERS - 1);
  }

  /** Each broker leads the partition of its number. */
  private static Admin admin() {
    List<TopicPartitionInfo> partitions =
        IntStream.range(0, BROKERS)
            .mapToObj(
                broker -> {
                  Node node = new Node(broker, "broker", 9_092);
                  return new TopicPartitionInfo(broker, node, List.of(node), List.of(node));
                })
            .toList();
    var description = new TopicDescription(Topics.DECISIONS, false, partitions);
    return (Admin)
        Proxy.newProxyInstance(
            Admin.class.getClassLoader(),
            new Class<?>[] {Admin.class},
            (proxy, method, arguments) -> new Described(description));
  }

  private static final class Described extends DescribeTopicsResult {
    Described(TopicDescription description) {
      super(null, Map.of(description.name(), KafkaFuture.completedFuture(description)));
    }
  }

  /** The first broker cannot be asked, and the others acknowledge at once. */
  private static final class Producer extends MockProducer<String, byte[]> {
    private final RuntimeException thrown;

    Producer(RuntimeException thrown) {
      super(true, null, new StringSerializer(), new ByteArraySerializer());
      this.thrown = thrown;
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<String, byte[]> record, Callback callback) {
      if (record.partition() == 0) {
        throw thrown;
      }
      var partition = new TopicPartition(record.topic(), record.partition());
      var written = new RecordMetadata(partition, 0, 0, NOW, 0, 0);
      callback.onCompletion(written, null);
      return CompletableFuture.completedFuture(written);
    }
  }
}
