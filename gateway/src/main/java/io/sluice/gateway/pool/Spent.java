package io.sluice.gateway.pool;

import java.util.OptionalLong;

/**
 * How many tokens a request used.
 *
 * @param prompt empty if the engine did not tell; the estimate counts then
 * @param answer empty if not known; all that the request may use counts then
 */
public record Spent(OptionalLong prompt, OptionalLong answer) {
  /** The tokens of a request that did not run, or that counts elsewhere. */
  public static final Spent NOTHING = new Spent(OptionalLong.of(0), OptionalLong.of(0));

  /** The tokens of a request whose end was not seen. */
  public static final Spent UNKNOWN = new Spent(OptionalLong.empty(), OptionalLong.empty());

  /** Returns the tokens that an engine reported. */
  static Spent told(long prompt, long answer) {
    return new Spent(OptionalLong.of(prompt), OptionalLong.of(answer));
  }

  /** Returns what a request used that was stopped midway. */
  static Spent until(long answer) {
    return new Spent(OptionalLong.empty(), OptionalLong.of(answer));
  }
}
