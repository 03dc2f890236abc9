package io.sluice.router.request;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.Json;
import io.sluice.router.schedule.TestRequest;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No stored value, whatever it is, is more than unreadable. */
class UnreadableRequestTest {
  private static final TrackedRequest REQUEST =
      new TrackedRequest(
          new TestRequest("r").metadata(),
          History.NONE,
          new RequestState.Pending(0, Optional.empty()));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}                                  | it has no facts",
        "{\"facts\":null,\"history\":null}     | it has no facts",
        "{\"facts\":{}}                        | it has no request id",
        "{\"facts\":[]}                        | Cannot deserialize value of type",
        "{\"facts\":7}                         | Cannot construct instance of",
        "{\"version\":2}                       | it has version 2, and this router reads version 1",
        "{\"facts\":[],\"version\":2}          | it has version 2, and this router reads version 1",
        "{\"version\":\"new\"}                 | Cannot deserialize value of type",
        "{\"facts\":{\"request_id\":\"r\"      | Unexpected end-of-input",
        "[]                                  | unknown format: the first byte is 91",
        "\"text\"                            | unknown format: the first byte is 34",
        "null                                | unknown format: the first byte is 110",
        "``                                  | unknown format: the first byte is 0"
      })
  void whatCannotBeReadSaysWhy(String stored, String cause) {
    // When
    StoredRequest read = StoredRequest.fromBytes("r", stored.getBytes(UTF_8));

    // Then
    assertThat(read).isInstanceOf(UnreadableRequest.class);
    assertThat(((UnreadableRequest) read).cause()).contains(cause).hasSizeLessThan(201);
  }

  @Test
  void aValueThatIsCutOffIsUnreadableInEveryForm() {
    // Given
    List<byte[]> forms =
        List.of(
            REQUEST.toBytes(),
            EndedRequest.of(REQUEST, 5).toBytes(),
            EarlyControl.of(new Control.Extend("r", 7), 5).toBytes());

    // Then
    for (byte[] form : forms) {
      for (int length = 0; length < form.length; length++) {
        assertThat(StoredRequest.fromBytes("r", Arrays.copyOf(form, length)))
            .isInstanceOf(UnreadableRequest.class);
      }
    }
  }

  @Test
  void theValueOfAnotherRequestIsUnreadable() {
    assertThat(StoredRequest.fromBytes("other", REQUEST.toBytes()))
        .isEqualTo(new UnreadableRequest("other", "it belongs to request r"));
  }

  @Test
  void aReplyAddressThatNoTopicHasIsUnreadable() throws IOException {
    // Given
    ObjectNode json = (ObjectNode) Json.tree(REQUEST.toBytes());
    ((ObjectNode) json.at("/facts/reply_to")).put("partition", -1);

    // Then
    assertThat(StoredRequest.fromBytes("r", Json.bytes(json)))
        .isInstanceOf(UnreadableRequest.class);
  }

  /** What is read must be whole, because nothing that uses it expects null. */
  @Test
  void aFieldThatIsMissingOrNullOrOfAnotherTypeLeavesTheRestWholeOrIsUnreadable()
      throws IOException {
    for (StoredValues.Kept damaged : StoredValues.damaged()) {
      StoredRequest read = StoredRequest.fromBytes(damaged.requestId(), damaged.value());

      if (read instanceof TrackedRequest tracked) {
        assertThat(StoredRequest.fromBytes(damaged.requestId(), tracked.toBytes()))
            .as(new String(damaged.value(), UTF_8))
            .isEqualTo(tracked);
      }
    }
  }

  @Property(tries = 2_000)
  void anyBytesAreReadOrUnreadable(@ForAll byte[] stored) {
    assertThat(StoredRequest.fromBytes("r", stored).requestId()).isEqualTo("r");
  }
}
