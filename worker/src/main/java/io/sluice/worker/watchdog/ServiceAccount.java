package io.sluice.worker.watchdog;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.fleet.redis.TrustedCertificates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;

/**
 * The account of a Kubernetes pod, as it is mounted into a container. Its files are read at every
 * use, since Kubernetes replaces them.
 *
 * @param folder with the files {@code token}, {@code ca.crt} and {@code namespace}
 */
record ServiceAccount(Path folder) {
  /** Where Kubernetes mounts it. */
  static final Path MOUNTED = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

  /** Returns the bearer token of requests to the API server. */
  String token() throws IOException {
    return read("token");
  }

  /** Returns the pod's namespace. */
  String namespace() throws IOException {
    return read("namespace");
  }

  /**
   * TLS that trusts the API server's certificate alone.
   *
   * @throws IOException if {@code ca.crt} holds no certificate
   */
  SSLContext tls() throws IOException {
    try {
      TrustedCertificates trusted = TrustedCertificates.parse(file("ca.crt").toString());
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(null, trusted.trustManagers().getTrustManagers(), null);
      return tls;
    } catch (IllegalArgumentException | GeneralSecurityException e) {
      throw new IOException(file("ca.crt") + ": " + e.getMessage(), e);
    }
  }

  private String read(String name) throws IOException {
    if (!Files.exists(file(name))) {
      throw new IOException("there is no file " + file(name));
    }
    String text = Files.readString(file(name), UTF_8).strip();
    if (text.isEmpty()) {
      throw new IOException(file(name) + " is empty");
    }
    return text;
  }

  private Path file(String name) {
    return folder.resolve(name);
  }
}
