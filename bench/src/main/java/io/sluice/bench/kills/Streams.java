package io.sluice.bench.kills;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.gateway.Gateways;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Several clients at the same time. Used by one thread. */
final class Streams {
  private final Gateways gateways;
  private final List<ObjectNode> bodies = new ArrayList<>();
  private final List<StreamedChat> chats = new ArrayList<>();
  private final List<CompletableFuture<Sighting>> running = new ArrayList<>();

  Streams(Gateways gateways) {
    this.gateways = gateways;
  }

  /** Starts a client. */
  void start(ObjectNode body, int gateway, long bytesPerSecond) {
    var chat = new StreamedChat(gateways, gateway, body, bytesPerSecond);
    var seen = new CompletableFuture<Sighting>();
    Thread.startVirtualThread(
        () -> {
          try {
            seen.complete(chat.run());
          } catch (InterruptedException | RuntimeException e) {
            seen.completeExceptionally(e);
          }
        });
    bodies.add(body);
    chats.add(chat);
    running.add(seen);
  }

  /** Waits until every stream has some tokens, or has ended. */
  void awaitUnderWay() throws InterruptedException {
    for (StreamedChat chat : chats) {
      chat.awaitUnderWay();
    }
  }

  /** Waits for the ends of all streams. */
  List<Sighting> await() throws IOException {
    try {
      return running.stream().map(CompletableFuture::join).toList();
    } catch (CompletionException e) {
      throw new IOException(e);
    }
  }

  /** Returns how much all streams have read. */
  long bytes() {
    return chats.stream().mapToLong(StreamedChat::bytes).sum();
  }

  List<ObjectNode> bodies() {
    return List.copyOf(bodies);
  }

  Optional<String> requestId(int stream) {
    return chats.get(stream).requestId();
  }
}
