package io.sluice.cli.doctor;

import io.sluice.common.kafka.RecordSend;
import io.sluice.common.protocol.ConsumerGroups;
import io.sluice.common.protocol.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.SecurityDisabledException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Reads what Kafka says of itself and of a pool's topics. For one thread. */
final class KafkaReader implements AutoCloseable {
  private static final String PREFIX = "sluice";
  private static final int CALL_MILLIS = 5_000;

  private final Map<String, Object> properties;
  private final Admin admin;

  /**
   * Opens a client; nothing is sent yet.
   *
   * @param properties of Kafka's clients, with the brokers' addresses
   */
  KafkaReader(Map<String, String> properties) {
    this.properties = new HashMap<>(properties);
    this.properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, CALL_MILLIS);
    this.properties.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, CALL_MILLIS);
    this.admin = Admin.create(this.properties);
  }

  /**
   * Reads everything; each call takes at most 5 s.
   *
   * @throws ExecutionException if Kafka does not answer, or does not permit to read topics
   */
  KafkaFacts read() throws ExecutionException, InterruptedException {
    Collection<Node> brokers = admin.describeCluster().nodes().get();
    Map<String, KafkaFacts.Topic> topics = topics();
    return new KafkaFacts(
        brokers.stream().map(node -> node.host() + ":" + node.port()).sorted().toList(),
        topics,
        disks(brokers),
        routers(),
        unread(topics),
        topics.containsKey(Topics.DECISIONS) ? ahead() : Optional.empty(),
        isOpen());
  }

  private Map<String, KafkaFacts.Topic> topics() throws ExecutionException, InterruptedException {
    List<String> names =
        admin.listTopics().names().get().stream().filter(name -> name.startsWith(PREFIX)).toList();
    Map<String, TopicDescription> found = admin.describeTopics(names).allTopicNames().get();
    Map<String, Map<String, String>> configs = configs(found.keySet());
    Map<String, KafkaFacts.Topic> topics = new HashMap<>();
    found.forEach(
        (name, topic) -> topics.put(name, topic(topic, configs.getOrDefault(name, Map.of()))));
    return topics;
  }

  private Map<String, Map<String, String>> configs(Collection<String> topics)
      throws ExecutionException, InterruptedException {
    List<ConfigResource> resources =
        topics.stream().map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name)).toList();
    Map<String, Map<String, String>> configs = new HashMap<>();
    admin
        .describeConfigs(resources)
        .all()
        .get()
        .forEach(
            (resource, config) ->
                configs.put(
                    resource.name(),
                    config.entries().stream()
                        .filter(entry -> entry.value() != null)
                        .collect(Collectors.toMap(e -> e.name(), e -> e.value()))));
    return configs;
  }

  private static KafkaFacts.Topic topic(TopicDescription topic, Map<String, String> configs) {
    int minimum =
        Integer.parseInt(configs.getOrDefault(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, "1"));
    int offline = 0;
    int belowMinimum = 0;
    int outOfSync = 0;
    int replicas = Integer.MAX_VALUE;
    for (TopicPartitionInfo partition : topic.partitions()) {
      offline += partition.leader() == null || partition.leader().isEmpty() ? 1 : 0;
      belowMinimum += partition.isr().size() < minimum ? 1 : 0;
      outOfSync += partition.isr().size() < partition.replicas().size() ? 1 : 0;
      replicas = Math.min(replicas, partition.replicas().size());
    }
    return new KafkaFacts.Topic(
        topic.partitions().size(), replicas, offline, belowMinimum, outOfSync, configs);
  }

  private List<KafkaFacts.Disk> disks(Collection<Node> brokers)
      throws ExecutionException, InterruptedException {
    List<KafkaFacts.Disk> disks = new ArrayList<>();
    permitted(admin.describeLogDirs(brokers.stream().map(Node::id).toList()).allDescriptions())
        .orElse(Map.of())
        .forEach(
            (broker, folders) ->
                folders.forEach(
                    (folder, size) -> {
                      if (size.totalBytes().orElse(0) > 0 && size.usableBytes().isPresent()) {
                        disks.add(
                            new KafkaFacts.Disk(
                                "broker %d, %s".formatted(broker, folder),
                                size.usableBytes().getAsLong(),
                                size.totalBytes().getAsLong()));
                      }
                    }));
    return disks;
  }

  private int routers() throws ExecutionException, InterruptedException {
    try {
      return permitted(admin.describeConsumerGroups(List.of(ConsumerGroups.ROUTER)).all())
          .map(groups -> groups.get(ConsumerGroups.ROUTER))
          .map(ConsumerGroupDescription::members)
          .map(Collection::size)
          .orElse(0);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupIdNotFoundException) {
        return 0;
      }
      throw e;
    }
  }

  private long unread(Map<String, KafkaFacts.Topic> topics)
      throws ExecutionException, InterruptedException {
    Set<TopicPartition> lanes = new HashSet<>();
    Set<TopicPartition> bulk = new HashSet<>();
    topics.forEach(
        (name, topic) -> {
          for (int i = 0; i < topic.partitions(); i++) {
            if (name.startsWith(Topics.REQUESTS_PREFIX)) {
              lanes.add(new TopicPartition(name, i));
            } else if (name.equals(Topics.BULK)) {
              bulk.add(new TopicPartition(name, i));
            }
          }
        });
    return unread(ConsumerGroups.ROUTER, lanes) + unread(ConsumerGroups.BULK_FEEDER, bulk);
  }

  /** A group begins at the first record of a partition in which it has committed nothing. */
  private long unread(String group, Set<TopicPartition> partitions)
      throws ExecutionException, InterruptedException {
    var read = permitted(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
    if (read.isEmpty()) {
      return 0;
    }
    var first = offsets(partitions, OffsetSpec.earliest());
    long unread = 0;
    for (var end : offsets(partitions, OffsetSpec.latest()).entrySet()) {
      var committed = read.get().get(end.getKey());
      long from = Objects.requireNonNull(first.get(end.getKey())).offset();
      if (committed != null) {
        from = Math.max(from, committed.offset());
      }
      unread += Math.max(0, end.getValue().offset() - from);
    }
    return unread;
  }

  private Map<TopicPartition, ListOffsetsResultInfo> offsets(
      Set<TopicPartition> partitions, OffsetSpec which)
      throws ExecutionException, InterruptedException {
    return admin
        .listOffsets(partitions.stream().collect(Collectors.toMap(each -> each, each -> which)))
        .all()
        .get();
  }

  /** Writes an empty record, as routers do once a second; its time is that of the broker. */
  private Optional<Duration> ahead() throws InterruptedException {
    Map<String, Object> config = new HashMap<>(properties);
    config.put(ProducerConfig.ACKS_CONFIG, "1");
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false);
    config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, CALL_MILLIS);
    config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 2 * CALL_MILLIS);
    var serializer = new ByteArraySerializer();
    try (var producer = new KafkaProducer<>(config, serializer, serializer)) {
      producer.partitionsFor(Topics.DECISIONS);
      long sent = System.currentTimeMillis();
      long appended =
          RecordSend.send(producer, new ProducerRecord<>(Topics.DECISIONS, new byte[0]))
              .get()
              .timestamp();
      long middle = (sent + System.currentTimeMillis()) / 2;
      return Optional.of(Duration.ofMillis(appended - middle));
    } catch (ExecutionException | org.apache.kafka.common.KafkaException e) {
      return Optional.empty();
    }
  }

  private Optional<Boolean> isOpen() throws ExecutionException, InterruptedException {
    try {
      return permitted(admin.describeAcls(AclBindingFilter.ANY).values()).map(acls -> false);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SecurityDisabledException) {
        return Optional.of(true);
      }
      throw e;
    }
  }

  /** Empty if this client may not know. */
  private static <T> Optional<T> permitted(KafkaFuture<T> answer)
      throws ExecutionException, InterruptedException {
    try {
      return Optional.of(answer.get());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AuthorizationException) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ofMillis(CALL_MILLIS));
  }
}
