package io.sluice.simulator;

import io.sluice.simulator.admin.AdminServer;
import io.sluice.simulator.admin.GpuSensor;
import io.sluice.simulator.admin.Operations;
import io.sluice.simulator.fault.Effect;
import io.sluice.simulator.fault.FaultBoard;
import io.sluice.simulator.text.Tokenizer;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running simulated vLLM server. It has two threads, which are idle while there is nothing to do,
 * and a third one for faults that take time.
 *
 * <p>Thread-safe. Closing or killing it more than once has no effect. It keeps its address through
 * restarts.
 */
public final class SimulatedEngine implements AutoCloseable {

  /** How a server ended. */
  public enum End {
    /** Its owner closed or killed it. */
    STOPPED,
    /** Its engine died. */
    ENGINE_DEATH,
    /** The kernel killed it. */
    OUT_OF_MEMORY
  }

  private static final Logger log = LoggerFactory.getLogger(SimulatedEngine.class);
  private static final Duration TICK = Duration.ofMillis(200);

  /** How long a server continues after a request failed because its engine is dead. */
  private static final Duration DEATH_NOTICED = Duration.ofMillis(200);

  private final SimulatorConfig config;
  private final Tokenizer tokenizer;
  private final FaultBoard faults;
  private final int port;
  private final ScheduledExecutorService later;
  private final CompletableFuture<End> ended = new CompletableFuture<>();
  private final Operations operations = new Controls();
  private Optional<AdminServer> admin = Optional.empty();

  /** The running process; empty while the server is down. */
  private volatile Optional<ServerProcess> current;

  private boolean closed;
  private boolean ageing;

  private SimulatedEngine(
      SimulatorConfig config, Tokenizer tokenizer, FaultBoard faults, ServerProcess first) {
    this.config = config;
    this.tokenizer = tokenizer;
    this.faults = faults;
    this.port = first.port();
    this.current = Optional.of(first);
    this.later =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("lifecycle-" + port).daemon().factory());
  }

  /**
   * Starts an engine with its own copy of the vocabulary.
   *
   * @throws IOException if the address cannot be bound; the message names it
   * @throws IllegalArgumentException if the limits contradict each other
   */
  public static SimulatedEngine start(SimulatorConfig config) throws IOException {
    return start(config, new Tokenizer());
  }

  /** Starts an engine that shares a tokenizer with other engines of this JVM. */
  public static SimulatedEngine start(SimulatorConfig config, Tokenizer tokenizer)
      throws IOException {
    FaultBoard faults = new FaultBoard(config.faults(), config.timing().seed());
    ServerProcess first = ServerProcess.boot(config, config.port(), tokenizer, faults);
    SimulatedEngine engine = new SimulatedEngine(config, tokenizer, faults, first);
    faults.onChange(engine::faultsChanged);
    engine.faultsChanged();
    if (config.adminPort().isPresent()) {
      try {
        engine.admin = Optional.of(engine.startAdmin(config.adminPort().getAsInt()));
      } catch (IOException e) {
        engine.kill();
        throw e;
      }
    }
    return engine;
  }

  private AdminServer startAdmin(int adminPort) throws IOException {
    GpuSensor sensor = new GpuSensor(System::nanoTime, operations::isBusy, faults);
    return AdminServer.start(
        config.host(), adminPort, faults, operations, sensor, config.timing().profile().wireName());
  }

  /** Returns the port it listens on. */
  public int port() {
    return port;
  }

  /** Returns the base address, such as {@code http://127.0.0.1:8000}. */
  public URI uri() {
    return URI.create("http://" + config.host() + ":" + port);
  }

  /** Returns the port of the fault controls, if there are any. */
  public OptionalInt adminPort() {
    return admin.map(AdminServer::port).map(OptionalInt::of).orElseGet(OptionalInt::empty);
  }

  /** Returns the active faults. Changes take effect at once. */
  public FaultBoard faults() {
    return faults;
  }

  /** Returns the operations that are also available at the admin port. */
  public Operations operations() {
    return operations;
  }

  /** Completes when the server has ended and will not start again. */
  public CompletableFuture<End> ended() {
    return ended.copy();
  }

  /**
   * Stops in an orderly way. With a shutdown timeout, running requests may finish in that time. The
   * remaining ones end with {@code finish_reason:"abort"}, and then the sockets close, which takes
   * a few seconds at most. Releases before 0.32 do this on SIGTERM, and later ones sometimes still
   * do; see {@link #terminate}.
   */
  @Override
  public void close() {
    stop(End.STOPPED, ServerProcess::close);
  }

  /**
   * Does what vLLM does on SIGTERM. Since release 0.32, new connections are refused and open
   * streams hang: they receive neither data nor an end until their clients disconnect. Earlier
   * releases do the same as {@link #close}. Closing or killing the server ends this at once.
   *
   * @return completes when the server has ended
   */
  public CompletableFuture<End> terminate() {
    Runnable end = () -> schedule(() -> stop(End.STOPPED, ServerProcess::kill), Duration.ZERO);
    var _ = current.map(life -> life.terminate().thenRun(end));
    return ended();
  }

  /** Stops like a killed process: all sockets close at once, without any message to clients. */
  public void kill() {
    stop(End.STOPPED, ServerProcess::kill);
  }

  private void stop(End end, Consumer<ServerProcess> how) {
    Optional<ServerProcess> last;
    synchronized (this) {
      closed = true;
      last = current;
      current = Optional.empty();
    }
    last.ifPresent(how);
    admin.ifPresent(AdminServer::close);
    ended.complete(end);
    // Last, since this may be its own thread.
    later.shutdown();
  }

  private void faultsChanged() {
    current.ifPresent(ServerProcess::applyFaults);
    synchronized (this) {
      if (!ageing && leaks()) {
        ageing = true;
        schedule(this::age, TICK);
      }
    }
  }

  private boolean leaks() {
    return faults.engine(Effect.Leak.class).isPresent();
  }

  private void age() {
    Duration elapsed = Duration.ofNanos((long) (TICK.toNanos() * config.timing().speed()));
    Optional<ServerProcess> life = current;
    if (life.isPresent() && life.get().age(elapsed)) {
      log.error("event=out_of_memory model={}", config.models().getFirst());
      replace(End.OUT_OF_MEMORY, config.bootAfterDeath(), ServerProcess::kill);
    }
    synchronized (this) {
      ageing = leaks();
      if (ageing) {
        schedule(this::age, TICK);
      }
    }
  }

  /** Ends the running process and, if configured, boots another one after the boot time. */
  private void replace(End end, Optional<Duration> boot, Consumer<ServerProcess> how) {
    if (boot.isEmpty()) {
      stop(end, how);
      return;
    }
    Optional<ServerProcess> last;
    synchronized (this) {
      last = current;
      current = Optional.empty();
    }
    last.ifPresent(how);
    schedule(this::boot, boot.get());
  }

  private void boot() {
    synchronized (this) {
      if (closed || current.isPresent()) {
        return;
      }
      try {
        current = Optional.of(ServerProcess.boot(config, port, tokenizer, faults));
      } catch (IOException e) {
        log.error("event=boot_failed port={} reason=\"{}\"", port, e.getMessage());
        schedule(this::boot, Duration.ofSeconds(1));
      }
    }
  }

  private synchronized void schedule(Runnable task, Duration delay) {
    if (!closed) {
      var _ = later.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private final class Controls implements Operations {

    @Override
    public State state() {
      return current.map(life -> life.isDead() ? State.DEAD : State.SERVING).orElse(State.DOWN);
    }

    @Override
    public int lostBlocks() {
      return current.map(ServerProcess::lostBlocks).orElse(0);
    }

    @Override
    public boolean isBusy() {
      return current.map(ServerProcess::isBusy).orElse(false);
    }

    @Override
    public void die(Optional<Duration> boot) {
      Optional<ServerProcess> life = current;
      Optional<Duration> next = boot.or(config::bootAfterDeath);
      Runnable end =
          () -> {
            if (current.equals(life) && !config.server().shutdown().keepAliveOnEngineDeath()) {
              replace(End.ENGINE_DEATH, next, ServerProcess::kill);
            }
          };
      life.ifPresent(dying -> dying.die(() -> schedule(end, DEATH_NOTICED)));
      schedule(end, config.server().shutdown().engineDeathPoll());
    }

    @Override
    public void outOfMemory(Optional<Duration> boot) {
      schedule(
          () -> replace(End.OUT_OF_MEMORY, boot.or(config::bootAfterDeath), ServerProcess::kill),
          Duration.ZERO);
    }

    @Override
    public void terminate() {
      var _ = SimulatedEngine.this.terminate();
    }

    @Override
    public void restart(Duration boot) {
      schedule(() -> replace(End.STOPPED, Optional.of(boot), ServerProcess::close), Duration.ZERO);
    }
  }
}
