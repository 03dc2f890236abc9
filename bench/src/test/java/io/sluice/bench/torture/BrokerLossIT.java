package io.sluice.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.RawCaller;
import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.log.IndependentFold;
import io.sluice.bench.torture.log.Journal;
import io.sluice.bench.torture.log.LogReader;
import io.sluice.bench.torture.log.ReplyTopics;
import io.sluice.bench.torture.pool.Engines;
import io.sluice.bench.torture.pool.PoolProcesses;
import io.sluice.bench.torture.pool.PoolSetup;
import io.sluice.bench.torture.pool.Replicas;
import io.sluice.bench.torture.pool.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** One of three brokers dies: a pool of processes whose topics have three copies. */
class BrokerLossIT {
  private static final PoolSetup SETUP = new PoolSetup(3, 1, 1, 0, Engines.simulated());
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int TOKENS = 150;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void streamsGoOnAndRequestsAreTakenWhileOneOfThreeBrokersIsDown() throws Exception {
    try (var pool = new PoolProcesses(SETUP, folder)) {
      // Given: a stream on every partition, so that some are led by the broker that dies
      pool.start();
      String kafka = pool.wiring().kafka();
      var journal = new Journal();
      try (var topics = new ReplyTopics(kafka, journal)) {
        topics.createElsewhere();
      }
      try (var reader = LogReader.following(kafka, Journal.TOPICS, journal);
          var replicas = new Replicas(kafka);
          var caller = new RawCaller(kafka)) {
        replicas.awaitInSync();
        List<PlannedRequest> running = send(caller, "running", PoolSetup.PARTITIONS);
        await(running, request -> reading(journal, request).tokens() > 0);

        // When
        pool.kill(Target.broker(1));
        List<PlannedRequest> later = send(caller, "later", PoolSetup.PARTITIONS);

        // Then
        List<PlannedRequest> all = new ArrayList<>(running);
        all.addAll(later);
        await(all, journal::isOver);
        assertThat(caller.unsent()).isEmpty();
        for (PlannedRequest request : all) {
          IndependentFold reading = reading(journal, request);
          assertThat(reading.errorCode()).as(request.id()).isEmpty();
          assertThat(reading.tokens()).as(request.id()).isEqualTo(TOKENS);
          assertThat(reading.gathered()).hasSize(1);
        }
        assertThat(all.stream().map(request -> text(journal, request)).distinct()).hasSize(1);
      }
    }
  }

  private static String text(Journal journal, PlannedRequest request) {
    return reading(journal, request).texts(true).toString();
  }

  private static IndependentFold reading(Journal journal, PlannedRequest request) {
    return journal.see(request.id(), log -> log.at(request.replyTopic()).reading());
  }

  private static void await(List<PlannedRequest> requests, Predicate<PlannedRequest> condition)
      throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    List<PlannedRequest> open = new ArrayList<>(requests);
    while (!open.isEmpty()) {
      assertThat(System.nanoTime() - end).as("still waits for %s", open).isNegative();
      Thread.sleep(Duration.ofMillis(50));
      open.removeIf(condition);
    }
  }

  private static List<PlannedRequest> send(RawCaller caller, String name, int count)
      throws InterruptedException {
    List<PlannedRequest> requests =
        IntStream.range(0, count).mapToObj(number -> request(name + "-" + number)).toList();
    for (PlannedRequest request : requests) {
      caller.send(request);
    }
    return requests;
  }

  private static PlannedRequest request(String id) {
    ObjectNode body = new ObjectMapper().createObjectNode();
    body.put("model", SETUP.engines().model()).put("max_tokens", TOKENS);
    body.put("ignore_eos", true).put("stream", true);
    body.putArray("messages").addObject().put("role", "user").put("content", "the same question");
    return PlannedRequest.of(id, RequestKind.CHAT, body, "tenant", Duration.ofMinutes(2));
  }
}
