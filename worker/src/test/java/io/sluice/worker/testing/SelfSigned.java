package io.sluice.worker.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A self-signed certificate for 127.0.0.1, made with the JDK's keytool.
 *
 * @param keyStore its key, PKCS 12
 * @param pem itself as PEM
 */
public record SelfSigned(Path keyStore, Path pem) {
  private static final String PASSWORD = "changeit";

  /** Makes one in a folder. */
  public static SelfSigned in(Path folder) throws IOException, InterruptedException {
    var made = new SelfSigned(folder.resolve("server.p12"), folder.resolve("server.pem"));
    made.keytool(
        "-genkeypair", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1");
    made.keytool("-exportcert", "-rfc", "-file", made.pem.toString());
    return made;
  }

  private void keytool(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(
        List.of("-alias", "server", "-keystore", keyStore.toString(), "-storepass", PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (process.waitFor() != 0) {
      throw new AssertionError("keytool failed: " + output);
    }
  }

  /** TLS of a server with this certificate. */
  public SSLContext tls() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream file = Files.newInputStream(keyStore)) {
      store.load(file, PASSWORD.toCharArray());
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD.toCharArray());
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(keys.getKeyManagers(), null, null);
    return tls;
  }
}
