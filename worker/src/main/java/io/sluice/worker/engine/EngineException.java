package io.sluice.worker.engine;

/** A generation, or another request to the engine, has failed. */
public final class EngineException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient EngineFailure failure;

  public EngineException(EngineFailure failure) {
    super(failure.message());
    this.failure = failure;
  }

  /** Returns what failed, and who can do something about it. */
  public EngineFailure failure() {
    return failure;
  }

  /** The failure is data and is handled where it is caught, so no stack trace is recorded. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
