package io.sluice.gateway.access.command;

import io.sluice.fleet.redis.RedisConnection;
import io.sluice.fleet.redis.RedisPassword;
import io.sluice.fleet.redis.RedisSettings;
import io.sluice.fleet.redis.RedisTable;
import io.sluice.fleet.redis.TrustedCertificates;
import io.sluice.gateway.access.FileKeys;
import io.sluice.gateway.access.KeyStore;
import io.sluice.gateway.access.RedisKeyStore;
import io.sluice.gateway.config.KeySource;
import java.io.IOException;
import org.redisson.api.RedissonClient;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Which keys a command is about. The options are those of the gateway. */
final class StoreOptions {
  @Spec(Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Option(
      names = "--keys",
      paramLabel = "redis|file:PATH",
      defaultValue = "${env:SLUICE_GATEWAY_KEYS:-redis}",
      description = "Where the keys are (SLUICE_GATEWAY_KEYS; default: redis).")
  private String keys = "redis";

  @Option(
      names = "--redis",
      paramLabel = "URL",
      defaultValue = "${env:SLUICE_REDIS:-redis://127.0.0.1:16379}",
      description = "The pool's Redis (SLUICE_REDIS; default: the local stack's).")
  private String redis = "";

  @Option(
      names = "--redis-password-file",
      paramLabel = "FILE",
      defaultValue = "${env:SLUICE_REDIS_PASSWORD_FILE:-}",
      description = "A file that holds the password of Redis (SLUICE_REDIS_PASSWORD_FILE).")
  private String passwordFile = "";

  @Option(
      names = "--redis-ca",
      paramLabel = "FILE",
      defaultValue = "${env:SLUICE_REDIS_CA:-}",
      description =
          "The certificates in PEM by which Redis proves its identity with rediss://"
              + " (SLUICE_REDIS_CA).")
  private String certificates = "";

  @Option(
      names = "--pool",
      paramLabel = "NAME",
      defaultValue = "${env:SLUICE_POOL:-default}",
      description = "The pool's name in Redis (SLUICE_POOL; default: default).")
  private String pool = "";

  /** What a command does with the keys. */
  @FunctionalInterface
  interface Action {
    int run(KeyStore store) throws IOException;
  }

  /** Runs an action on the keys. */
  int with(Action action) throws IOException {
    return switch (source()) {
      case KeySource.File file -> action.run(new FileKeys(file.path()));
      case KeySource.Redis _ -> {
        RedissonClient client = open();
        try {
          yield action.run(new RedisKeyStore(new RedisTable(client, pool, RedisKeyStore.TABLE)));
        } finally {
          client.shutdown();
        }
      }
      case KeySource.None _ ->
          throw new ParameterException(
              spec.commandLine(), "--keys none disables keys; use redis or file:PATH");
    };
  }

  /** Opens the client; fails in one line if Redis refuses it. */
  private RedissonClient open() throws IOException {
    try {
      RedisSettings settings =
          new RedisSettings(
              redis, RedisPassword.parse(passwordFile), TrustedCertificates.parse(certificates));
      RedisConnection.requireNoRefusal(settings, pool);
      return RedisConnection.open(settings);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(), "--redis, --redis-password-file or --redis-ca: " + e.getMessage(), e);
    } catch (IllegalStateException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private KeySource source() {
    try {
      return KeySource.parse(keys);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(), "--keys is '%s': %s".formatted(keys, e.getMessage()), e);
    }
  }
}
