package io.sluice.standalone.pool;

import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of {@code up} that open a pool to other machines. */
final class ExposureOptions {
  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description =
          "An address of this machine in a private network, at which workers of other machines"
              + " join: opens Kafka (port 19093) and Redis there, with a password but unencrypted.")
  private Optional<String> host = Optional.empty();

  @Option(
      names = "--keys",
      paramLabel = "redis|file:PATH",
      description =
          "Where the gateway's API keys are; './sluice keys' creates them. With --host, the gateway"
              + " then listens at that address.")
  private Optional<String> keys = Optional.empty();

  /** Returns whether the address stands for all addresses, which no client can connect to. */
  boolean isWildcard() {
    return host.filter(address -> address.equals("0.0.0.0") || address.equals("::")).isPresent();
  }

  boolean isOpen() {
    return host.isPresent();
  }

  Exposure exposure() {
    return new Exposure(host, keys);
  }
}
