package io.sluice.gateway.files.api;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.files.StorageException;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The errors of the Files API. */
final class FileErrors {
  private static final Logger log = LoggerFactory.getLogger(FileErrors.class);

  private FileErrors() {}

  /** The gateway has no place for files. */
  static ApiException notEnabled() {
    return new ApiException(
        ApiError.ofStatus(
            404, "files_not_enabled", "this gateway stores no files: start it with --files"));
  }

  static ApiException notFound(String id) {
    return new ApiException(
        ApiError.ofStatus(404, "file_not_found", "No such File object: " + id).onParam("id"));
  }

  static ApiException invalid(String message, String param) {
    return new ApiException(ErrorKind.INVALID_REQUEST, message, param);
  }

  static ApiException tooLarge(long mostBytes) {
    return new ApiException(
        ApiError.ofStatus(
                413, "file_too_large", "the file has more than %d bytes".formatted(mostBytes))
            .onParam("file"));
  }

  static ApiException storageFull(long mostBytes) {
    return new ApiException(
        ApiError.ofStatus(
                413,
                "file_storage_full",
                "the files of a tenant have at most %d bytes together: delete some"
                    .formatted(mostBytes))
            .onParam("file"));
  }

  static ApiException tooMany(int most) {
    return new ApiException(
        ApiError.ofStatus(
                413, "too_many_files", "a tenant has at most %d files: delete some".formatted(most))
            .onParam("file"));
  }

  static ApiException busy() {
    return new ApiException(
        ApiError.overloaded(
            "this gateway sends or receives too many files at the moment; try again"));
  }

  /** Tells the log why; the caller cannot do anything about it. */
  static ApiException storageFailed(StorageException e) {
    log.error("event=file_storage_failed reason=\"{}\"", e.getMessage(), e);
    return new ApiException(
        ErrorKind.UNAVAILABLE, "the storage of files failed; the gateway's log says why");
  }
}
