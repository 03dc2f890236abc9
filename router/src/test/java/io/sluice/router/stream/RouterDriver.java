package io.sluice.router.stream;

import static io.sluice.router.stream.StreamFixture.START_EPOCH_MILLIS;
import static io.sluice.router.stream.StreamFixture.headers;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.StoredRequest;
import io.sluice.router.request.TrackedRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Properties;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.test.TestRecord;
import org.jspecify.annotations.Nullable;

/** The real topology without a broker, driven record by record and tick by tick. */
final class RouterDriver implements AutoCloseable {
  private final StreamFixture fixture;
  private final TopologyTestDriver driver;

  RouterDriver(StreamFixture fixture, Path stateDirectory) {
    this.fixture = fixture;
    Properties config = new Properties();
    config.put(StreamsConfig.APPLICATION_ID_CONFIG, "router-test");
    config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "nowhere:1");
    config.put(StreamsConfig.STATE_DIR_CONFIG, stateDirectory.toString());
    driver =
        new TopologyTestDriver(
            RouterTopology.build(Lanes.standard(), fixture.parts()),
            config,
            Instant.ofEpochMilli(START_EPOCH_MILLIS));
  }

  void send(String lane, String body, Headers headers) {
    pipe("sluice.requests." + lane, body.getBytes(UTF_8), headers);
  }

  void report(LeaseRef lease, Outcome.Event event) {
    pipe("sluice.outcomes", new Outcome(lease, event).toJson(), headers());
  }

  void pipe(String topic, byte @Nullable [] value, Headers headers) {
    driver
        .createInputTopic(topic, new ByteArraySerializer(), new ByteArraySerializer())
        .pipeInput(
            new TestRecord<>(
                "key".getBytes(UTF_8),
                value,
                headers,
                START_EPOCH_MILLIS + fixture.brokersAheadMillis));
  }

  TrackedRequest stored(String requestId) {
    KeyValueStore<String, byte[]> requests = driver.getKeyValueStore("requests");
    return (TrackedRequest) StoredRequest.fromBytes(requestId, requests.get(requestId));
  }

  boolean hasEnded(String requestId) {
    KeyValueStore<String, byte[]> requests = driver.getKeyValueStore("requests");
    return StoredRequest.fromBytes(requestId, requests.get(requestId)) instanceof EndedRequest;
  }

  void pass(Duration duration) {
    pass(duration, Duration.ofMillis(20));
  }

  void pass(Duration duration, Duration step) {
    for (long nanos = 0; nanos < duration.toNanos(); nanos += step.toNanos()) {
      fixture.nanos += step.toNanos();
      fixture.writer.tick();
      driver.advanceWallClockTime(step);
    }
  }

  @Override
  public void close() {
    driver.close();
  }
}
