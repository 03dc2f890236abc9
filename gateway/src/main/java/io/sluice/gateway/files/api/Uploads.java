package io.sluice.gateway.files.api;

import io.micronaut.http.exceptions.ContentLengthExceededException;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.PartWriter;
import io.sluice.gateway.files.StorageException;
import io.sluice.gateway.files.StoredFile;
import io.sluice.gateway.files.StoredFile.Part;
import io.sluice.gateway.files.form.Boundary;
import io.sluice.gateway.files.form.FormException;
import io.sluice.gateway.files.form.FormPart;
import io.sluice.gateway.files.form.FormReader;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.TenantShares;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.InputStream;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Receives files. An upload holds one part in memory. Thread-safe. */
@Singleton
final class Uploads {
  private static final Logger log = LoggerFactory.getLogger(Uploads.class);

  /** Each holds up to 8 MiB. */
  private static final int MOST_AT_A_TIME = 64;

  private static final int CHUNK_BYTES = 64 * 1024;

  private final TenantShares places = new TenantShares(MOST_AT_A_TIME);
  private final GatewayConfig config;
  private final Clock clock;

  Uploads(GatewayConfig config, Clock clock) {
    this.config = config;
    this.clock = clock;
  }

  /**
   * Reads a form and stores its file. If this fails, nothing of it stays.
   *
   * @param body ends with an error when the client leaves
   * @throws ApiException if the form or the file cannot be accepted
   * @throws StorageException if the storage fails
   */
  StoredFile receive(
      FileStore store, String tenant, @Nullable String contentType, InputStream body) {
    try (TenantShares.Share _ = places.tryTake(tenant, 1).orElseThrow(FileErrors::busy)) {
      return receiveNow(store, tenant, contentType, body);
    }
  }

  private StoredFile receiveNow(
      FileStore store, String tenant, @Nullable String contentType, InputStream body) {
    String id = store.newId();
    boolean isDone = false;
    try {
      FormReader form = new FormReader(body, Boundary.of(contentType));
      StoredFile file = new Upload(store, id, tenant, free(store, tenant)).receive(form);
      isDone = true;
      return file;
    } catch (FormException e) {
      throw FileErrors.invalid(String.valueOf(e.getMessage()), "file");
    } catch (IOException e) {
      if (isTooLong(e)) {
        throw FileErrors.tooLarge(config.files().maxBytes());
      }
      log.debug("event=upload_cut file={}", id, e);
      throw FileErrors.invalid("the upload was cut; send the file again", "file");
    } finally {
      if (!isDone) {
        remove(store, id, tenant);
      }
    }
  }

  /** The server ends bodies that are much longer than any file itself. */
  private static boolean isTooLong(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof ContentLengthExceededException) {
        return true;
      }
    }
    return false;
  }

  /** What cannot be removed now is removed by the sweeper. */
  private static void remove(FileStore store, String id, String tenant) {
    try {
      store.delete(id, tenant);
    } catch (StorageException e) {
      log.warn("event=upload_left file={} reason=\"{}\"", id, e.getMessage());
    }
  }

  /** Returns how many bytes the tenant may still store. Uploads at the same time do not count. */
  private long free(FileStore store, String tenant) {
    FileStore.Usage used = store.usage(tenant);
    if (used.files() >= config.files().tenantMaxFiles()) {
      throw FileErrors.tooMany(config.files().tenantMaxFiles());
    }
    long most = config.files().tenantMaxBytes();
    if (used.bytes() >= most) {
      throw FileErrors.storageFull(most);
    }
    return most - used.bytes();
  }

  private final class Upload {
    private final String id;
    private final String tenant;
    private final FileStore store;
    private final long free;
    private final FileFields fields = new FileFields();
    private @Nullable String filename;
    private List<Part> parts = List.of();

    Upload(FileStore store, String id, String tenant, long free) {
      this.store = store;
      this.id = id;
      this.tenant = tenant;
      this.free = free;
    }

    StoredFile receive(FormReader form) throws IOException {
      for (Optional<FormPart> part = form.next(); part.isPresent(); part = form.next()) {
        if (part.get().name().equals("file")) {
          content(part.get());
        } else {
          fields.add(part.get());
        }
      }
      if (filename == null) {
        throw FileErrors.invalid("file is missing", "file");
      }
      Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
      return store.finish(
          new StoredFile(id, tenant, filename, fields.purpose(), now, fields.expiry(now), parts));
    }

    private void content(FormPart file) throws IOException {
      if (filename != null) {
        throw FileErrors.invalid("there is more than one file", "file");
      }
      filename = FileFields.filename(file);
      PartWriter writer = new PartWriter(store, id, tenant);
      byte[] chunk = new byte[CHUNK_BYTES];
      for (int count = file.body().read(chunk); count >= 0; count = file.body().read(chunk)) {
        if (writer.written() + count > config.files().maxBytes()) {
          throw FileErrors.tooLarge(config.files().maxBytes());
        }
        if (writer.written() + count > free) {
          throw FileErrors.storageFull(config.files().tenantMaxBytes());
        }
        writer.write(chunk, 0, count);
      }
      parts = writer.finish();
    }
  }
}
