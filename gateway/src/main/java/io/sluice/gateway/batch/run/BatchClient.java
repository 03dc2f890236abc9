package io.sluice.gateway.batch.run;

import io.sluice.gateway.config.BatchSettings;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.ClientException;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.ReplyStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pool's client for batches, opened when it is needed. It is not that of HTTP requests, whose
 * answers would have to wait behind those of batches. Thread-safe.
 */
final class BatchClient implements LinePool, AutoCloseable {
  /** The answers of earlier runs are found in this time also when there are many. */
  private static final Duration FOUND_WITHIN = Duration.ofSeconds(30);

  private final ClientConfig config;
  private @Nullable SluiceClient client;
  private boolean isClosed;

  BatchClient(ClientConfig config, BatchSettings limits) {
    Map<String, String> kafka = new HashMap<>(config.kafka());
    kafka.put("client.id", "sluice-gateway-batches");
    int mostRunning = limits.maxRunning() + BatchRuns.MAX_ENDING;
    this.config =
        config
            .withKafka(kafka)
            // The events of its answers are not read.
            .withMaxUnreadBytes(Long.MAX_VALUE)
            .withMaxInFlight(mostRunning * limits.maxConcurrent())
            .withTimeouts(config.connectTimeout(), config.submitTimeout(), FOUND_WITHIN);
  }

  @Override
  public Asked ask(InferenceRequest request) {
    ReplyStream stream = open().submit(request);
    stream.discardEvents();
    return new Asked(stream.answer(), stream::cancel, stream::close);
  }

  private synchronized SluiceClient open() {
    if (isClosed) {
      throw new ClientException(ClientException.Kind.CLOSED, "the gateway stops");
    }
    if (client == null) {
      client = SluiceClient.connect(config);
    }
    return client;
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    if (client != null) {
      client.close();
    }
  }
}
