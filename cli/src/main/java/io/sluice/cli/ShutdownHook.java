package io.sluice.cli;

/**
 * Runs an action if the process is ended while this is open, such as by Ctrl-C. The process then
 * waits for the action.
 */
public final class ShutdownHook implements AutoCloseable {
  private final Thread thread;

  private ShutdownHook(Thread thread) {
    this.thread = thread;
  }

  public static ShutdownHook of(Runnable action) {
    Thread thread = Thread.ofPlatform().unstarted(action);
    Runtime.getRuntime().addShutdownHook(thread);
    return new ShutdownHook(thread);
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(thread);
    } catch (IllegalStateException e) {
      // The process is ending already, so the action is running.
    }
  }
}
