package io.sluice.producer.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.reply.Utf8Text;
import io.sluice.producer.reply.ReplyEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** The rules of Reactive Streams that a unicast publisher can violate. */
class EventBufferTest {
  private static final ReplyEvent.Failed END =
      ReplyEvent.Failed.local(ErrorKind.CANCELLED, "enough");

  private final List<Runnable> tasks = new ArrayList<>();
  private int drained;
  private int cancelled;
  private final EventBuffer buffer =
      new EventBuffer(
          3,
          new UnreadBytes(Long.MAX_VALUE),
          "tenant",
          tasks::add,
          new EventBuffer.DrainListener() {
            @Override
            public void drained() {
              drained++;
            }

            @Override
            public void readerCancelled() {
              cancelled++;
            }
          });

  @Test
  void nothingIsDeliveredThatWasNotRequested() {
    // Given
    Recorder subscriber = subscribed(0);
    buffer.offer(tokens(0));
    buffer.offer(tokens(1));
    runTasks();
    assertThat(subscriber.events).isEmpty();

    // When
    subscriber.subscription.request(1);
    runTasks();

    // Then
    assertThat(subscriber.events).containsExactly(tokens(0));
    subscriber.subscription.request(5);
    runTasks();
    assertThat(subscriber.events).containsExactly(tokens(0), tokens(1));
    assertThat(subscriber.isComplete).isFalse();
  }

  @Test
  void theEndCompletesTheSubscriberOnce() {
    // Given
    Recorder subscriber = subscribed(Long.MAX_VALUE);
    buffer.offer(tokens(0));

    // When
    buffer.end(END);
    buffer.end(END);
    runTasks();

    // Then
    assertThat(subscriber.events).containsExactly(tokens(0), END);
    assertThat(subscriber.isComplete).isTrue();
    assertThat(subscriber.errors).isEmpty();
  }

  @Test
  void onSubscribeComesBeforeAnyEvent() {
    // Given
    buffer.offer(tokens(0));
    Recorder subscriber = new Recorder(1);

    // When
    buffer.subscribe(subscriber);
    buffer.offer(tokens(1));
    assertThat(subscriber.calls).isEmpty();
    runTasks();

    // Then
    assertThat(subscriber.calls).containsExactly("onSubscribe", "onNext");
  }

  @Test
  void afterACancelNothingComesAndTheListenerHears() {
    // Given
    Recorder subscriber = subscribed(1);
    buffer.offer(tokens(0));
    runTasks();

    // When
    subscriber.subscription.cancel();
    subscriber.subscription.cancel();
    subscriber.subscription.request(10);
    buffer.offer(tokens(1));
    buffer.end(END);
    runTasks();

    // Then
    assertThat(subscriber.events).containsExactly(tokens(0));
    assertThat(subscriber.isComplete).isFalse();
    assertThat(cancelled).isEqualTo(1);
  }

  @Test
  void aRequestOfNothingIsAnError() {
    // Given
    Recorder subscriber = subscribed(0);

    // When
    subscriber.subscription.request(0);
    runTasks();

    // Then
    assertThat(subscriber.errors).singleElement().isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aSecondSubscriberIsRefusedAfterItsOnSubscribe() {
    // Given
    subscribed(1);
    Recorder second = new Recorder(1);

    // When
    buffer.subscribe(second);
    runTasks();

    // Then
    assertThat(second.calls).containsExactly("onSubscribe", "onError");
    assertThatThrownBy(() -> buffer.next(Duration.ofMillis(1)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aSubscriberThatThrowsHasCancelled() {
    // Given
    Recorder subscriber = subscribed(10);
    subscriber.throwing = new IllegalStateException("bug");
    buffer.offer(tokens(0));
    buffer.offer(tokens(1));

    // When
    runTasks();

    // Then
    assertThat(subscriber.events).containsExactly(tokens(0));
    assertThat(cancelled).isEqualTo(1);
  }

  @Test
  void anErrorInASubscribersCodeEndsItsSubscription() {
    // Given
    Recorder subscriber = subscribed(10);
    subscriber.throwing = new AssertionError("bug");
    buffer.offer(tokens(0));

    // When
    runTasks();
    buffer.offer(tokens(1));
    runTasks();

    // Then
    assertThat(subscriber.events).containsExactly(tokens(0));
    assertThat(cancelled).isEqualTo(1);
  }

  @Test
  void aSubscriberThatThrowsAtOnceGetsNothing() {
    // Given
    Recorder subscriber = new Recorder(10);
    subscriber.throwing = new IllegalStateException("bug");
    buffer.offer(tokens(0));

    // When
    buffer.subscribe(subscriber);
    runTasks();

    // Then
    assertThat(subscriber.calls).containsExactly("onSubscribe");
    assertThat(cancelled).isEqualTo(1);
  }

  @Test
  void requestsFromWithinOnNextDoNotNest() {
    // Given
    Recorder subscriber = subscribed(1);
    subscriber.requestsMore = true;
    buffer.offer(tokens(0));
    buffer.offer(tokens(1));
    buffer.offer(tokens(2));

    // When
    runTasks();

    // Then
    assertThat(subscriber.events).containsExactly(tokens(0), tokens(1), tokens(2));
    assertThat(subscriber.deepest).isEqualTo(1);
  }

  @Test
  void aFullBufferRefusesEventsButNeverTheEnd() throws Exception {
    // Given
    assertThat(buffer.offer(tokens(0))).isTrue();
    assertThat(buffer.offer(tokens(1))).isTrue();
    assertThat(buffer.offer(tokens(2))).isTrue();
    assertThat(buffer.offer(tokens(3))).isFalse();

    // When
    buffer.end(END);

    // Then
    for (int i = 0; i < 3; i++) {
      assertThat(buffer.next(Duration.ZERO)).contains(tokens(i));
    }
    assertThat(buffer.next(Duration.ZERO)).contains(END);
    assertThat(buffer.next(Duration.ZERO)).isEmpty();
    assertThat(buffer.next(Duration.ZERO)).isEmpty();
  }

  @Test
  void discardedEventsAreNotReadButTheEndIs() throws Exception {
    // Given
    buffer.offer(tokens(0));

    // When
    buffer.discard();
    for (int i = 1; i < 9; i++) {
      assertThat(buffer.offer(tokens(i))).isTrue();
    }
    buffer.end(END);

    // Then
    assertThat(buffer.next(Duration.ZERO)).contains(END);
    assertThat(buffer.next(Duration.ZERO)).isEmpty();
  }

  @Test
  void aSecondSubscriberThatCancelsTakesNothingFromTheFirstReader() throws Exception {
    // Given
    buffer.offer(tokens(0));
    assertThat(buffer.next(Duration.ZERO)).contains(tokens(0));
    buffer.offer(tokens(1));

    // When
    Recorder second = subscribed(0);
    second.subscription.cancel();
    buffer.offer(tokens(2));

    // Then
    assertThat(second.errors).hasSize(1);
    assertThat(buffer.next(Duration.ZERO)).contains(tokens(1));
    assertThat(buffer.next(Duration.ZERO)).contains(tokens(2));
    assertThat(cancelled).isZero();
  }

  @Test
  void theListenerHearsWhenAReaderHasReadAll() {
    // Given
    Recorder subscriber = subscribed(1);
    int before = drained;
    buffer.offer(tokens(0));

    // When
    runTasks();

    // Then
    assertThat(drained).isGreaterThan(before);
    assertThat(subscriber.events).hasSize(1);
  }

  private Recorder subscribed(long demand) {
    Recorder subscriber = new Recorder(demand);
    buffer.subscribe(subscriber);
    runTasks();
    return subscriber;
  }

  private void runTasks() {
    while (!tasks.isEmpty()) {
      tasks.removeFirst().run();
    }
  }

  private static ReplyEvent.Tokens tokens(int index) {
    return new ReplyEvent.Tokens(
        "t", index, 1, OptionalLong.empty(), Optional.empty(), Utf8Text.of("{}"));
  }

  private static final class Recorder implements Flow.Subscriber<ReplyEvent> {
    final List<ReplyEvent> events = new ArrayList<>();
    final List<Throwable> errors = new ArrayList<>();
    final List<String> calls = new ArrayList<>();
    private final long demand;
    Flow.Subscription subscription;
    Throwable throwing;
    boolean requestsMore;
    boolean isComplete;
    int depth;
    int deepest;

    Recorder(long demand) {
      this.demand = demand;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
      calls.add("onSubscribe");
      subscription = given;
      if (demand > 0) {
        given.request(demand);
      }
      throwIfTold();
    }

    @Override
    public void onNext(ReplyEvent event) {
      calls.add("onNext");
      deepest = Math.max(deepest, ++depth);
      events.add(event);
      if (requestsMore) {
        subscription.request(1);
      }
      depth--;
      throwIfTold();
    }

    private void throwIfTold() {
      switch (throwing) {
        case null -> {}
        case Error error -> throw error;
        case RuntimeException exception -> throw exception;
        default -> throw new IllegalStateException(throwing);
      }
    }

    @Override
    public void onError(Throwable error) {
      calls.add("onError");
      errors.add(error);
    }

    @Override
    public void onComplete() {
      calls.add("onComplete");
      isComplete = true;
    }
  }
}
