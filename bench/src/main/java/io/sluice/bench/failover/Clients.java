package io.sluice.bench.failover;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.torture.load.Prompts;
import io.sluice.bench.traffic.OpenLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Starts clients, at all gateways in turn. Used by one thread. */
final class Clients implements AutoCloseable {
  private static final double SHORT_PER_SECOND = 4;
  private static final int SHORTEST = 8;
  private static final int LONGEST_SHORT = 16;

  /** At 65 to 70 ms a token, a stream takes 13 s. */
  private static final int LONG = 200;

  /** Longer than a client takes that has lost its gateway. */
  private static final Duration END_WITHIN = Client.PATIENCE.multipliedBy(2);

  private final Gateways gateways;
  private final String model;
  private final Prompts prompts = new Prompts(new Random(1));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private int asked;

  Clients(Gateways gateways, String model) {
    this.gateways = gateways;
    this.model = model;
  }

  /** A client that runs. */
  record Running(Client client, int gateway, Future<ClientAnswer> answer) {
    /**
     * Waits for its end.
     *
     * @throws IOException if it fails, or does not end in time
     */
    ClientAnswer await() throws IOException, InterruptedException {
      try {
        return answer.get(END_WITHIN.toSeconds(), TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      } catch (TimeoutException e) {
        throw new IOException(
            "a request did not end within %d s".formatted(END_WITHIN.toSeconds()), e);
      }
    }
  }

  /** Starts streamed chats of the same length. */
  List<Running> streams(int count) {
    List<Running> all = new ArrayList<>();
    for (int stream = 0; stream < count; stream++) {
      all.add(start(LONG, LONG + 1));
    }
    return all;
  }

  private synchronized Running start(int fewestTokens, int moreThanTokens) {
    int number = asked++;
    ObjectNode body = prompts.chat(model, prompts.about("failover-" + number));
    prompts.ofLength(body, fewestTokens, moreThanTokens);
    int gateway = number % gateways.count();
    Client client = new Client(gateways, gateway, body);
    return new Running(client, gateway, threads.submit(client::run));
  }

  /** Short requests that come at a rate until they are stopped. */
  final class Trickle {
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final List<Running> sent = new ArrayList<>();
    private final Thread thread = Thread.ofPlatform().daemon().name("trickle").start(this::sendAll);

    private void sendAll() {
      OpenLoop.run(
          SHORT_PER_SECOND,
          before -> !isOver.get(),
          () -> sent.add(start(SHORTEST, LONGEST_SHORT)));
    }

    /** Sends no more; returns all answers. */
    List<ClientAnswer> stop() throws IOException, InterruptedException {
      isOver.set(true);
      thread.join();
      List<ClientAnswer> answers = new ArrayList<>();
      for (Running one : sent) {
        answers.add(one.await());
      }
      return answers;
    }
  }

  /** Begins to send short requests. */
  Trickle trickle() {
    return new Trickle();
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
