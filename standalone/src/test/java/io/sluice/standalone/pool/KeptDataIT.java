package io.sluice.standalone.pool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.protocol.Topics;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.BackendStartException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code up --data}: a local pool is stopped and started again, over a user's engine. */
class KeptDataIT {
  private static final int TOKENS = 300;
  private static final String CHANGELOG = "sluice-router-requests-changelog";

  /** What no version has stored, and what a later one might. */
  private static final Map<String, String> UNREADABLE =
      Map.of("empty", "{}", "later", "{\"version\":2}", "garbled", "\u0007garbled", "none", "null");

  private SimulatedEngine engine;
  @TempDir private Path data;

  @BeforeEach
  void startEngine() throws Exception {
    engine =
        SimulatedEngine.start(
            SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(PoolPlan.MODEL)));
  }

  @AfterEach
  void stopEngine() {
    engine.close();
  }

  @Test
  void answersAreKeptAndUnfinishedWorkGoesOnAfterARestart() throws Exception {
    // Given
    String undisturbed;
    try (LocalPool pool = LocalPool.start(plan());
        PlainClient client = new PlainClient(pool.kafka())) {
      undisturbed = finishOneAndBeginOne(client);
    }

    // When
    try (LocalPool pool = LocalPool.start(plan());
        PlainClient client = new PlainClient(pool.kafka())) {
      // Then
      assertBothAreWhole(client, undisturbed);
    }
  }

  @Test
  void requestsThatCannotBeReadAreSetAsideAndEverythingElseGoesOn() throws Exception {
    // Given
    String undisturbed;
    try (LocalPool pool = LocalPool.start(plan());
        PlainClient client = new PlainClient(pool.kafka())) {
      undisturbed = finishOneAndBeginOne(client);
      for (Map.Entry<String, String> bad : UNREADABLE.entrySet()) {
        client.send(CHANGELOG, bad.getKey(), bad.getValue().getBytes(UTF_8), Map.of());
      }
    }

    // When
    try (LocalPool pool = LocalPool.start(plan());
        PlainClient client = new PlainClient(pool.kafka())) {
      // Then
      assertBothAreWhole(client, undisturbed);
      send(client, "new");
      assertThat(client.read(Topics.REPLIES, "new").text()).isEqualTo(undisturbed);
      List<ConsumerRecord<String, byte[]>> letters =
          client.collect(
              Topics.DEAD_LETTERS,
              letter -> UNREADABLE.containsKey(letter.key()),
              found -> found.size() >= UNREADABLE.size());
      assertThat(letters)
          .extracting(letter -> PlainClient.header(letter, "error-code"))
          .containsOnly(Optional.of("unprocessed"));
    }
  }

  @Test
  void aFolderThatARunningPoolUsesIsOneClearError() throws Exception {
    // Given
    try (LocalPool pool = LocalPool.start(plan())) {
      assertThat(pool.kafka()).isNotEmpty();

      // When, Then
      assertThatThrownBy(() -> LocalPool.start(plan()))
          .isInstanceOf(BackendStartException.class)
          .hasMessage(
              "the pool cannot use the data directory %s: a running one uses it; stop that one or choose another directory",
              data);
    }
  }

  @Test
  void aFolderThatCannotBeMadeIsOneClearError() throws Exception {
    // Given
    Path file = Files.createFile(data.resolve("file"));
    PoolPlan plan =
        PoolPlan.over(Ports.free(), List.of(engine.uri()), Optional.empty())
            .withWarmEngines()
            .storedIn(Optional.of(file.resolve("below")));

    // When, Then
    assertThatThrownBy(() -> LocalPool.start(plan))
        .isInstanceOf(BackendStartException.class)
        .hasMessageContainingAll(file.toString(), "choose a writable directory with --data");
  }

  /** Returns the text of the answers. */
  private static String finishOneAndBeginOne(PlainClient client) throws Exception {
    send(client, "finished");
    String text = client.read(Topics.REPLIES, "finished").text();
    send(client, "unfinished");
    client.collect(
        Topics.REPLIES, PlainClient.ofRequest("unfinished"), records -> records.size() >= 3);
    return text;
  }

  private static void assertBothAreWhole(PlainClient client, String text) {
    PlainClient.Answer unfinished = client.read(Topics.REPLIES, "unfinished");
    assertThat(client.read(Topics.REPLIES, "finished").text()).isEqualTo(text);
    assertThat(unfinished.ok()).as("%s", unfinished.last()).isTrue();
    assertThat(unfinished.text()).isEqualTo(text);
    assertThat(unfinished.tokens()).isEqualTo(TOKENS);
  }

  private PoolPlan plan() {
    return PoolPlan.over(Ports.free(), List.of(engine.uri()), Optional.empty())
        .withWarmEngines()
        .storedIn(Optional.of(data));
  }

  private static void send(PlainClient client, String id) throws Exception {
    byte[] body = Requests.chat("the same question", TOKENS);
    client.send("sluice.requests.2k", id, body, Map.of("request-id", id));
  }
}
