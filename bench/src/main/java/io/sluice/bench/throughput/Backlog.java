package io.sluice.bench.throughput;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.bench.traffic.ServicePool;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.kafka.KafkaSettings;
import io.sluice.simulator.fit.MetricsPage;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Requests of 1 KiB that wait in a pool's router while streams are measured: they are for a model
 * that no engine serves.
 *
 * @param waiting how many interactive ones are in the router's backlog
 * @param parked how many bulk requests are parked
 */
record Backlog(int waiting, int parked) {
  private static final Duration THERE_WITHIN = Duration.ofMinutes(10);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(500);
  private static final Duration HTTP_WITHIN = Duration.ofSeconds(10);

  /** Longer than a run, and within what a router accepts. */
  private static final Duration TIMEOUT = Duration.ofHours(20);

  /** A router parks as many of each partition, and ids are not distributed quite evenly. */
  private static final double NEARLY_ALL = 0.99;

  private static final int PROMPT_BYTES = 1_024;
  private static final String PROMPT = "four word prompt, ".repeat(PROMPT_BYTES / 18);
  private static final int UNTIL_CHECKED = 10_000;

  /**
   * Sends the requests; returns when the router holds all that wait, and 99 % of the parked ones.
   *
   * @throws IOException if it does not within 10 minutes
   */
  void fill(ServicePool pool) throws IOException, InterruptedException {
    try (Producer<String, byte[]> producer =
        KafkaSettings.producer(ClientConfig.at(pool.kafka()))) {
      send(producer, Topics.requests(Lanes.standard().holding(PROMPT_BYTES)), waiting);
      send(producer, Topics.BULK, parked);
    }
    await(pool);
  }

  private static void send(Producer<String, byte[]> producer, String topic, int count)
      throws IOException, InterruptedException {
    for (int sent = 1; sent <= count; sent++) {
      Future<RecordMetadata> written = producer.send(request(topic));
      if (sent % UNTIL_CHECKED == 0 || sent == count) {
        written(written);
      }
    }
  }

  private static void written(Future<RecordMetadata> last)
      throws IOException, InterruptedException {
    try {
      last.get();
    } catch (ExecutionException e) {
      throw new IOException("Kafka did not take the requests that are to wait", e.getCause());
    }
  }

  private static ProducerRecord<String, byte[]> request(String topic) {
    String id = RequestId.next();
    byte[] body =
        """
        {"model":"%s","max_tokens":64,"messages":[{"role":"user","content":"%s %s"}]}"""
            .formatted(ServicePool.UNSERVED, id, PROMPT)
            .getBytes(UTF_8);
    var record = new ProducerRecord<>(topic, id, body);
    HeaderText.put(record.headers(), HeaderNames.REQUEST_ID, id);
    HeaderText.put(record.headers(), HeaderNames.TIMEOUT_MS, TIMEOUT.toMillis());
    return record;
  }

  private void await(ServicePool pool) throws IOException, InterruptedException {
    long end = System.nanoTime() + THERE_WITHIN.toNanos();
    HttpRequest ask =
        HttpRequest.newBuilder(pool.router().resolve("/prometheus")).timeout(HTTP_WITHIN).build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      while (true) {
        var page = new MetricsPage(http.send(ask, BodyHandlers.ofString()).body());
        double nowWaiting = page.sum("sluice_router_pending");
        double nowParked = page.sum("sluice_router_bulk_parked");
        if (nowWaiting >= waiting && nowParked >= NEARLY_ALL * parked) {
          return;
        }
        if (System.nanoTime() - end > 0) {
          throw new IOException(
              "after %d min the router had %.0f of %d waiting requests and %.0f of %d parked ones"
                  .formatted(THERE_WITHIN.toMinutes(), nowWaiting, waiting, nowParked, parked));
        }
        Thread.sleep(LOOK_AGAIN);
      }
    }
  }
}
