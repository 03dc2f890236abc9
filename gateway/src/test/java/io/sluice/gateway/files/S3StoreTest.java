package io.sluice.gateway.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.config.FileStorage;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Against a server with S3's protocol. */
@TestInstance(Lifecycle.PER_CLASS)
@Tag("slow")
class S3StoreTest extends ObjectStoreContractTest {
  private static final String BUCKET = "sluice-files";
  private static final int PAGE_KEYS = 10;

  private final AtomicInteger prefixes = new AtomicInteger();
  private S3Proxy server;
  private URI endpoint;

  @BeforeAll
  void startServer() throws Exception {
    System.setProperty("aws.accessKeyId", "id");
    System.setProperty("aws.secretAccessKey", "secret");
    TransientNio2BlobStore blobs = new TransientNio2BlobStore();
    blobs.createContainer(BUCKET);
    server =
        S3Proxy.builder()
            .blobStore(blobs)
            .endpoint(URI.create("http://127.0.0.1:0"))
            .awsAuthentication(AuthenticationType.AWS_V4, "id", "secret")
            .build();
    server.start();
    endpoint = URI.create("http://127.0.0.1:" + server.getPort());
  }

  @AfterAll
  void stopServer() throws Exception {
    server.stop();
    System.clearProperty("aws.accessKeyId");
    System.clearProperty("aws.secretAccessKey");
  }

  @Override
  ObjectStore open() {
    return open(BUCKET, "test-" + prefixes.incrementAndGet() + "/");
  }

  private S3Store open(String bucket, String prefix) {
    return S3Store.open(
        new FileStorage.S3(bucket, prefix), Optional.of(endpoint), Optional.empty(), PAGE_KEYS);
  }

  @Test
  void prefixesSeparatePools() {
    try (S3Store one = open(BUCKET, "one/");
        S3Store other = open(BUCKET, "other/")) {
      // When
      one.put("key", new byte[1]);

      // Then
      assertThat(other.get("key")).isEmpty();
      assertThat(other.list("")).isEmpty();
    }
  }

  @Test
  void anErrorSaysWhatWasTriedAndWhatCameBack() {
    try (S3Store store = open("no-such-bucket", "")) {
      assertThatThrownBy(() -> store.put("key", new byte[1]))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("cannot write s3://no-such-bucket/key")
          .hasMessageContaining("404");
      assertThatThrownBy(() -> store.list("")).isInstanceOf(StorageException.class);
      assertThatThrownBy(() -> store.get("key"))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("404");
    }
  }
}
