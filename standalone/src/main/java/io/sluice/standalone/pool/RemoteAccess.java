package io.sluice.standalone.pool;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.standalone.backend.BackendStartException;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.kafka.RemoteListener;
import io.sluice.standalone.redis.RedisSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Opens a local pool to workers on other machines: an address, a password that is drawn once for
 * each data directory, and the files in which those workers find it.
 *
 * @param directory the files, which only their owner may read
 */
record RemoteAccess(String host, int kafkaPort, String password, Path directory) {
  private static final String USER = "sluice";
  private static final int PASSWORD_BYTES = 24;
  private static final String PASSWORD_FILE = "redis-password";
  private static final String KAFKA_FILE = "kafka.properties";

  /**
   * Reads the password, or draws it, and writes the files.
   *
   * @param host an address of this machine, or a name for one, by which the others reach it
   * @param wantedPort of Kafka; 0 for a free one
   * @throws BackendStartException if the address is not one of this machine, the port is taken, or
   *     the directory cannot be used
   */
  static RemoteAccess open(String host, int wantedPort, Path directory) {
    int port = LocalPort.settle(host, wantedPort, "Kafka");
    try {
      Files.createDirectories(directory, onlyOwner("rwx------"));
      Path passwordFile = directory.resolve(PASSWORD_FILE);
      if (!Files.exists(passwordFile)) {
        write(passwordFile, drawn());
      }
      var access = new RemoteAccess(host, port, Files.readString(passwordFile).strip(), directory);
      write(access.kafkaFile(), properties(access.kafka().clientProperties()));
      return access;
    } catch (IOException e) {
      throw new BackendStartException(
          "the pool cannot write the files for other machines to %s (%s)".formatted(directory, e),
          e);
    }
  }

  /** Returns Kafka's listener for other machines. */
  RemoteListener kafka() {
    return new RemoteListener(host, kafkaPort, USER, password);
  }

  /** Returns how Redis is opened. */
  RedisSettings.Remote redis() {
    return new RedisSettings.Remote(host, password);
  }

  /**
   * Returns the arguments with which a worker on another machine joins.
   *
   * @param copy where that machine has the files
   */
  List<String> arguments(String copy, int redisPort, int partitions) {
    return List.of(
        "--kafka",
        kafka().bootstrapServers(),
        "--kafka-config",
        copy + "/" + KAFKA_FILE,
        "--redis",
        "redis://%s:%s".formatted(inUrl(host), redisPort),
        "--redis-password-file",
        copy + "/" + PASSWORD_FILE,
        "--partitions",
        Integer.toString(partitions));
  }

  /** Returns an address as it stands in a URL. */
  static String inUrl(String address) {
    return address.contains(":") ? "[" + address + "]" : address;
  }

  /** Returns the properties of Kafka's clients. */
  Path kafkaFile() {
    return directory.resolve(KAFKA_FILE);
  }

  /** Returns the password of Redis, which the services on this machine need too. */
  Path passwordFile() {
    return directory.resolve(PASSWORD_FILE);
  }

  private static String drawn() {
    byte[] random = new byte[PASSWORD_BYTES];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  private static String properties(Map<String, String> entries) {
    return entries.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining("\n"));
  }

  private static void write(Path file, String content) throws IOException {
    Path next = Files.createTempFile(file.getParent(), "next", "", onlyOwner("rw-------"));
    Files.write(next, (content + "\n").getBytes(UTF_8));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static FileAttribute<?> onlyOwner(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }

  /** Does not show the password. */
  @Override
  public String toString() {
    return "RemoteAccess[" + host + "]";
  }
}
