package io.sluice.gateway.files.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.FolderStore;
import io.sluice.gateway.files.ObjectStore;
import io.sluice.gateway.files.StoredFile;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UploadsTest {
  private static final String TENANT = "acme";
  private static final String TYPE = "multipart/form-data; boundary=b";
  private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.SECONDS);
  private static final String PURPOSE = field("purpose", "batch");

  @TempDir private Path folder;
  private ObjectStore objects;
  private FileStore store;
  private Uploads uploads;

  @BeforeEach
  void open() {
    Clock clock = Clock.fixed(NOW, ZoneOffset.UTC);
    objects = FolderStore.open(folder);
    store = new FileStore(objects, clock);
    uploads =
        new Uploads(
            GatewayConfig.of(
                Map.of(
                    "kafka", "127.0.0.1:1",
                    "redis", "redis://127.0.0.1:1",
                    "file-max-bytes", "100",
                    "file-tenant-max-bytes", "150",
                    "file-tenant-max-files", "10")),
            clock);
  }

  @Test
  void fieldsMayComeInAnyOrder() throws Exception {
    for (String form : new String[] {PURPOSE + file("hello"), file("hello") + PURPOSE}) {
      StoredFile file = upload(form);

      assertThat(store.find(file.id(), TENANT)).contains(file);
      assertThat(file.filename()).isEqualTo("name.jsonl");
      assertThat(file.purpose()).isEqualTo("batch");
      assertThat(file.createdAt()).isEqualTo(NOW);
      try (InputStream content = store.open(file, 0)) {
        assertThat(content.readAllBytes()).isEqualTo(bytes("hello"));
      }
    }
  }

  @Test
  void aFileExpiresWhenItsFormSaysSo() {
    assertThat(upload(PURPOSE + file("x")).expiresAt()).contains(NOW.plus(Duration.ofDays(30)));
    assertThat(upload(field("purpose", "user_data") + file("x")).expiresAt()).isEmpty();
    assertThat(upload(PURPOSE + file("x") + expiry("created_at", "3600")).expiresAt())
        .contains(NOW.plusSeconds(3_600));

    for (String wrong : new String[] {"3599", "2592001", "x", "", "99999999999999999999"}) {
      refused(PURPOSE + file("x") + expiry("created_at", wrong), 400, "expires_after[seconds]");
    }
    refused(PURPOSE + file("x") + expiry("now", "3600"), 400, "expires_after[anchor]");
    refused(
        PURPOSE + file("x") + field("expires_after[anchor]", "created_at"),
        400,
        "expires_after[seconds]");
    refused(
        PURPOSE + file("x") + field("expires_after[seconds]", "3600"),
        400,
        "expires_after[anchor]");
  }

  @Test
  void anEmptyFileIsAFile() {
    assertThat(upload(PURPOSE + file("")).bytes()).isZero();
  }

  @Test
  void aFormWithoutWhatItNeedsIsRefused() {
    refused(PURPOSE, 400, "file");
    refused(file("x"), 400, "purpose");
    refused(file("x") + field("purpose", "other"), 400, "purpose");
    refused(file("x") + field("purpose", "x".repeat(2_000)), 400, "purpose");
    refused(PURPOSE + file("x") + file("y"), 400, "file");
    refused("", 400, "file");
  }

  @Test
  void aNameIsOnlyShown() {
    assertThat(upload(PURPOSE + named("../../päth/x\uD83D\uDE00")).filename())
        .isEqualTo("../../päth/x\uD83D\uDE00");
    assertThat(upload(PURPOSE + named("")).filename()).isEqualTo("upload");
    assertThat(upload(PURPOSE + named("x".repeat(255))).filename()).hasSize(255);
    refused(PURPOSE + named("x".repeat(256)), 400, "file");
    refused(PURPOSE + named("a%0D%0Aset-cookie: x"), 400, "file");
    refused(PURPOSE + named("a\u0007"), 400, "file");
  }

  @Test
  void aFileThatIsTooLargeLeavesNothing() {
    assertThat(upload(PURPOSE + file("x".repeat(100))).bytes()).isEqualTo(100);
    store.ids(TENANT).forEach(id -> store.delete(id, TENANT));

    refused(PURPOSE + file("x".repeat(101)), 413, "file");
  }

  @Test
  void theFilesOfATenantHaveALimitTogether() {
    upload(PURPOSE + file("x".repeat(100)));

    assertThat(error(PURPOSE + file("x".repeat(51)), TYPE).code()).isEqualTo("file_storage_full");
    upload(PURPOSE + file("x".repeat(50)));
    assertThat(error(PURPOSE + file("x"), TYPE).code()).isEqualTo("file_storage_full");
    assertThat(store.ids(TENANT)).hasSize(2);
    assertThat(uploads.receive(store, "other", TYPE, stream(PURPOSE + file("x") + "--b--")).bytes())
        .isEqualTo(1);
  }

  @Test
  void theFilesOfATenantAreLimited() {
    for (int i = 0; i < 10; i++) {
      upload(PURPOSE + file(""));
    }

    assertThat(error(PURPOSE + file(""), TYPE).code()).isEqualTo("too_many_files");
    store.delete(store.ids(TENANT).getFirst(), TENANT);
    upload(PURPOSE + file(""));
    assertThat(store.ids(TENANT)).hasSize(10);
  }

  @Test
  void anotherContentTypeIsRefused() {
    assertThat(error(PURPOSE + file("x"), "application/json").status()).isEqualTo(400);
    assertThat(error(PURPOSE + file("x"), "multipart/form-data; boundary=other").status())
        .isEqualTo(400);
    assertThat(objects.list("")).isEmpty();
  }

  @Test
  void anUploadWhoseClientLeavesLeavesNothing() {
    // Given
    InputStream cut =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("connection reset");
          }
        };
    InputStream body = new SequenceInputStream(stream(PURPOSE + file("hello")), cut);

    // When
    ApiException error =
        catchThrowableOfType(ApiException.class, () -> uploads.receive(store, TENANT, TYPE, body));

    // Then
    assertThat(error.error().status()).isEqualTo(400);
    assertThat(objects.list("")).isEmpty();
  }

  private StoredFile upload(String form) {
    return uploads.receive(store, TENANT, TYPE, stream(form + "--b--\r\n"));
  }

  /** Nothing may stay of what was refused. */
  private void refused(String form, int status, String param) {
    int before = objects.list("").size();
    ApiError error = error(form, TYPE);
    assertThat(error.status()).as(error.message()).isEqualTo(status);
    assertThat(error.param()).isEqualTo(Optional.of(param));
    assertThat(objects.list("")).hasSize(before);
  }

  private ApiError error(String form, String type) {
    return catchThrowableOfType(
            ApiException.class,
            () -> uploads.receive(store, TENANT, type, stream(form + "--b--\r\n")))
        .error();
  }

  private static String file(String content) {
    return "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"name.jsonl\"\r\n\r\n"
        + content
        + "\r\n";
  }

  private static String named(String filename) {
    return file("").replace("name.jsonl", filename);
  }

  private static String expiry(String anchor, String seconds) {
    return field("expires_after[anchor]", anchor) + field("expires_after[seconds]", seconds);
  }

  private static String field(String name, String value) {
    return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(bytes(text));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
