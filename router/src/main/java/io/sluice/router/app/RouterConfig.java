package io.sluice.router.app;

import io.sluice.common.protocol.Lanes;
import io.sluice.config.InvalidSettingsException;
import io.sluice.config.Setting;
import io.sluice.config.SettingSources;
import io.sluice.config.Settings;
import io.sluice.config.SettingsSchema;
import io.sluice.fleet.PoolSettings;
import io.sluice.router.parse.PoolRules;
import io.sluice.router.policy.PolicyWeights;
import io.sluice.tracing.TraceSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of one router.
 *
 * @param givenId names the router among others; empty for the host's name
 * @param host the address on which the port is opened
 * @param port of {@code /health}, {@code /metrics} and {@code /scaling}; 0 takes a free one
 * @param threads the stream threads that share the partitions
 * @param lanes of the pool; fixed for its life
 * @param models what is served, and by what else
 * @param limits beyond which requests are refused
 * @param tierSettings the tiers, and how requests are put into them
 * @param weights what counts in the choice of a worker
 * @param stateDirectory where Kafka Streams keeps its locks; empty for a temporary one
 * @param trace where spans are sent
 */
@Settings(service = "router", environmentPrefix = "SLUICE_")
public record RouterConfig(
    @Setting(
            key = "id",
            environment = "SLUICE_ROUTER_ID",
            otherwise = "the host's name",
            meaning =
                "The router's id, unique among the routers. A router that comes back under its id"
                    + " gets its partitions back.")
        Optional<String> givenId,
    @Setting(
            environment = "SLUICE_ROUTER_HOST",
            defaultValue = "127.0.0.1",
            unit = "address",
            meaning =
                "The address on which the port is opened; `0.0.0.0` for all of the machine. The port asks"
                    + " for no password.")
        String host,
    @Setting(
            environment = "SLUICE_ROUTER_PORT",
            defaultValue = "8090",
            unit = "port",
            min = 0,
            max = 65_535,
            meaning = "Port of `/health`, `/metrics` and `/scaling`; 0 takes a free one.")
        int port,
    @Setting(
            environment = "SLUICE_ROUTER_THREADS",
            defaultValue = "2",
            unit = "threads",
            min = 1,
            max = 256,
            meaning = "Stream threads.")
        int threads,
    @Setting(
            environment = "SLUICE_POOL_LANES",
            defaultValue = "2k,8k,32k,128k",
            unit = "tokens",
            meaning = "The pool's lanes by context length; fixed for its life.")
        Lanes lanes,
    ModelSettings models,
    LimitSettings limits,
    TierSettings tierSettings,
    @Setting(
            otherwise = "none",
            unit = "name=number,...",
            meaning =
                "What counts in the choice of a worker, where it differs from the default weights,"
                    + " such as `ttft=8,prefix=0.5`.")
        PolicyWeights weights,
    @Setting(
            key = "state-dir",
            otherwise = "a temporary one",
            unit = "directory",
            meaning =
                "The directory of Kafka Streams' locks. The state itself is in memory and in"
                    + " changelog topics.")
        Optional<Path> stateDirectory,
    TraceSettings trace,
    PoolSettings pool) {

  /** The settings, their keys and their defaults. */
  public static final SettingsSchema<RouterConfig> SCHEMA = SettingsSchema.of(RouterConfig.class);

  /** Returns what holds for requests that do not say otherwise. */
  public PoolRules rules() {
    return new PoolRules(
        models.fallbacks(),
        tierSettings.objectives(),
        models.assumedOutputTokens(),
        limits.longestDeadline());
  }

  /** Returns the router's id. */
  public String id() {
    return givenId.orElseGet(RouterConfig::hostName);
  }

  /**
   * Reads settings by their keys; what is absent has its default.
   *
   * @throws InvalidSettingsException if a key is unknown or a value is wrong
   */
  public static RouterConfig of(Map<String, String> settings) {
    return SCHEMA.read(SettingSources.of(settings));
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "router";
    }
  }
}
