package io.sluice.standalone.security;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.redis.EmbeddedRedis;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * An embedded Redis with a password, behind TLS. The bundled Redis has no TLS, so it ends here, as
 * with a proxy in front of a server.
 */
final class SecureRedis implements AutoCloseable {
  static final String PASSWORD = "p${a}ss#/@word";

  /** As SECURITY.md says. */
  private static final String USER_OF_POOL =
      "ACL SETUSER pool on >%s ~sluice:{default}:* resetchannels &sluice:{default}:* +@all -@admin -@dangerous";

  private final EmbeddedRedis redis;
  private final ServerSocket listener;

  private SecureRedis(EmbeddedRedis redis, ServerSocket listener) {
    this.redis = redis;
    this.listener = listener;
    Thread.ofVirtual().start(this::accept);
  }

  static SecureRedis start(TestCertificates certificates) {
    EmbeddedRedis redis = EmbeddedRedis.start(0);
    try (Socket socket = new Socket(LocalPort.HOST, redis.port())) {
      order(socket, USER_OF_POOL.formatted(PASSWORD));
      order(socket, "CONFIG SET requirepass " + PASSWORD);
      return new SecureRedis(
          redis,
          tls(certificates)
              .getServerSocketFactory()
              .createServerSocket(0, 50, InetAddress.getByName(LocalPort.HOST)));
    } catch (IOException | GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static void order(Socket socket, String order) throws IOException {
    socket.getOutputStream().write((order + "\r\n").getBytes(US_ASCII));
    String answer = new String(socket.getInputStream().readNBytes(5), US_ASCII);
    if (!answer.equals("+OK\r\n")) {
      throw new AssertionError("Redis did not accept: " + order);
    }
  }

  private static SSLContext tls(TestCertificates certificates)
      throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    char[] password = TestCertificates.PASSWORD.toCharArray();
    try (InputStream file = Files.newInputStream(certificates.keyStore())) {
      store.load(file, password);
    }
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  /** Returns the address with TLS of a user that may only use the pool's keys. */
  String uriOfPool() {
    return "rediss://pool@%s:%d".formatted(LocalPort.HOST, listener.getLocalPort());
  }

  /** Returns the address with TLS. */
  String uri() {
    return "rediss://%s:%d".formatted(LocalPort.HOST, listener.getLocalPort());
  }

  /** Returns the address behind TLS. */
  String plainUri() {
    return redis.uri();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Thread.ofVirtual().start(() -> serve(client));
      }
    } catch (IOException e) {
      // It is closed.
    }
  }

  private void serve(Socket client) {
    try (client;
        Socket server = new Socket(LocalPort.HOST, redis.port())) {
      Thread answers = Thread.ofVirtual().start(() -> copy(server, client));
      copy(client, server);
      answers.join();
    } catch (IOException e) {
      // The client does not trust the certificate, or has gone.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void copy(Socket from, Socket to) {
    try {
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[16 * 1024];
      InputStream in = from.getInputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        out.write(buffer, 0, read);
        out.flush();
      }
      to.close();
    } catch (IOException e) {
      // One side has gone.
    }
  }

  @Override
  public void close() {
    redis.close();
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
