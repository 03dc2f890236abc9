package io.sluice.common.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.protocol.Lanes;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeConfigsResult;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.ForwardingAdmin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

class PoolTopicsTest {

  @Test
  void aTopicThatABrokerHasNotHeardOfYetIsWaitedFor() {
    try (var admin = new LaggingBroker(4, 3)) {
      pool(4).create(admin);
      assertThat(admin.asked).isEqualTo(4);
    }
  }

  @Test
  void anotherNumberOfPartitionsIsRefusedAndTheRightOneNamed() {
    try (var admin = new LaggingBroker(8, 0)) {
      assertThatThrownBy(() -> pool(4).create(admin))
          .hasMessageContaining("has 8 partitions")
          .hasMessageContaining("set the number of partitions to 8");
    }
  }

  private static PoolTopics pool(int partitions) {
    return new PoolTopics(Lanes.standard(), partitions, (short) 1);
  }

  /** A broker that knows its topics only after this many requests. Not connected to anything. */
  private static final class LaggingBroker extends ForwardingAdmin {
    private final int partitions;
    private final int unknownFor;
    private int asked;

    LaggingBroker(int partitions, int unknownFor) {
      super(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1"));
      this.partitions = partitions;
      this.unknownFor = unknownFor;
    }

    @Override
    public CreateTopicsResult createTopics(
        Collection<NewTopic> topics, CreateTopicsOptions options) {
      return new CreateTopicsResult(
          topics.stream()
              .collect(Collectors.toMap(NewTopic::name, name -> new KafkaFutureImpl<>()))) {
        @Override
        public Map<String, KafkaFuture<Void>> values() {
          return topics.stream()
              .collect(Collectors.toMap(NewTopic::name, name -> KafkaFuture.completedFuture(null)));
        }
      };
    }

    @Override
    public DescribeTopicsResult describeTopics(
        TopicCollection topics, DescribeTopicsOptions options) {
      asked++;
      Map<String, KafkaFuture<TopicDescription>> answers =
          ((TopicCollection.TopicNameCollection) topics)
              .topicNames().stream().collect(Collectors.toMap(name -> name, this::answer));
      return new DescribeTopicsResult(null, answers) {};
    }

    @Override
    public DescribeConfigsResult describeConfigs(
        Collection<ConfigResource> resources, DescribeConfigsOptions options) {
      var forEver = new Config(List.of(new ConfigEntry("retention.ms", "-1")));
      return new DescribeConfigsResult(
          resources.stream()
              .collect(
                  Collectors.toMap(name -> name, name -> KafkaFuture.completedFuture(forEver)))) {};
    }

    private KafkaFuture<TopicDescription> answer(String name) {
      var answer = new KafkaFutureImpl<TopicDescription>();
      if (asked <= unknownFor) {
        answer.completeExceptionally(new UnknownTopicOrPartitionException(name));
      } else {
        List<TopicPartitionInfo> each =
            IntStream.range(0, partitions)
                .mapToObj(it -> new TopicPartitionInfo(it, null, List.of(), List.of()))
                .toList();
        answer.complete(new TopicDescription(name, false, each));
      }
      return answer;
    }
  }
}
