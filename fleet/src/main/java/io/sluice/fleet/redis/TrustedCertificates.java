package io.sluice.fleet.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.List;
import javax.net.ssl.TrustManagerFactory;

/**
 * The certificates by which a server proves its identity.
 *
 * @param all empty for those that the JVM trusts
 */
public record TrustedCertificates(List<Certificate> all) {
  /** The certificates that the JVM trusts. */
  public static final TrustedCertificates OF_JVM = new TrustedCertificates(List.of());

  public TrustedCertificates {
    all = List.copyOf(all);
  }

  /**
   * Reads them from a PEM file.
   *
   * @param file its path; empty for the certificates of the JVM
   * @throws IllegalArgumentException if the file cannot be read or holds no certificate
   */
  public static TrustedCertificates parse(String file) {
    if (file.isEmpty()) {
      return OF_JVM;
    }
    try (InputStream pem = Files.newInputStream(Path.of(file))) {
      List<Certificate> found =
          List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(pem));
      if (found.isEmpty()) {
        throw new IllegalArgumentException("the file holds no certificate in PEM");
      }
      return new TrustedCertificates(found);
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException("there is no such file", e);
    } catch (CertificateException e) {
      throw new IllegalArgumentException("the file holds no certificate in PEM", e);
    } catch (IOException e) {
      throw new IllegalArgumentException("the file cannot be read: " + e.getMessage(), e);
    }
  }

  /** Returns a factory that trusts exactly these; they must not be those of the JVM. */
  public TrustManagerFactory trustManagers() {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (int i = 0; i < all.size(); i++) {
        store.setCertificateEntry("ca-" + i, all.get(i));
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return factory;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("this JVM cannot use X.509 certificates", e);
    }
  }
}
