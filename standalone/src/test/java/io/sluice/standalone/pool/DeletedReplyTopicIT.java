package io.sluice.standalone.pool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Topics;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A service is removed, and its reply topic deleted, while the pool processes its requests. */
@ExtendWith(SharedBackends.class)
class DeletedReplyTopicIT {
  private static final String LANE = "sluice.requests.2k";
  private static final int OF_THE_SERVICE = 60;
  private static final int OF_OTHERS = 30;

  private final String topic = "sluice.replies.it-" + UUID.randomUUID();
  private LocalPool pool;
  private PlainClient client;
  private Admin admin;

  @BeforeEach
  void start(Backends backends) throws Exception {
    String kafka = backends.kafkaBootstrapServers();
    admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka));
    admin.createTopics(List.of(new NewTopic(topic, 4, (short) 1))).all().get(30, TimeUnit.SECONDS);
    pool = Pools.start(backends, 3);
    client = new PlainClient(kafka);
  }

  @AfterEach
  void stop() {
    client.close();
    pool.close();
    admin.close();
  }

  @Test
  void othersAreAnsweredWhileItIsAwayAndItsOwnRequestsEndOnTheTopicOfAllWithADeadLetter()
      throws Exception {
    // Given
    Set<String> ofTheService = new HashSet<>();
    for (int i = 0; i < OF_THE_SERVICE; i++) {
      String id = UUID.randomUUID().toString();
      ofTheService.add(id);
      client.send(
          LANE,
          id,
          Requests.chat("tell me more " + i, 800),
          Map.of("request-id", id, "reply-to", topic, "timeout-ms", "30000"));
    }
    String first = ofTheService.iterator().next();
    client.collect(topic, record -> true, records -> !records.isEmpty());

    // When
    admin.deleteTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
    List<Boolean> others = new ArrayList<>();
    for (int i = 0; i < OF_OTHERS; i++) {
      String id = UUID.randomUUID().toString();
      client.send(
          LANE, id, Requests.chat("and you", 5), Map.of("request-id", id, "timeout-ms", "10000"));
      PlainClient.Answer answer = client.read(Topics.REPLIES, id);
      others.add(answer.ok());
    }
    // Then
    assertThat(others).hasSize(OF_OTHERS).containsOnly(true);
    List<String> deadLetters = deadLetters(ofTheService, OF_THE_SERVICE);
    // Requests that the router had not read by then are rejected as if the topic had never existed.
    assertThat(deadLetters)
        .allSatisfy(deadLetter -> assertThat(deadLetter).contains(topic))
        .anySatisfy(deadLetter -> assertThat(deadLetter).contains("is gone"));
    PlainClient.Answer end = client.read(Topics.REPLIES, first);
    assertThat(end.ok()).isFalse();
    assertThat(end.errorMessage()).contains(topic);
  }

  private List<String> deadLetters(Set<String> ids, int atLeast) {
    return client
        .collect(
            Topics.DEAD_LETTERS,
            record -> ids.contains(record.key()),
            records -> records.stream().map(record -> record.key()).distinct().count() >= atLeast)
        .stream()
        .map(record -> new String(record.headers().lastHeader("error-message").value(), UTF_8))
        .toList();
  }
}
