package io.sluice.gateway.responses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.DeletedResponse;
import io.sluice.gateway.responses.record.ResponseLog;
import io.sluice.gateway.responses.record.ResponseRecord;
import io.sluice.gateway.responses.record.StoredResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

  /** How many searches a tenant makes at a time. */
  private static final int PLACES = 8;

  private static final String UNKNOWN = "resp_0190a6b8-0000-7000-8000-000000000001";

  private final Memory log = new Memory();
  private final StoredResponses stored = new StoredResponses(log);

  @Test
  void aTenantFindsItsResponses() throws Exception {
    stored.append(CREATED);

    assertThat(found()).isEqualTo(CREATED);
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
  void anInvalidIdIsNotFound(String id) {
    stored.append(CREATED);

    assertThat(messageFor(id)).isEqualTo("there is no response '" + id + "'");
  }

  @Test
  void aDeletedResponseIsKnownAndOneThatIsNotStoredYetIsNot() throws Exception {
    // Given
    Caller caller = Caller.ofTenant("acme");
    assertThat(stored.known(CREATED.requestId(), caller)).isEmpty();
    stored.append(CREATED);
    assertThat(stored.known(CREATED.requestId(), caller).orElseThrow().response()).isPresent();

    // When
    stored.append(new DeletedResponse(CREATED.requestId()));

    // Then
    assertThat(stored.known(CREATED.requestId(), caller).orElseThrow().response()).isEmpty();
  }

  @Test
  void aTenantThatAsksForUnknownIdsDelaysNoOtherTenant() throws Exception {
    // Given a log that remembers nothing
    stored.append(CREATED);
    log.isRemembering = false;

    // Then
    whileSearching("other", () -> assertThat(found()).isEqualTo(CREATED));
  }

  @Test
  void whatTheLogRemembersNeedsNoPlace() throws Exception {
    // Given
    stored.append(CREATED);

    // Then
    whileSearching("acme", () -> assertThat(found()).isEqualTo(CREATED));
  }

  /** Does something while a tenant has all its places, and two more of its callers wait. */
  private void whileSearching(String tenant, Search check) throws InterruptedException {
    CountDownLatch searched = new CountDownLatch(1);
    AtomicInteger searches = new AtomicInteger();
    log.search =
        () -> {
          searches.incrementAndGet();
          searched.await();
        };
    List<Thread> asking = new ArrayList<>();
    for (int i = 0; i < PLACES + 2; i++) {
      asking.add(Thread.ofPlatform().daemon().start(() -> messageFor(UNKNOWN, tenant)));
    }
    // Searches wait without a limit, and those that wait for a place with one.
    await().until(() -> count(asking, Thread.State.WAITING) == PLACES);
    await().until(() -> count(asking, Thread.State.TIMED_WAITING) == 2);
    assertThat(searches).hasValue(PLACES);
    check.run();
    searched.countDown();
    for (Thread thread : asking) {
      thread.join();
    }
    assertThat(searches).hasValue(PLACES + 2);
  }

  private CreatedResponse found() throws InterruptedException {
    return stored.find(CREATED.id(), Caller.ofTenant("acme")).whole();
  }

  private static long count(List<Thread> threads, Thread.State state) {
    return threads.stream().filter(thread -> thread.getState() == state).count();
  }

  private String messageFor(String id) {
    return messageFor(id, "other");
  }

  /** Returns the error that a caller gets. */
  private String messageFor(String id, String tenant) {
    String[] message = new String[1];
    assertThatThrownBy(() -> stored.find(id, Caller.ofTenant(tenant)))
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
    private final Map<String, StoredResponse> byId = new ConcurrentHashMap<>();
    private final Set<String> deleted = ConcurrentHashMap.newKeySet();
    private volatile Search search = () -> {};
    private volatile boolean isRemembering = true;

    @Override
    public void append(ResponseRecord record) {
      if (record instanceof CreatedResponse created) {
        byId.put(created.requestId(), StoredResponse.of(created));
      } else {
        byId.remove(record.requestId());
        deleted.add(record.requestId());
      }
    }

    @Override
    public boolean isDeleted(String requestId) {
      return deleted.contains(requestId);
    }

    @Override
    public Optional<StoredResponse> find(String requestId) {
      Optional<StoredResponse> known = Optional.ofNullable(byId.get(requestId));
      if (known.isEmpty()) {
        try {
          search.run();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      return known;
    }

    @Override
    public boolean remembers(String requestId) {
      return isRemembering && byId.containsKey(requestId);
    }
  }
}
