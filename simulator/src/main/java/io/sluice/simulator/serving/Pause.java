package io.sluice.simulator.serving;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Controls whether the engine steps. A waiting pause holds back new requests while the current ones
 * finish. After that it behaves like any other pause: nothing runs. Used by the driver's thread
 * only, except for {@link #isPaused()}.
 */
final class Pause {

  private sealed interface State {
    record Running() implements State {}

    record Finishing(CompletableFuture<Void> reached, Runnable atPause) implements State {}

    record Paused() implements State {}
  }

  private volatile State state = new State.Running();
  private final List<Runnable> heldBack = new ArrayList<>();

  /** Returns whether a pause was requested. */
  boolean isPaused() {
    return !(state instanceof State.Running);
  }

  /** Returns whether the engine is idle because of the pause. */
  boolean holds() {
    return state instanceof State.Paused;
  }

  /** Begins a pause, immediately or when the engine is empty. */
  void begin(boolean whenEmpty, CompletableFuture<Void> reached, Runnable atPause) {
    state = new State.Finishing(reached, atPause);
    if (!whenEmpty) {
      settle();
    }
  }

  /** Completes a waiting pause if the engine is empty. */
  void engineIsEmpty() {
    if (state instanceof State.Finishing) {
      settle();
    }
  }

  /** Admits a request, now or after the pause. */
  void admit(Runnable entry) {
    if (state instanceof State.Finishing) {
      heldBack.add(entry);
    } else {
      entry.run();
    }
  }

  /** Ends the pause. */
  void end() {
    if (state instanceof State.Finishing finishing) {
      finishing.reached().complete(null);
    }
    state = new State.Running();
    releaseHeldBack();
  }

  private void settle() {
    if (state instanceof State.Finishing finishing) {
      finishing.atPause().run();
      state = new State.Paused();
      releaseHeldBack();
      finishing.reached().complete(null);
    }
  }

  private void releaseHeldBack() {
    List<Runnable> entries = List.copyOf(heldBack);
    heldBack.clear();
    entries.forEach(Runnable::run);
  }
}
