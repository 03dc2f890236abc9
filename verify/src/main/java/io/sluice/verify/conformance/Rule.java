package io.sluice.verify.conformance;

import io.sluice.verify.http.Engine;
import java.io.IOException;

/**
 * One rule of the engine contract.
 *
 * @param name the section of the contract and the rule
 * @param check throws {@link Expect.Broken} if an engine breaks the rule, {@link Expect.Skipped} if
 *     it cannot be checked on this engine
 */
public record Rule(String name, Check check) {

  /** Sends the requests that a rule needs. */
  @FunctionalInterface
  public interface Check {

    /** Returns normally if the rule holds. */
    void of(Engine engine) throws IOException;
  }

  /** The result of a check. */
  public sealed interface Verdict {

    /** The rule holds. */
    record Held() implements Verdict {}

    /** The engine breaks the rule. */
    record Broken(String reason) implements Verdict {}

    /** The rule cannot be checked. */
    record Skipped(String reason) implements Verdict {}
  }

  /** Checks an engine. */
  public Verdict examine(Engine engine) {
    try {
      check.of(engine);
      return new Verdict.Held();
    } catch (Expect.Skipped e) {
      return new Verdict.Skipped(String.valueOf(e.getMessage()));
    } catch (Expect.Broken e) {
      return new Verdict.Broken(String.valueOf(e.getMessage()));
    } catch (IOException | RuntimeException e) {
      return new Verdict.Broken(e.toString());
    }
  }
}
