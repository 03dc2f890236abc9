package io.sluice.gateway.config;

import io.sluice.config.InvalidSettingsException;
import io.sluice.config.Setting;
import io.sluice.config.SettingSources;
import io.sluice.config.Settings;
import io.sluice.config.SettingsSchema;
import io.sluice.fleet.PoolSettings;
import io.sluice.tracing.TraceSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of one gateway.
 *
 * @param host the address on which the port is opened
 * @param port of the API; 0 takes a free one
 * @param keys where the API keys are
 * @param keysMaxAge how long keys stay valid that cannot be read again
 * @param maxConcurrent the most requests in progress; more are refused with 429
 * @param requestTimeout the deadline of a request that sets none
 * @param receiveTimeout the longest time in which a request's body arrives
 * @param keepAlive the longest silence of a stream, after which a comment is sent
 * @param disconnectGrace how long the request of a disconnected client continues
 * @param retryGrace the same for a client that retries by itself and saw no response yet
 * @param drainGrace how long requests in progress may continue after a shutdown began
 * @param corsOrigins the origins whose pages may call the API from a browser
 * @param accessLog whether each HTTP request is logged
 * @param files where files are stored, and how many
 * @param batches what batches may use
 * @param replyService whose reply topic it reads; empty for the common one
 * @param trace where spans are sent
 */
@Settings(service = "gateway", environmentPrefix = "SLUICE_GATEWAY_")
public record GatewayConfig(
    @Setting(
            defaultValue = "127.0.0.1",
            unit = "address",
            meaning = "The address on which the port is opened.")
        String host,
    @Setting(
            defaultValue = "8080",
            unit = "port",
            min = 0,
            max = 65_535,
            meaning = "Port of the API, `/health` and `/metrics`; 0 takes a free one.")
        int port,
    @Setting(
            defaultValue = "none",
            unit = "none, redis or file:PATH",
            meaning =
                "Where the API keys are; `sluice keys` creates them. Without keys the gateway opens"
                    + " its port on loopback addresses only.")
        KeySource keys,
    @Setting(
            key = "keys-max-age-seconds",
            defaultValue = "3600",
            unit = "s",
            min = 1,
            max = 2_592_000,
            meaning =
                "How long the API keys stay valid while they cannot be read again; then requests get"
                    + " status 503. Until then, a revoked key still works.")
        Duration keysMaxAge,
    @Setting(
            defaultValue = "4096",
            unit = "requests",
            min = 1,
            max = 1_000_000,
            meaning =
                "The maximum number of requests in progress; more are refused with status 429.")
        int maxConcurrent,
    @Setting(
            key = "request-timeout-seconds",
            defaultValue = "600",
            unit = "s",
            min = 1,
            max = 86_400,
            meaning =
                "The deadline of a request without the header `x-sluice-timeout-ms`; 600 s is the"
                    + " time that OpenAI's clients wait.")
        Duration requestTimeout,
    @Setting(
            key = "receive-timeout-seconds",
            defaultValue = "60",
            unit = "s",
            min = 1,
            max = 86_400,
            meaning =
                "The longest time in which a request's body arrives; then its connection, or its stream"
                    + " of HTTP/2, is closed.")
        Duration receiveTimeout,
    @Setting(
            key = "keep-alive-seconds",
            defaultValue = "15",
            unit = "s",
            min = 0.1,
            max = 3_600,
            meaning = "The longest silence of a stream; then a comment is sent.")
        Duration keepAlive,
    @Setting(
            key = "disconnect-grace-millis",
            defaultValue = "0",
            unit = "ms",
            min = 0,
            max = 86_400_000,
            meaning =
                "How long a request continues after its client has disconnected, before it is"
                    + " cancelled.")
        Duration disconnectGrace,
    @Setting(
            key = "retry-grace-millis",
            defaultValue = "10000",
            unit = "ms",
            min = 0,
            max = 86_400_000,
            meaning =
                "The same for clients that retry by themselves (they send `X-Stainless-Retry-Count`)"
                    + " and have not seen a response yet. Their retry gets the running request's"
                    + " answer.")
        Duration retryGrace,
    @Setting(
            key = "drain-grace-millis",
            defaultValue = "20000",
            unit = "ms",
            min = 0,
            max = 86_400_000,
            meaning =
                "How long requests in progress may continue after SIGTERM, while new ones get 503."
                    + " Then their clients get an error; the pool continues with them.")
        Duration drainGrace,
    @Setting(
            otherwise = "none",
            unit = "origins",
            meaning =
                "The origins whose pages may call the API from a browser, such as"
                    + " `https://example.org`; `*` for all.")
        List<String> corsOrigins,
    @Setting(
            defaultValue = "true",
            meaning =
                "Log one line per HTTP request (client, request, status, bytes, time), never"
                    + " bodies.")
        boolean accessLog,
    FileSettings files,
    BatchSettings batches,
    @Setting(
            environment = "SLUICE_REPLY_SERVICE",
            otherwise = "the common reply topic",
            meaning =
                "The gateway reads its answers on `sluice.replies.NAME`, which no other caller needs to"
                    + " read. The topic must exist, with the pool's number of partitions. All gateways"
                    + " of a pool must use the same value.")
        Optional<String> replyService,
    TraceSettings trace,
    PoolSettings pool) {

  /** The settings, their keys and their defaults. */
  public static final SettingsSchema<GatewayConfig> SCHEMA = SettingsSchema.of(GatewayConfig.class);

  public GatewayConfig {
    corsOrigins = List.copyOf(corsOrigins);
    if (keys instanceof KeySource.None && !isLoopback(host)) {
      throw new IllegalArgumentException(
          "--host is '%s', but a gateway without API keys serves this machine only: set --keys, or --host 127.0.0.1"
              .formatted(host));
    }
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "--host is '%s', which is not an address".formatted(host), e);
    }
  }

  /**
   * Reads settings by their keys; what is absent has its default.
   *
   * @throws InvalidSettingsException if a key is unknown or a value is wrong
   */
  public static GatewayConfig of(Map<String, String> settings) {
    return SCHEMA.read(SettingSources.of(settings));
  }
}
