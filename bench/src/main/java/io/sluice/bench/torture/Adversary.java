package io.sluice.bench.torture;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Carries out a schedule. A blow waits until the pool has recovered enough to bear it, while others
 * go on, so on a slow machine there are fewer of them. Thread-safe.
 */
final class Adversary implements AutoCloseable {
  private static final Duration HTTP_WITHIN = Duration.ofSeconds(5);

  /** What was done; of times in epoch milliseconds. */
  record Done(long fromMillis, long untilMillis, Blow blow) {}

  private final PoolProcesses pool;
  private final Replicas replicas;
  private final Limits limits;
  private final Consumer<String> progress;
  private final List<Done> done = new ArrayList<>();
  private final List<String> mishaps = new ArrayList<>();
  private final List<Thread> blows = new ArrayList<>();
  private volatile boolean isOver;
  private final HttpClient http = HttpClient.newHttpClient();

  Adversary(PoolProcesses pool, Replicas replicas, Limits limits, Consumer<String> progress) {
    this.pool = pool;
    this.replicas = replicas;
    this.limits = limits;
    this.progress = progress;
  }

  /** Strikes by the schedule; returns when the time is over. */
  void run(List<Schedule.Event> schedule, Duration length) throws InterruptedException {
    Pace pace = Pace.fromNow();
    for (Schedule.Event event : schedule) {
      pace.await(event.at());
      blows.add(Thread.ofVirtual().name("blow").start(() -> strike(event.blow())));
    }
    pace.await(length);
    isOver = true;
  }

  /** Waits until everything is well again; what is not by then is a mishap. */
  void awaitRecovery(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    for (Thread blow : blows) {
      if (!blow.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())))) {
        mishap("the pool did not recover within %d s".formatted(limit.toSeconds()));
        return;
      }
    }
  }

  private void strike(Blow blow) {
    try {
      limits.disturb(blow.targets());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    if (isOver) {
      limits.recovered(blow.targets());
      return;
    }
    progress.accept("%s %s".formatted(blow.label(), ids(blow)));
    long from = System.currentTimeMillis();
    try {
      switch (blow) {
        case Blow.Kill kill -> kill(kill);
        case Blow.Freeze freeze -> {
          pool.freeze(freeze.target());
          sleep(freeze.duration());
          pool.thaw(freeze.target());
        }
        case Blow.Restart restart -> {
          if (!pool.terminate(restart.target())) {
            mishap(restart.target().id() + " did not stop within 45 s of SIGTERM");
          }
          pool.startAgain(restart.target());
        }
        case Blow.Partition partition -> {
          var links = pool.wiring().links(partition.target(), partition.from());
          links.forEach(link -> link.set(partition.how()));
          sleep(partition.duration());
          links.forEach(link -> link.set(TcpLink.State.OPEN));
        }
        case Blow.Fault fault -> {
          admin(fault.target(), "PUT", "/faults", "{\"faults\":[\"" + fault.fault() + "\"]}");
          sleep(fault.duration());
          admin(fault.target(), "DELETE", "/faults", "");
        }
        case Blow.Death death -> {
          String boot =
              String.format(Locale.ROOT, "{\"boot_seconds\":%.1f}", death.boot().toMillis() / 1e3);
          admin(death.target(), "POST", "/" + death.how(), boot);
          awaitServing(death.target());
        }
      }
      if (blow.targets().stream().anyMatch(target -> target.role() == Target.Role.BROKER)) {
        replicas.awaitInSync();
      }
    } catch (IOException | TimeoutException e) {
      mishap("%s %s: %s".formatted(blow.label(), ids(blow), e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      synchronized (this) {
        done.add(new Done(from, System.currentTimeMillis(), blow));
      }
      limits.recovered(blow.targets());
    }
  }

  private void kill(Blow.Kill kill) throws IOException, InterruptedException {
    for (Target target : kill.targets()) {
      pool.kill(target);
    }
    sleep(kill.downFor());
    for (Target target : kill.targets()) {
      pool.startAgain(target);
    }
  }

  private void awaitServing(Target engine)
      throws IOException, InterruptedException, TimeoutException {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!admin(engine, "GET", "/state", "").contains("serving")) {
      if (System.nanoTime() - end > 0) {
        throw new TimeoutException(engine.id() + " does not serve again");
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }

  private String admin(Target engine, String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(pool.admin(engine, path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .timeout(HTTP_WITHIN)
            .build();
    return http.send(request, BodyHandlers.ofString()).body();
  }

  private static void sleep(Duration duration) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(duration.toNanos());
  }

  private static List<String> ids(Blow blow) {
    return blow.targets().stream().map(Target::id).toList();
  }

  private synchronized void mishap(String what) {
    progress.accept("mishap: " + what);
    mishaps.add(what);
  }

  synchronized List<Done> done() {
    return List.copyOf(done);
  }

  /** What did not go as it should for the processes themselves, such as a stop that hangs. */
  synchronized List<String> mishaps() {
    return List.copyOf(mishaps);
  }

  @Override
  public void close() {
    blows.forEach(Thread::interrupt);
    http.close();
  }
}
