package io.sluice.common.dependency;

import java.util.concurrent.CompletionStage;

/**
 * Something that a service needs, and that may be away.
 *
 * @param name in metrics and in the health, such as {@code kafka}
 * @param address where it is asked; without passwords, because it is logged
 * @param effect what the service does while it is away
 * @param advice what an operator can do about it
 * @param lostAfter how many failures in a row are a loss: 1 if a failure is certain, 2 if it may be
 *     due to a pause of this process
 */
public record Dependency(
    String name, String address, String effect, String advice, Probe probe, int lostAfter) {

  /** A question that only a working dependency answers. */
  @FunctionalInterface
  public interface Probe {
    /**
     * Asks. Returns at once; opens no connection of its own.
     *
     * @return fails with the reason if the dependency does not work; may never complete
     */
    CompletionStage<?> ask();
  }
}
