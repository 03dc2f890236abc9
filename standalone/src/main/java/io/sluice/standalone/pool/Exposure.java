package io.sluice.standalone.pool;

import java.util.Optional;

/**
 * What other machines may reach of a local pool.
 *
 * @param host an address of this machine, or a name for one, at which workers of other machines
 *     join, and at which the gateway listens if it has API keys; empty for the loopback address
 *     only
 * @param keys the gateway's setting: where the API keys are; empty for none
 */
public record Exposure(Optional<String> host, Optional<String> keys) {
  /** Nothing. */
  public static final Exposure NONE = new Exposure(Optional.empty(), Optional.empty());
}
