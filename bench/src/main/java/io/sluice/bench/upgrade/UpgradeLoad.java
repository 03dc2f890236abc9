package io.sluice.bench.upgrade;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.torture.load.Prompts;
import io.sluice.bench.traffic.Calls;
import io.sluice.bench.traffic.OpenLoop;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A steady load: streams by the gateways and by the SDK in turn, and a batch at the begin of each
 * step. Used by one thread.
 */
final class UpgradeLoad implements AutoCloseable {
  private static final int FEWEST_TOKENS = 20;
  private static final int MOST_TOKENS = 100;
  private static final int BATCH_LINES = 30;
  private static final int BATCH_TOKENS = 40;

  private final GatewayCaller byGateway;
  private final BatchCaller byBatch;
  private final SdkCaller bySdk;
  private final Prompts prompts = new Prompts(new Random(1));
  private final List<Future<List<Reply>>> calls = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private int sent;

  UpgradeLoad(Gateways gateways, String kafka) {
    byGateway = new GatewayCaller(gateways);
    byBatch = new BatchCaller(gateways);
    bySdk = new SdkCaller(kafka);
  }

  /** Sends a batch at once and streams at a rate; returns after the last one was sent. */
  void begin(int step, double perSecond, int count) {
    List<ObjectNode> lines = new ArrayList<>();
    for (int line = 0; line < BATCH_LINES; line++) {
      lines.add(body("batch-" + step + "-" + line, BATCH_TOKENS, BATCH_TOKENS + 1));
    }
    submit(() -> byBatch.call(step, lines));
    more(step, perSecond, count);
  }

  /** Sends streams at a rate; returns after the last one was sent. */
  void more(int step, double perSecond, int count) {
    OpenLoop.run(perSecond, count, () -> stream(step));
  }

  private void stream(int step) {
    int number = sent++;
    ObjectNode body = body("stream-" + number, FEWEST_TOKENS, MOST_TOKENS);
    if (number % 2 == 0) {
      submit(() -> List.of(byGateway.call(number / 2, step, body)));
    } else {
      submit(() -> List.of(bySdk.call(step, body)));
    }
  }

  private void submit(Callable<List<Reply>> call) {
    calls.add(threads.submit(call));
  }

  private ObjectNode body(String id, int from, int to) {
    return prompts.ofLength(prompts.chat(UpgradePool.ENGINES.model(), prompts.about(id)), from, to);
  }

  /**
   * Waits for all answers.
   *
   * @throws IOException if a batch has no results
   */
  List<Reply> replies() throws IOException, InterruptedException {
    return Calls.results(calls).stream().flatMap(List::stream).toList();
  }

  @Override
  public void close() {
    threads.shutdownNow();
    bySdk.close();
  }
}
