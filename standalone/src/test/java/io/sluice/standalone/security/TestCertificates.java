package io.sluice.standalone.security;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;

/**
 * A certificate authority and a server certificate for 127.0.0.1, newly created.
 *
 * @param keyStore the server's key and certificate, PKCS 12
 * @param trustStore the authority's certificate, PKCS 12
 * @param authority the same as PEM
 */
record TestCertificates(Path keyStore, Path trustStore, Path authority) {
  static final String PASSWORD = "changeit";

  /** Makes them in a folder. */
  static TestCertificates in(Path folder) {
    try {
      X509Bundle ca =
          new CertificateBuilder()
              .subject("CN=Test CA")
              .setIsCertificateAuthority(true)
              .buildSelfSigned();
      X509Bundle server =
          new CertificateBuilder()
              .subject("CN=localhost")
              .addSanIpAddress("127.0.0.1")
              .addSanDnsName("localhost")
              .buildIssuedBy(ca);
      KeyStore own = empty();
      own.setKeyEntry(
          "server",
          server.getKeyPair().getPrivate(),
          PASSWORD.toCharArray(),
          server.getCertificatePathWithRoot());
      KeyStore trusted = empty();
      trusted.setCertificateEntry("ca", ca.getCertificate());
      return new TestCertificates(
          store(own, folder.resolve("server.p12")),
          store(trusted, folder.resolve("trusted.p12")),
          Files.writeString(folder.resolve("ca.pem"), ca.getCertificatePEM()));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static KeyStore empty() throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static Path store(KeyStore content, Path file) throws Exception {
    try (OutputStream out = Files.newOutputStream(file)) {
      content.store(out, PASSWORD.toCharArray());
    }
    return file;
  }

  /** Writes a text to a file of the folder of these certificates. */
  Path write(String name, String text) {
    try {
      return Files.writeString(authority.resolveSibling(name), text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
