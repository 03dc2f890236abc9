package io.sluice.gateway.files;

import io.sluice.gateway.config.FileStorage;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Values as objects of a bucket. S3 shows whole objects only and every call sees all earlier ones.
 * Thread-safe.
 */
public final class S3Store implements ObjectStore {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(20);

  /** With its retries. */
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(45);

  /** The most that S3 allows. */
  private static final int PAGE_KEYS = 1_000;

  private final S3Client client;
  private final int pageKeys;
  private final String bucket;
  private final String prefix;

  private S3Store(S3Client client, FileStorage.S3 place, int pageKeys) {
    this.client = client;
    this.pageKeys = pageKeys;
    this.bucket = place.bucket();
    this.prefix = place.prefix();
  }

  /**
   * Returns the storage, without asking the server. The credentials come from the environment.
   *
   * @param endpoint the server, if it is not Amazon's
   * @param region of the bucket; empty for that of the environment
   * @throws StorageException if the region is not known
   */
  public static S3Store open(
      FileStorage.S3 place, Optional<URI> endpoint, Optional<String> region) {
    return open(place, endpoint, region, PAGE_KEYS);
  }

  /**
   * @param pageKeys how many keys the server lists at a time
   */
  static S3Store open(
      FileStorage.S3 place, Optional<URI> endpoint, Optional<String> region, int pageKeys) {
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClientBuilder(
                UrlConnectionHttpClient.builder()
                    .connectionTimeout(CONNECT_TIMEOUT)
                    .socketTimeout(ATTEMPT_TIMEOUT))
            .overrideConfiguration(
                config ->
                    config
                        .retryStrategy(RetryMode.STANDARD)
                        .apiCallAttemptTimeout(ATTEMPT_TIMEOUT)
                        .apiCallTimeout(CALL_TIMEOUT))
            // Java's HTTP client waits 5 s for servers that do not know it.
            .serviceConfiguration(config -> config.expectContinueEnabled(false));
    region.map(Region::of).ifPresent(builder::region);
    endpoint.ifPresent(
        server -> {
          builder.endpointOverride(server).forcePathStyle(true);
          // Not all servers know the newer checksums.
          builder.requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED);
          builder.responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
          if (region.isEmpty()) {
            builder.region(Region.US_EAST_1);
          }
        });
    try {
      return new S3Store(builder.build(), place, pageKeys);
    } catch (SdkException e) {
      throw new StorageException("cannot use s3://" + place.bucket() + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void put(String key, byte[] value) {
    String name = prefix + ObjectKey.checked(key);
    tried(
        "write",
        name,
        () ->
            client.putObject(
                request -> request.bucket(bucket).key(name), RequestBody.fromBytes(value)));
  }

  @Override
  public Optional<byte[]> get(String key) {
    String name = prefix + ObjectKey.checked(key);
    return tried(
        "read",
        name,
        () -> {
          try {
            return Optional.of(
                client
                    .getObjectAsBytes(request -> request.bucket(bucket).key(name))
                    .asByteArrayUnsafe());
          } catch (NoSuchKeyException e) {
            return Optional.empty();
          }
        });
  }

  @Override
  public void visit(String prefix, Visitor visitor) {
    String names = this.prefix + ObjectKey.checkedPrefix(prefix);
    var _ =
        tried(
            "list",
            names,
            () -> {
              for (S3Object object :
                  client
                      .listObjectsV2Paginator(
                          request -> request.bucket(bucket).prefix(names).maxKeys(pageKeys))
                      .contents()) {
                visitor.visit(object.key().substring(this.prefix.length()), object.size());
              }
              return names;
            });
  }

  @Override
  public void delete(String key) {
    String name = prefix + ObjectKey.checked(key);
    tried("delete", name, () -> client.deleteObject(request -> request.bucket(bucket).key(name)));
  }

  @Override
  public void close() {
    client.close();
  }

  private <T> T tried(String what, String name, Supplier<T> call) {
    try {
      return call.get();
    } catch (SdkException e) {
      throw new StorageException(
          "cannot %s s3://%s/%s: %s".formatted(what, bucket, name, e.getMessage()), e);
    }
  }
}
