package io.sluice.simulator.serving;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A daemon thread that runs turns and executes commands between them. Commands run in the order in
 * which they arrive and never during a turn. {@link #execute}, {@link #skipSleeps} and {@link
 * #halt} may be called from any thread, the other methods only from this thread.
 */
final class CommandThread {

  private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
  private final Thread thread;

  private volatile boolean parked;
  private volatile boolean halted;
  private volatile boolean skipsSleeps;

  CommandThread(String name, Runnable work) {
    thread = Thread.ofPlatform().name(name).daemon().unstarted(work);
  }

  void start() {
    thread.start();
  }

  void execute(Runnable command) {
    commands.add(command);
    if (parked) {
      LockSupport.unpark(thread);
    }
  }

  /** Ends the current sleep and all later ones, so that commands run at once. */
  void skipSleeps() {
    skipsSleeps = true;
    LockSupport.unpark(thread);
  }

  /** Ends the thread after its turn. Waits for at most a second. */
  void halt() {
    halted = true;
    LockSupport.unpark(thread);
    try {
      thread.join(Duration.ofSeconds(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  boolean isHalted() {
    return halted;
  }

  /** Runs the commands that have arrived. Returns whether there were any. */
  boolean runCommands() {
    boolean any = false;
    for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
      command.run();
      any = true;
    }
    return any;
  }

  void parkUntilCommanded() {
    parked = true;
    if (commands.isEmpty() && !halted) {
      LockSupport.park(this);
    }
    parked = false;
  }

  void sleepUntil(long deadlineNanos) {
    long left = deadlineNanos - System.nanoTime();
    while (left > 0 && !halted && !skipsSleeps) {
      LockSupport.parkNanos(this, left);
      left = deadlineNanos - System.nanoTime();
    }
  }
}
