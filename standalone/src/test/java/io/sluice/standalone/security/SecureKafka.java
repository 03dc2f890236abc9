package io.sluice.standalone.security;

import static org.awaitility.Awaitility.await;

import io.sluice.common.acl.PoolRole;
import io.sluice.config.PropertiesFile;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.kafka.ClusterMember;
import io.sluice.standalone.kafka.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.ResourcePatternFilter;

/**
 * An embedded node with TLS, passwords, and an authorizer that allows nothing by itself. Each
 * user's password contains characters that mean something to Micronaut and to properties files.
 */
final class SecureKafka implements AutoCloseable {
  static final String ADMIN = "admin";

  private static final long BOUND_SECONDS = 20;

  private final EmbeddedKafka kafka;
  private final TestCertificates certificates;

  private SecureKafka(EmbeddedKafka kafka, TestCertificates certificates) {
    this.kafka = kafka;
    this.certificates = certificates;
  }

  /** Starts the node. */
  static SecureKafka start(TestCertificates certificates, List<String> users) {
    int controller = LocalPort.settle(0, "Kafka's controller");
    var member =
        new ClusterMember(
            1, Uuid.randomUuid().toString(), Map.of(1, controller), settings(certificates, users));
    return new SecureKafka(
        EmbeddedKafka.start(
            new EmbeddedKafka.Config(0, Optional.empty(), Optional.of(member), Optional.empty())),
        certificates);
  }

  private static Map<String, String> settings(TestCertificates certificates, List<String> users) {
    StringBuilder logins =
        new StringBuilder(
            "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\" user_%s=\"%s\""
                .formatted(ADMIN, password(ADMIN), ADMIN, password(ADMIN)));
    users.forEach(user -> logins.append(" user_%s=\"%s\"".formatted(user, password(user))));
    Map<String, String> settings = new HashMap<>();
    settings.put("listener.security.protocol.map", "CLIENT:SASL_SSL,CONTROLLER:PLAINTEXT");
    settings.put("sasl.enabled.mechanisms", "PLAIN");
    settings.put("sasl.mechanism.inter.broker.protocol", "PLAIN");
    settings.put("listener.name.client.plain.sasl.jaas.config", logins + ";");
    settings.put("ssl.keystore.type", "PKCS12");
    settings.put("ssl.keystore.location", certificates.keyStore().toString());
    settings.put("ssl.keystore.password", TestCertificates.PASSWORD);
    settings.put("ssl.truststore.type", "PKCS12");
    settings.put("ssl.truststore.location", certificates.trustStore().toString());
    settings.put("ssl.truststore.password", TestCertificates.PASSWORD);
    settings.put(
        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
    // The controller's listener, on the loopback interface of the test, has no passwords.
    settings.put("super.users", "User:%s;User:ANONYMOUS".formatted(ADMIN));
    return settings;
  }

  static String password(String user) {
    return "${" + user + "}=#:!";
  }

  String bootstrapServers() {
    return kafka.bootstrapServers();
  }

  TestCertificates certificates() {
    return certificates;
  }

  /** Returns the one file that a user needs for every service, command and client. */
  Path file(String user) {
    return file(user, password(user), certificates.trustStore());
  }

  /** Returns a file with this password and these trusted certificates. */
  Path file(String user, String password, Path trustStore) {
    return certificates.write(
        user + ".properties",
        """
        bootstrap.servers=%s
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=%s
        ssl.truststore.type=PKCS12
        ssl.truststore.location=%s
        ssl.truststore.password=%s
        """
            .formatted(
                bootstrapServers(), login(user, password), trustStore, TestCertificates.PASSWORD));
  }

  /** Returns the file of k8s/overlays/production, which reads what is secret from a folder. */
  Path mountedFile(String user) {
    Path manifest = Path.of("..", "k8s", "overlays", "production", "kafka.properties");
    try {
      Path secret = Files.createDirectories(certificates.authority().resolveSibling(user));
      Files.writeString(secret.resolve("sasl.jaas.config"), login(user, password(user)));
      Files.copy(
          certificates.authority(), secret.resolve("ca.crt"), StandardCopyOption.REPLACE_EXISTING);
      String properties =
          Files.readString(manifest)
              .replace("/etc/sluice/kafka-user", secret.toString())
              .replace("SCRAM-SHA-512", "PLAIN");
      return certificates.write(
          user + ".mounted.properties",
          "bootstrap.servers=%s\n%s".formatted(bootstrapServers(), properties));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String login(String user, String password) {
    return "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\";"
        .formatted(user, password);
  }

  /** Returns the properties of a user's client. */
  Map<String, String> properties(String user) {
    try {
      return PropertiesFile.read(file(user));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  Admin admin(String user) {
    return Admin.create(new HashMap<String, Object>(properties(user)));
  }

  /** Gives a user a role. */
  void grant(String user, PoolRole role, Optional<String> name) throws Exception {
    String principal = "User:" + user;
    var acls = Set.copyOf(role.acls(principal, name));
    var ofUser =
        new AclBindingFilter(
            ResourcePatternFilter.ANY,
            new AccessControlEntryFilter(principal, null, AclOperation.ANY, AclPermissionType.ANY));
    try (Admin admin = admin(ADMIN)) {
      admin.createAcls(acls).all().get(BOUND_SECONDS, TimeUnit.SECONDS);
      // The controller has them; the broker reads them a moment later.
      await()
          .atMost(BOUND_SECONDS, TimeUnit.SECONDS)
          .until(() -> Set.copyOf(admin.describeAcls(ofUser).values().get()).containsAll(acls));
    }
  }

  @Override
  public void close() {
    kafka.close();
  }
}
