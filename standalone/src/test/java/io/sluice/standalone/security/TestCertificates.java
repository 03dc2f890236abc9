package io.sluice.standalone.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A certificate authority and a server certificate for 127.0.0.1, made with the JDK's keytool.
 *
 * @param keyStore the server's key and certificate, PKCS 12
 * @param trustStore the authority's certificate, PKCS 12
 * @param authority the same as PEM
 */
record TestCertificates(Path keyStore, Path trustStore, Path authority) {
  static final String PASSWORD = "changeit";

  /** Makes them in a folder. */
  static TestCertificates in(Path folder) {
    Path ca = folder.resolve("ca.p12");
    Path server = folder.resolve("server.p12");
    Path pem = folder.resolve("ca.pem");
    Path trusted = folder.resolve("trusted.p12");
    keytool(
        ca, "-genkeypair", "-alias", "ca", "-keyalg", "EC", "-dname", "CN=Test CA", "-ext", "bc:c");
    keytool(ca, "-exportcert", "-alias", "ca", "-rfc", "-file", pem.toString());
    keytool(server, "-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=localhost");
    Path request = folder.resolve("server.csr");
    Path signed = folder.resolve("server.pem");
    keytool(server, "-certreq", "-alias", "server", "-file", request.toString());
    keytool(
        ca,
        "-gencert",
        "-alias",
        "ca",
        "-ext",
        "san=ip:127.0.0.1,dns:localhost",
        "-rfc",
        "-infile",
        request.toString(),
        "-outfile",
        signed.toString());
    importInto(server, "ca", pem);
    importInto(server, "server", signed);
    importInto(trusted, "ca", pem);
    return new TestCertificates(server, trusted, pem);
  }

  private static void importInto(Path store, String alias, Path certificate) {
    keytool(store, "-importcert", "-noprompt", "-alias", alias, "-file", certificate.toString());
  }

  private static void keytool(Path store, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(
        List.of("-keystore", store.toString(), "-storepass", PASSWORD, "-storetype", "PKCS12"));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (process.waitFor() != 0) {
        throw new AssertionError("keytool failed: " + output);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
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
