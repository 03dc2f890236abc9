package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micronaut.core.io.buffer.ReadBuffer;
import io.micronaut.core.io.buffer.ReadBufferFactory;
import io.micronaut.http.HttpResponse;
import io.sluice.common.reply.Utf8Text;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

class EventStreamTest {
  @Test
  void eventsAreThoseOfTheHtmlStandard() throws Exception {
    assertThat(
            body(
                events -> {
                  events.event("7", "delta", Utf8Text.of("{}"));
                  events.compactEvent("control", Utf8Text.of("{}"));
                  events.comment("end");
                }))
        .isEqualTo("id: 7\nevent: delta\ndata: {}\n\nevent: control\ndata:{}\n\n: end\n\n");
  }

  /** Otherwise a client would take half an answer for a whole one. */
  @ParameterizedTest
  @ValueSource(classes = {IllegalStateException.class, StackOverflowError.class})
  void aWriterThatFailsEndsWithAnError(Class<? extends Throwable> failure) throws Exception {
    assertThat(
            body(
                events -> {
                  events.data("half");
                  throw EventStreamTest.<RuntimeException>unchecked(
                      failure.getDeclaredConstructor().newInstance());
                }))
        .startsWith("data: half\n\ndata: {\"error\":{");
  }

  @Test
  void anErrorThatCannotBeToldBreaksTheBodyOff() {
    // Given
    EventStream stream =
        EventStream.respond(
                HttpResponse.ok(),
                events -> {
                  throw new IllegalStateException("first");
                },
                error -> {
                  throw new StackOverflowError("second");
                })
            .body();

    // Then
    assertThatThrownBy(() -> body(stream)).hasCauseInstanceOf(StackOverflowError.class);
  }

  @Test
  void aWriterThatIsInterruptedBreaksTheBodyOff() {
    assertThatThrownBy(
            () ->
                body(
                    events -> {
                      events.data("half");
                      throw new InterruptedException();
                    }))
        .hasCauseInstanceOf(InterruptedException.class);
  }

  /** A writer of a test, which may throw anything. */
  @FunctionalInterface
  private interface AnyWriter {
    void write(EventStream events) throws Exception;
  }

  @SuppressWarnings("unchecked") // throws what it is given
  private static <T extends Throwable> T unchecked(Throwable failure) throws T {
    throw (T) failure;
  }

  private static String body(AnyWriter writer) throws Exception {
    EventStream stream =
        EventStream.respond(
                HttpResponse.ok(),
                events -> {
                  try {
                    writer.write(events);
                  } catch (InterruptedException | RuntimeException e) {
                    throw e;
                  } catch (Exception e) {
                    throw new AssertionError(e);
                  }
                })
            .body();
    return body(stream);
  }

  private static String body(EventStream stream) throws Exception {
    var reader = new Reader();
    stream.body(ReadBufferFactory.getJdkFactory(), new OpenResponses()).subscribe(reader);
    try {
      return reader.whole.get(10, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private static final class Reader implements Subscriber<ReadBuffer> {
    final CompletableFuture<String> whole = new CompletableFuture<>();
    private final StringBuilder text = new StringBuilder();

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(ReadBuffer buffer) {
      text.append(buffer.toString(UTF_8));
    }

    @Override
    public void onError(Throwable failure) {
      whole.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      whole.complete(text.toString());
    }
  }
}
