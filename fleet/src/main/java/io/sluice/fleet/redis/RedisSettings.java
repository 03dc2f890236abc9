package io.sluice.fleet.redis;

import io.sluice.config.Setting;

/**
 * How Redis is reached.
 *
 * @param uri {@code redis://[user[:password]@]host:port[/database]}, or {@code rediss://} for TLS
 * @param password from a file, instead of one in the URL
 * @param trusted by which Redis proves its identity with {@code rediss://}
 */
public record RedisSettings(
    @Setting(
            key = "redis",
            environment = "SLUICE_REDIS",
            defaultValue = "redis://127.0.0.1:16379",
            unit = "URL",
            meaning =
                "The pool's Redis: `redis://user:password@host:port/database`, `rediss://` for TLS."
                    + " Other users see a password in a flag: put it into the variable, or into"
                    + " `--redis-password-file`.")
        String uri,
    @Setting(
            key = "redis-password-file",
            environment = "SLUICE_REDIS_PASSWORD_FILE",
            otherwise = "that of the URL",
            unit = "file",
            meaning = "A file that holds the password of Redis.")
        RedisPassword password,
    @Setting(
            key = "redis-ca",
            environment = "SLUICE_REDIS_CA",
            otherwise = "those that the JVM trusts",
            unit = "file",
            meaning =
                "The certificates in PEM by which Redis proves its identity with `rediss://`.")
        TrustedCertificates trusted) {

  /** Returns a Redis whose URL says everything. */
  public static RedisSettings of(String uri) {
    return new RedisSettings(uri, RedisPassword.NONE, TrustedCertificates.OF_JVM);
  }

  /** Returns the address in a form that may be displayed and logged: without user and password. */
  public String shown() {
    return RedisConnection.shown(uri);
  }

  @Override
  public String toString() {
    return "RedisSettings[" + shown() + "]";
  }
}
