package io.sluice.gateway.responses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.ResponseLog;
import io.sluice.gateway.responses.record.ResponseRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
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

  private static final String UNKNOWN = "resp_0190a6b8-0000-7000-8000-000000000001";

  private final Memory log = new Memory();
  private final StoredResponses stored = new StoredResponses(log);

  @Test
  void aTenantFindsItsResponses() throws Exception {
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

  @Test
  void aTenantThatAsksForUnknownIdsDelaysNoOtherTenant() throws Exception {
    // Given a log whose searches take their time
    CountDownLatch searched = new CountDownLatch(1);
    AtomicInteger searches = new AtomicInteger();
    stored.append(CREATED);
    log.search =
        () -> {
          searches.incrementAndGet();
          searched.await();
        };
    List<Thread> asking = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      asking.add(Thread.ofPlatform().daemon().start(() -> messageFor(UNKNOWN)));
    }
    await().until(() -> asking.stream().allMatch(StoredResponsesTest::waits));

    // Then
    assertThat(searches).hasValue(2);
    assertThat(stored.find(CREATED.id(), Caller.ofTenant("acme"))).isEqualTo(CREATED);
    searched.countDown();
    for (Thread thread : asking) {
      thread.join();
    }
    assertThat(searches).hasValue(4);
  }

  private static boolean waits(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        || thread.getState() == Thread.State.TIMED_WAITING;
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

  /** What a log does to find a response that it does not know. */
  @FunctionalInterface
  private interface Search {
    void run() throws InterruptedException;
  }

  private static final class Memory implements ResponseLog {
    private final Map<String, CreatedResponse> byId = new ConcurrentHashMap<>();
    private volatile Search search = () -> {};

    @Override
    public void append(ResponseRecord record) {
      if (record instanceof CreatedResponse created) {
        byId.put(created.requestId(), created);
      }
    }

    @Override
    public Optional<CreatedResponse> find(String requestId) {
      Optional<CreatedResponse> known = Optional.ofNullable(byId.get(requestId));
      if (known.isEmpty()) {
        try {
          search.run();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      return known;
    }
  }
}
