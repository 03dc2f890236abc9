package io.sluice.gateway.responses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.ResponseLog;
import io.sluice.gateway.responses.record.ResponseRecord;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoredResponsesTest {
  private static final CreatedResponse CREATED =
      new CreatedResponse(
          "0190a6b8-0000-7000-8000-000000000000",
          "acme",
          Instant.EPOCH,
          Instant.EPOCH,
          Map.of(),
          Json.mapper().createObjectNode(),
          Json.mapper().createArrayNode());

  private final Memory log = new Memory();
  private final StoredResponses stored = new StoredResponses(log);

  @Test
  void aTenantFindsItsResponses() {
    stored.append(CREATED);

    assertThat(stored.find(CREATED.id(), Caller.ofTenant("acme"))).isEqualTo(CREATED);
  }

  @Test
  void anotherTenantsResponseIsLikeOneThatIsUnknown() {
    // Given
    String message = messageFor(CREATED.id());

    // When
    stored.append(CREATED);

    // Then
    assertThat(messageFor(CREATED.id())).isEqualTo(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "resp_", "resp_1", "0190a6b8-0000-7000-8000-000000000000"})
  void whatIsNoIdIsNotFound(String id) {
    stored.append(CREATED);

    assertThat(messageFor(id)).isEqualTo("there is no response '" + id + "'");
  }

  /** Returns the error that a caller of another tenant gets. */
  private String messageFor(String id) {
    String[] message = new String[1];
    assertThatThrownBy(() -> stored.find(id, Caller.ofTenant("other")))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.error().status()).isEqualTo(404);
              message[0] = e.error().message();
            });
    return message[0];
  }

  private static final class Memory implements ResponseLog {
    private final Map<String, CreatedResponse> byId = new HashMap<>();

    @Override
    public void append(ResponseRecord record) {
      if (record instanceof CreatedResponse created) {
        byId.put(created.requestId(), created);
      }
    }

    @Override
    public Optional<CreatedResponse> find(String requestId) {
      return Optional.ofNullable(byId.get(requestId));
    }
  }
}
