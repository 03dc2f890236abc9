package io.sluice.router.stream;

import static io.sluice.router.stream.StreamFixture.CHAT;
import static io.sluice.router.stream.StreamFixture.headers;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Outcome;
import io.sluice.common.topic.PoolTopics;
import io.sluice.router.TestWorker;
import io.sluice.router.request.RequestState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is in the records of any topic: no task stops, and all else is served. */
@Tag("slow")
class HostileRecordsTest {
  private static final List<String> TOPICS =
      List.of("sluice.requests.2k", "sluice.requests.128k", "sluice.control", "sluice.outcomes");
  private static final int RECORDS = 2_000;
  private static final int ROOM_FOR_KEYS = 4_096;

  private final StreamFixture fixture = new StreamFixture();
  @TempDir private Path stateDirectory;

  @Test
  void noRecordStopsATaskOrMakesItWriteMoreThanATopicTakes() {
    // Given
    HostileRecords hostile = new HostileRecords(new Random(9));
    fixture.join(new TestWorker("w1").refuses("best_of"));
    try (RouterDriver driver = new RouterDriver(fixture, stateDirectory)) {
      for (int i = 0; i < RECORDS; i++) {
        // When
        HostileRecords.Sent record = hostile.next();
        driver.pipe(TOPICS.get(i % TOPICS.size()), record.value(), record.headers());
        driver.pass(Duration.ofMillis(20));

        // Then
        assertThat(fixture.failures).as("record %d: %s", i, record).isEmpty();
      }
      assertThat(fixture.producer.history()).allSatisfy(HostileRecordsTest::fits);
      assertThat(fixture.toWorker("w1"))
          .allSatisfy(
              sent ->
                  assertThat(bytes(sent.value(), sent.headers()))
                      .isLessThan(PoolTopics.MAX_RECORD_BYTES - ROOM_FOR_KEYS));

      // When
      fixture.join(new TestWorker("w2"));
      String good = "good";
      driver.send("2k", CHAT, headers("request-id", good, "priority", "urgent"));
      assertThat(driver.stored(good).state()).isInstanceOf(RequestState.Leased.class);
      var lease = driver.stored(good).state().activeLease().orElseThrow();
      driver.report(lease, new Outcome.Completed("stop", 1, 1, 1));
      assertThat(driver.hasEnded(good)).isTrue();
    }
  }

  private static void fits(ProducerRecord<String, byte[]> record) {
    assertThat(bytes(record.value(), record.headers()))
        .as("%s", record.topic())
        .isLessThan(PoolTopics.MAX_RECORD_BYTES - ROOM_FOR_KEYS);
  }

  private static long bytes(byte[] value, Headers headers) {
    long bytes = value.length;
    for (Header header : headers) {
      bytes += 10 + header.key().getBytes(UTF_8).length;
      bytes += header.value() == null ? 0 : header.value().length;
    }
    return bytes;
  }
}
