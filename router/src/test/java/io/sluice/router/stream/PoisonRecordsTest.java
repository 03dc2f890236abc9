package io.sluice.router.stream;

import static io.sluice.router.stream.StreamFixture.CHAT;
import static io.sluice.router.stream.StreamFixture.headers;
import static io.sluice.router.stream.StreamFixture.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Partitions;
import io.sluice.router.TestWorker;
import io.sluice.router.request.RequestState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Headers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A record that nobody can serve has one answer and one dead letter, and the partition goes on. */
@Tag("slow")
class PoisonRecordsTest {
  private final StreamFixture fixture = new StreamFixture();
  @TempDir private Path stateDirectory;
  private RouterDriver driver;

  @BeforeEach
  void start() {
    driver = new RouterDriver(fixture, stateDirectory);
  }

  @AfterEach
  void stop() {
    driver.close();
  }

  @Test
  void aPoisonRecordIsAnsweredAndKeptAndTheNextOneIsServed() throws IOException {
    // Given
    fixture.join(new TestWorker("w1"));

    // When
    driver.send("2k", "not JSON", headers("request-id", "bad", "kafka_correlationId", "spring-7"));
    driver.send("2k", CHAT, headers("request-id", "good"));

    // Then
    ProducerRecord<String, byte[]> reply = fixture.replies().getFirst();
    assertThat(reply.topic()).isEqualTo("sluice.replies");
    assertThat(reply.partition()).isEqualTo(Partitions.of("bad", 4));
    assertThat(reply.key()).isEqualTo("bad");
    assertThat(text(reply.headers(), "kind")).isEqualTo("error");
    assertThat(text(reply.headers(), "attempt")).isEqualTo("1000");
    assertThat(text(reply.headers(), "kafka_correlationId")).isEqualTo("spring-7");
    assertThat(Json.tree(reply.value()).at("/error/code").asText()).isEqualTo("invalid_request");
    ProducerRecord<String, byte[]> letter = fixture.deadLetters().getFirst();
    assertThat(letter.key()).isEqualTo("bad");
    assertThat(new String(letter.value(), UTF_8)).isEqualTo("not JSON");
    assertThat(text(letter.headers(), "error-code")).isEqualTo("invalid_request");
    assertThat(text(letter.headers(), "error-message")).startsWith("the body is not JSON");
    assertThat(text(letter.headers(), "source-topic")).isEqualTo("sluice.requests.2k");
    assertThat(text(letter.headers(), "source-offset")).isEqualTo("0");
    assertThat(fixture.toWorker("w1")).extracting(ProducerRecord::key).containsExactly("good");
  }

  @Test
  void aRequestIsOverOnceItsErrorReplyAndItsDeadLetterAreInTheLog() {
    // Given
    driver.send("2k", "not JSON", headers("request-id", "bad"));

    // When
    fixture.producer.completeNext();
    driver.pass(Duration.ofMillis(20));
    RequestState before = driver.stored("bad").state();
    fixture.producer.completeNext();
    driver.pass(Duration.ofMillis(20));

    // Then
    assertThat(before).isInstanceOf(RequestState.Ending.class);
    assertThat(driver.hasEnded("bad")).isTrue();
    assertThat(fixture.bodies.cached()).isEmpty();
  }

  @Test
  void anErrorReplyThatCouldNotBeWrittenIsWrittenAgainWithoutAnotherDeadLetter() {
    // Given
    driver.send("2k", "not JSON", headers("request-id", "bad"));

    // When
    fixture.producer.completeNext();
    fixture.producer.errorNext(new RuntimeException("the broker is away"));
    driver.pass(Duration.ofSeconds(2));

    // Then
    List<ProducerRecord<String, byte[]>> written = fixture.replies();
    assertThat(written).hasSize(2);
    assertThat(text(written.get(1).headers(), "lease"))
        .isEqualTo(text(written.get(0).headers(), "lease"));
    assertThat(fixture.deadLetters()).hasSize(1);
  }

  @Test
  void aDeadLetterThatCouldNotBeWrittenIsWrittenAgainWithoutAnotherReply() {
    // Given
    driver.send("2k", "not JSON", headers("request-id", "bad"));

    // When
    fixture.producer.errorNext(new RuntimeException("the broker is away"));
    fixture.producer.completeNext();
    driver.pass(Duration.ofSeconds(2));

    // Then
    assertThat(fixture.deadLetters()).hasSize(2);
    assertThat(fixture.replies()).hasSize(1);
  }

  @Test
  void aDeadLetterThatItsTopicDoesNotTakeIsWrittenWithoutTheBody() {
    // Given
    driver.send("2k", "not JSON", headers("request-id", "bad", "tenant", "acme"));

    // When
    fixture.producer.errorNext(new RecordTooLargeException());
    driver.pass(Duration.ofSeconds(2));

    // Then
    ProducerRecord<String, byte[]> letter = fixture.deadLetters().getLast();
    assertThat(fixture.deadLetters()).hasSize(2);
    assertThat(letter.value()).isEmpty();
    assertThat(text(letter.headers(), "tenant")).isEqualTo("acme");
    assertThat(text(letter.headers(), "omitted-bytes")).isNotEmpty();
  }

  @Test
  void aRequestWhoseEndCanNeverBeWrittenIsForgottenInTheEnd() {
    // Given
    fixture.producer.close();
    driver.send("2k", "not JSON", headers("request-id", "bad", "timeout-ms", "1000"));

    // When
    driver.pass(Duration.ofMinutes(62), Duration.ofSeconds(1));

    // Then
    assertThat(driver.hasEnded("bad")).isTrue();
    assertThat(fixture.bodies.cached()).isEmpty();
  }

  @Test
  void aProducerThatIsClosedDoesNotStopThePartition() {
    // Given
    fixture.join(new TestWorker("w1"));
    fixture.producer.close();

    // When
    driver.send("2k", "not JSON", headers("request-id", "bad"));
    driver.send("2k", CHAT, headers("request-id", "good"));

    // Then
    assertThat(driver.stored("good").state()).isInstanceOf(RequestState.Pending.class);
    assertThat(driver.stored("bad").state()).isInstanceOf(RequestState.Ending.class);
  }

  @Test
  void ofARecordTooLargeToBePassedOnTheDeadLetterTellsWhereItStandsAndHowLargeItIs() {
    // When
    driver.send("2k", "x".repeat(8 * 1024 * 1024 + 1), headers("request-id", "large"));

    // Then
    ProducerRecord<String, byte[]> letter = fixture.deadLetters().getFirst();
    assertThat(letter.value()).isEmpty();
    assertThat(text(letter.headers(), "omitted-bytes")).isEqualTo("8388634");
    assertThat(text(letter.headers(), "source-offset")).isEqualTo("0");
    assertThat(fixture.replies()).hasSize(1);
  }

  @Test
  void aHeaderNameThatUnpacksToMoreThanAnyTopicTakesIsRefusedAndNotStored() {
    // Given
    Headers headers = headers("request-id", "large", "\u4e2d".repeat(3_200_000), "");

    // When
    driver.send("2k", CHAT, headers);

    // Then
    assertThat(fixture.deadLetters()).hasSize(1);
    assertThat(fixture.deadLetters().getFirst().headers().toArray())
        .allSatisfy(header -> assertThat(header.key()).hasSizeLessThan(1_000));
    assertThat(fixture.replies()).hasSize(1);
  }

  @Test
  void aRecordAtWhichTheRouterItselfFailsIsSetAsideAndItsSenderToldAndThePartitionGoesOn()
      throws IOException {
    // Given
    fixture.join(new TestWorker("w1"));
    fixture.failing = "received";

    // When
    driver.send("2k", CHAT, headers("request-id", "unlucky"));
    fixture.failing = "";
    driver.send("2k", CHAT, headers("request-id", "good"));

    // Then
    ProducerRecord<String, byte[]> letter = fixture.deadLetters().getFirst();
    assertThat(letter.key()).isEqualTo("unlucky");
    assertThat(letter.value()).isEmpty();
    assertThat(text(letter.headers(), "error-code")).isEqualTo("unprocessed");
    assertThat(text(letter.headers(), "source-offset")).isEqualTo("0");
    ProducerRecord<String, byte[]> reply = fixture.replies().getFirst();
    assertThat(Json.tree(reply.value()).at("/error/code").asText()).isEqualTo("engine_error");
    assertThat(fixture.toWorker("w1")).extracting(ProducerRecord::key).containsExactly("good");
    assertThat(fixture.failures).containsExactly("sluice.requests.2k");
  }

  @Test
  void aRequestThatWasStoredBeforeTheRouterFailedAtItIsNotAnsweredTwice() {
    // Given
    fixture.join(new TestWorker("w1"));
    fixture.failing = "placed";

    // When
    driver.send("2k", CHAT, headers("request-id", "r"));

    // Then
    assertThat(fixture.replies()).isEmpty();
    assertThat(fixture.toWorker("w1")).hasSize(1);
    assertThat(driver.stored("r").state()).isInstanceOf(RequestState.Leased.class);
  }

  @Test
  void aRequestCannotClaimThatItsDeadLetterWasRedriven() {
    // When
    driver.send("2k", "not JSON", headers("request-id", "bad", "redriven-as", "x"));

    // Then
    assertThat(fixture.deadLetters().getFirst().headers().lastHeader("redriven-as")).isNull();
  }

  @Test
  void aTombstoneIsAnsweredToo() {
    // When
    driver.pipe("sluice.requests.2k", null, headers("request-id", "t"));

    // Then
    assertThat(fixture.replies()).hasSize(1);
    assertThat(fixture.deadLetters()).hasSize(1);
  }

  @Test
  void recordsThatAreNeitherOutcomesNorControlsArePassedOver() {
    // Given
    fixture.join(new TestWorker("w1"));

    // When
    for (String nonsense : List.of("", "x", "{}", "[]", "{\"type\":\"completed\"}")) {
      driver.pipe("sluice.outcomes", nonsense.getBytes(UTF_8), headers());
      driver.pipe("sluice.control", nonsense.getBytes(UTF_8), headers());
    }
    driver.send("2k", CHAT, headers("request-id", "r"));

    // Then
    assertThat(fixture.toWorker("w1")).hasSize(1);
  }
}
