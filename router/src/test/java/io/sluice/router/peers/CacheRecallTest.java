package io.sluice.router.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.common.protocol.Json;
import io.sluice.fleet.peers.PeerMessage.AtWorker;
import io.sluice.fleet.peers.SentHistory;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.api.RList;
import org.redisson.api.RedissonClient;
import org.redisson.misc.CompletableFutureWrapper;
import org.slf4j.LoggerFactory;

class CacheRecallTest {
  private final Logger log = (Logger) LoggerFactory.getLogger(CacheRecall.class);
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  @BeforeEach
  void listen() {
    appender.start();
    log.setLevel(Level.INFO);
    log.addAppender(appender);
  }

  @AfterEach
  void stop() {
    log.detachAppender(appender);
    log.setLevel(null);
  }

  @Test
  void aWorkerAtWhichTheRouterFailsIsLoggedAndTheNextWorkersTurnComes() {
    // Given
    var told = new AtWorker("any", "first", 0, 0, 0, 1, AtWorker.encoded(new long[] {7}));
    var kept = new CompletableFutureWrapper<>(List.of(Json.text(told)));
    RList<?> list = answering(RList.class, kept);
    var history = new SentHistory(answering(RedissonClient.class, list), "pool");
    try (var recall = new CacheRecall(history)) {
      recall.start(
          worker -> {
            throw new NoClassDefFoundError("a class is damaged");
          });

      // When
      recall.appeared("w1");
      recall.appeared("w2");

      // Then
      await().until(() -> appender.list.size() == 2);
      assertThat(appender.list)
          .extracting(ILoggingEvent::getFormattedMessage)
          .allMatch(line -> line.contains("a class is damaged"))
          .anyMatch(line -> line.startsWith("event=cache_not_recalled worker=w2 "));
    }
  }

  /** Returns an object all of whose methods return the same. */
  private static <T> T answering(Class<T> type, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> answer));
  }
}
