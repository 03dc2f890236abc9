package io.sluice.standalone.pool;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.acl.PoolRole;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.topic.PoolTopics;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConfigEntry.ConfigSource;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The topics and users of k8s/strimzi are those that the code defines, with a pool's default
 * settings. With {@code -Dsluice.docs.update=true} the test writes the files instead.
 */
@ExtendWith(SharedBackends.class)
class StrimziManifestsIT {
  private static final Path FOLDER = Path.of("..", "k8s", "strimzi");
  private static final boolean UPDATE = Boolean.getBoolean("sluice.docs.update");
  private static final String CHANGELOG = "sluice-router-requests-changelog";
  private static final int PARTITIONS = 48;
  private static final short REPLICATION = 3;

  @Test
  void theTopicsAreThoseOfThePoolAndThatOfTheRoutersState(Backends backends) throws Exception {
    PoolTopics topics = new PoolTopics(Lanes.standard(), PARTITIONS, REPLICATION);

    assertFile(
        "topics.yaml",
        "PoolTopics, and from the changelog that a router creates",
        Stream.concat(topics.shared().stream(), Stream.of(changelog(backends)))
            .map(StrimziManifestsIT::topic));
  }

  @Test
  void aUserOfEachRoleMayDoWhatTheRoleMay() throws IOException {
    assertFile(
        "users.yaml", "PoolRole", Arrays.stream(PoolRole.values()).map(StrimziManifestsIT::user));
  }

  /** Returns the topic as a router created it, with the pool's partitions and replicas. */
  private static NewTopic changelog(Backends backends) throws Exception {
    try (LocalPool pool = Pools.start(backends, 1);
        Admin admin = Admin.create(Map.of("bootstrap.servers", pool.kafka()))) {
      var resource = new ConfigResource(ConfigResource.Type.TOPIC, CHANGELOG);
      Map<String, String> settings =
          admin
              .describeConfigs(List.of(resource))
              .values()
              .get(resource)
              .get(30, TimeUnit.SECONDS)
              .entries()
              .stream()
              .filter(entry -> entry.source() == ConfigSource.DYNAMIC_TOPIC_CONFIG)
              .collect(toMap(ConfigEntry::name, ConfigEntry::value));
      settings.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, "2");
      return new NewTopic(CHANGELOG, Optional.of(PARTITIONS), Optional.of(REPLICATION))
          .configs(settings);
    }
  }

  private static String topic(NewTopic topic) {
    return """
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaTopic
        metadata:
          name: %s
        spec:
          partitions: %d
          replicas: %d
          config:
        """
            .formatted(topic.name(), topic.numPartitions(), topic.replicationFactor())
        + new TreeMap<>(topic.configs())
            .entrySet().stream()
                .map(setting -> "    %s: %s\n".formatted(setting.getKey(), setting.getValue()))
                .collect(joining());
  }

  private static String user(PoolRole role) {
    String name = "sluice-" + role.name().toLowerCase(Locale.ROOT).replace('_', '-');
    Map<ResourcePattern, List<String>> grants =
        role.acls("User:" + name, Optional.empty()).stream()
            .collect(
                groupingBy(
                    AclBinding::pattern,
                    LinkedHashMap::new,
                    mapping(acl -> shown(acl.entry().operation()), toList())));
    return """
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaUser
        metadata:
          name: %s
        spec:
          authentication:
            type: scram-sha-512
          authorization:
            type: simple
            acls:
        """
            .formatted(name)
        + grants.entrySet().stream()
            .map(grant -> acl(grant.getKey(), grant.getValue()))
            .collect(joining());
  }

  private static String acl(ResourcePattern pattern, List<String> operations) {
    boolean isPrefix = pattern.patternType() == PatternType.PREFIXED;
    return "      - resource: {type: %s, name: %s, patternType: %s}\n        operations: [%s]\n"
        .formatted(
            pattern.resourceType().name().toLowerCase(Locale.ROOT),
            pattern.name(),
            isPrefix ? "prefix" : "literal",
            String.join(", ", operations));
  }

  /** Returns Strimzi's name of an operation, such as {@code DescribeConfigs}. */
  private static String shown(AclOperation operation) {
    return Arrays.stream(operation.name().split("_"))
        .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
        .collect(joining());
  }

  private static void assertFile(String name, String origin, Stream<String> documents)
      throws IOException {
    Path file = FOLDER.resolve(name);
    String head = "# Written by StrimziManifestsIT from %s.\n".formatted(origin);
    String expected = head + documents.collect(joining("---\n"));
    if (UPDATE) {
      Files.writeString(file, expected);
    } else {
      assertThat(file)
          .as("k8s/strimzi/%s; -Dsluice.docs.update=true writes it", name)
          .hasContent(expected);
    }
  }
}
