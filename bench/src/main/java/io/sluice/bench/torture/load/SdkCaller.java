package io.sluice.bench.torture.load;

import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Priority;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.ClientException;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends requests with the SDK and reads all events, as its callers do. Thread-safe. */
final class SdkCaller implements AutoCloseable {
  private static final Duration STEP = Duration.ofSeconds(10);

  /**
   * Longer than the pool's own errors take, so that the SDK does not give up before they arrive.
   */
  private static final Duration GRACE = Duration.ofSeconds(60);

  private final SluiceClient client;
  private final Map<String, SdkAnswer> told = new ConcurrentHashMap<>();

  SdkCaller(String kafka) {
    client =
        SluiceClient.connect(
            ClientConfig.at(kafka)
                .withTimeouts(Duration.ofSeconds(60), Duration.ofSeconds(60), GRACE));
  }

  /** Sends a request and reads its answer to the end. */
  void call(PlannedRequest request) throws InterruptedException {
    ReplyStream stream;
    try {
      stream = client.submit(inSdkTerms(request));
    } catch (ClientException e) {
      told.put(request.id(), new SdkAnswer("", 0, "", Optional.of(e.kind().name()), false));
      return;
    }
    request.cancelAfter().ifPresent(after -> cancelLater(stream, after));
    told.put(request.id(), read(stream));
  }

  private static void cancelLater(ReplyStream stream, Duration after) {
    Thread.startVirtualThread(
        () -> {
          try {
            TimeUnit.NANOSECONDS.sleep(after.toNanos());
            stream.cancel();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private static InferenceRequest inSdkTerms(PlannedRequest request) {
    Endpoint endpoint =
        request.body().has("prompt") ? Endpoint.COMPLETIONS : Endpoint.CHAT_COMPLETIONS;
    return InferenceRequest.of(endpoint, request.bytes())
        .requestId(request.id())
        .tenant(request.tenant())
        .timeout(request.timeout())
        .priority(request.kind() == RequestKind.BULK ? Priority.BULK : Priority.INTERACTIVE)
        .build();
  }

  private static SdkAnswer read(ReplyStream stream) throws InterruptedException {
    StringBuilder text = new StringBuilder();
    int tokens = 0;
    while (true) {
      Optional<ReplyEvent> event;
      try {
        event = stream.next(STEP);
      } catch (TimeoutException e) {
        continue;
      }
      switch (event.orElseThrow()) {
        case ReplyEvent.Tokens more -> {
          text.append(more.text());
          tokens += more.count();
        }
        case ReplyEvent.Restarted ignored -> {
          text.setLength(0);
          tokens = 0;
        }
        case ReplyEvent.Resumed ignored -> {}
        case ReplyEvent.Completed completed -> {
          return new SdkAnswer(
              text.toString(), tokens, completed.answer().text(), Optional.empty(), true);
        }
        case ReplyEvent.Failed failed -> {
          String code = failed.kind().code();
          return new SdkAnswer(
              text.toString(), tokens, "", Optional.of(code), !code.equals("unavailable"));
        }
      }
    }
  }

  Optional<SdkAnswer> told(String id) {
    return Optional.ofNullable(told.get(id));
  }

  @Override
  public void close() {
    client.close();
  }
}
