package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.MultipartField;
import com.openai.core.http.HttpResponse;
import com.openai.errors.NotFoundException;
import com.openai.errors.OpenAIServiceException;
import com.openai.models.files.FileCreateParams;
import com.openai.models.files.FileListParams;
import com.openai.models.files.FileObject;
import com.openai.models.files.FilePurpose;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Sha256;
import io.sluice.gateway.app.Gateway;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** OpenAI's own client against the Files API of two gateways that share a folder. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class GatewayFilesIT {
  private static final int MOST_BYTES = 20_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir private static Path folder;

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<OpenAIClient> clients = new ArrayList<>();
  private LocalPool pool;
  private Gateway gateway;
  private Gateway second;
  private OpenAIClient client;
  private OpenAIClient colleague;
  private OpenAIClient stranger;

  @BeforeAll
  void start(Backends backends) throws Exception {
    pool = Pools.start(backends, 1);
    Map<String, String> settings =
        Map.of(
            "files",
            "folder:" + folder,
            "file-max-bytes",
            Integer.toString(MOST_BYTES),
            "receive-timeout-seconds",
            "2");
    gateway = Pools.gateway(pool, settings);
    second = Pools.gateway(pool, settings);
    client = client(gateway.port(), "acme");
    colleague = client(second.port(), "acme");
    stranger = client(gateway.port(), "stranger");
  }

  @AfterAll
  void stop() {
    clients.forEach(OpenAIClient::close);
    second.close();
    gateway.close();
    pool.close();
  }

  @Test
  void aFileIsTheSameForAnotherGateway() throws Exception {
    // Given
    byte[] bytes = new byte[9_000_001];
    new Random(1).nextBytes(bytes);

    // When
    FileObject file = create(client, "räksmörgås.jsonl", FilePurpose.BATCH, bytes);

    // Then
    assertThat(file.validate().id()).startsWith("file-");
    assertThat(file.bytes()).isEqualTo(bytes.length);
    assertThat(file.filename()).isEqualTo("räksmörgås.jsonl");
    assertThat(file.purpose()).isEqualTo(FileObject.Purpose.BATCH);
    assertThat(file.expiresAt()).contains(file.createdAt() + Duration.ofDays(30).toSeconds());
    assertThat(colleague.files().retrieve(file.id())).isEqualTo(file);
    assertThat(content(colleague, file.id())).isEqualTo(bytes);
  }

  @Test
  void aDeletedFileIsGoneEverywhere() {
    // Given
    FileObject file = create(client, "a.txt", FilePurpose.USER_DATA, new byte[] {1});

    // When
    assertThat(client.files().delete(file.id()).deleted()).isTrue();

    // Then
    assertThatThrownBy(() -> colleague.files().retrieve(file.id()))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("No such File object");
    assertThatThrownBy(() -> colleague.files().content(file.id()))
        .isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> colleague.files().delete(file.id()))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void aTenantSeesItsOwnFilesOnly() {
    // Given
    FileObject file = create(client, "a.txt", FilePurpose.USER_DATA, new byte[] {1});

    // Then
    assertThatThrownBy(() -> stranger.files().retrieve(file.id()))
        .isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> stranger.files().content(file.id()))
        .isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> stranger.files().delete(file.id()))
        .isInstanceOf(NotFoundException.class);
    assertThat(stranger.files().list().items()).isEmpty();
    assertThat(client.files().retrieve(file.id())).isEqualTo(file);
  }

  @Test
  void filesAreListedPageByPage() throws Exception {
    // Given
    OpenAIClient lister = client(second.port(), "lister");
    List<FileObject> files =
        Stream.of("1", "2", "3", "4", "5")
            .map(
                name ->
                    create(
                        lister,
                        name,
                        FilePurpose.ASSISTANTS,
                        name.getBytes(StandardCharsets.UTF_8)))
            .toList();
    FileObject batch = create(lister, "b", FilePurpose.BATCH, new byte[] {1});

    // When
    List<FileObject> read =
        lister
            .files()
            .list(
                FileListParams.builder()
                    .limit(2)
                    .purpose("assistants")
                    .order(FileListParams.Order.ASC)
                    .build())
            .autoPager()
            .stream()
            .toList();

    // Then
    assertThat(read).hasSameElementsAs(files);
    assertThat(lister.files().list().items()).hasSize(6).contains(batch);
    assertThat(get("/v1/files?limit=0").statusCode()).isEqualTo(400);
    assertThat(get("/v1/files?limit=x").statusCode()).isEqualTo(400);
    assertThat(get("/v1/files?order=up").statusCode()).isEqualTo(400);
  }

  @Test
  void anUploadThatIsTooLargeIsRefusedAndLeavesNothing() throws Exception {
    // Given
    OpenAIClient greedy = client(gateway.port(), "greedy");
    for (int size : new int[] {MOST_BYTES + 1, MOST_BYTES + 3_000_000}) {
      // Then
      assertThatThrownBy(() -> create(greedy, "big", FilePurpose.BATCH, new byte[size]))
          .isInstanceOfSatisfying(
              OpenAIServiceException.class, e -> assertThat(e.statusCode()).isEqualTo(413));
    }
    assertThat(
            post("x".repeat(MOST_BYTES + 3_000_000), "multipart/form-data; boundary=b")
                .statusCode())
        .isEqualTo(413);
    assertThat(greedy.files().list().items()).isEmpty();
    assertThat(parts("greedy")).isZero();
  }

  @Test
  void otherBodiesHaveTheirOwnLimit() throws Exception {
    // Given: the other gateways give a body two seconds, which is little for 40 MB on a busy
    // machine
    Map<String, String> settings =
        Map.of("files", "folder:" + folder, "file-max-bytes", Integer.toString(MOST_BYTES));
    try (Gateway patient = Pools.gateway(pool, settings)) {
      for (int size : new int[] {9_000_000, 40_000_000}) {
        assertIsTooLarge(size, patient.port());
      }
    }
  }

  private void assertIsTooLarge(int size, int port) throws Exception {
    // When
    java.net.http.HttpResponse<String> response =
        http.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/chat/completions"))
                .header("content-type", "application/json")
                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[size])))
                .build(),
            BodyHandlers.ofString());

    // Then
    assertThat(response.statusCode()).as(response.body()).isEqualTo(413);
  }

  @Test
  void aFormWithoutAPurposeIsABadRequest() throws Exception {
    String form =
        "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\nx\r\n--b--\r\n";
    java.net.http.HttpResponse<String> response = post(form, "multipart/form-data; boundary=b");

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(Json.mapper().readTree(response.body()).at("/error/param").asText())
        .isEqualTo("purpose");
    assertThat(post("{}", "application/json").statusCode()).isEqualTo(400);
  }

  @Test
  void aStalledUploadIsCutAndLeavesNothing() throws Exception {
    String head =
        "POST /v1/files HTTP/1.1\r\nhost: localhost\r\nx-sluice-tenant: slow\r\n"
            + "content-type: multipart/form-data; boundary=b\r\ncontent-length: 10000000\r\n\r\n"
            + "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n";
    try (Socket socket = new Socket("127.0.0.1", gateway.port())) {
      // Given an upload that makes progress for longer than other bodies may take
      OutputStream out = socket.getOutputStream();
      out.write(head.getBytes(StandardCharsets.UTF_8));
      for (int i = 0; i < 6; i++) {
        out.write(new byte[900_000]);
        Thread.sleep(500);
      }
      await().atMost(PATIENCE).until(() -> parts("slow") > 0);

      // When it stalls
      assertThat(ended(socket)).isTrue();
    }

    // Then
    await().atMost(PATIENCE).until(() -> parts("slow") == 0);
  }

  @Test
  void aClientThatReadsSlowlyGetsAllBytes() throws Exception {
    // Given
    byte[] bytes = new byte[12_000_000];
    new Random(2).nextBytes(bytes);
    FileObject file = create(client, "slow", FilePurpose.BATCH, bytes);

    // When
    java.net.http.HttpResponse<InputStream> response =
        http.send(
            HttpRequest.newBuilder(uri("/v1/files/" + file.id() + "/content"))
                .header("x-sluice-tenant", "acme")
                .build(),
            BodyHandlers.ofInputStream());
    try (InputStream body = response.body()) {
      byte[] first = body.readNBytes(1_000_000);
      Thread.sleep(1_000);
      byte[] rest = body.readAllBytes();

      // Then
      assertThat(first.length + rest.length).isEqualTo(bytes.length);
      assertThat(response.headers().firstValueAsLong("content-length")).hasValue(bytes.length);
      assertThat(response.headers().firstValue("content-type"))
          .contains("application/octet-stream");
    }
  }

  @Test
  void aGatewayWithoutAPlaceForFilesSaysSo() throws Exception {
    try (Gateway none = Pools.gateway(pool)) {
      OpenAIClient its = client(none.port(), "acme");
      assertThatThrownBy(() -> its.files().list())
          .isInstanceOf(NotFoundException.class)
          .hasMessageContaining("--files");
    }
  }

  @Test
  void aLocalPoolHasAPlaceForFiles() throws Exception {
    OpenAIClient its = client(pool.gatewayPort(), "acme");
    FileObject file = create(its, "x", FilePurpose.USER_DATA, new byte[] {7});
    assertThat(content(its, file.id())).containsExactly(7);
  }

  @ParameterizedTest
  @ValueSource(strings = {"..%2f..%2fetc%2fpasswd", "%2e%2e", "file-..%2f..%2fmeta", "file-%00"})
  void anIdThatIsAPathIsAnUnknownFile(String id) throws Exception {
    for (String rest : List.of("", "/content")) {
      assertThat(get("/v1/files/" + id + rest).statusCode()).as(rest).isIn(400, 404);
    }
    HttpRequest delete = HttpRequest.newBuilder(uri("/v1/files/" + id)).DELETE().build();
    assertThat(http.send(delete, BodyHandlers.ofString()).statusCode()).isIn(400, 404);
  }

  private OpenAIClient client(int port, String tenant) {
    OpenAIClient made =
        OpenAIOkHttpClient.builder()
            .baseUrl("http://127.0.0.1:" + port + "/v1")
            .apiKey("none")
            .maxRetries(0)
            .putHeader("x-sluice-tenant", tenant)
            .build();
    clients.add(made);
    return made;
  }

  private static FileObject create(
      OpenAIClient client, String name, FilePurpose purpose, byte[] bytes) {
    return client
        .files()
        .create(
            FileCreateParams.builder()
                .purpose(purpose)
                .file(
                    MultipartField.<InputStream>builder()
                        .value(new ByteArrayInputStream(bytes))
                        .filename(name)
                        .build())
                .build());
  }

  private static byte[] content(OpenAIClient client, String id) throws IOException {
    try (HttpResponse response = client.files().content(id)) {
      return response.body().readAllBytes();
    }
  }

  private java.net.http.HttpResponse<String> get(String path) throws Exception {
    return http.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
  }

  private java.net.http.HttpResponse<String> post(String form, String type) throws Exception {
    return http.send(
        HttpRequest.newBuilder(uri("/v1/files"))
            .header("content-type", type)
            .POST(BodyPublishers.ofString(form))
            .build(),
        BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + gateway.port() + path);
  }

  /** Returns whether the server has closed a connection. */
  private static boolean ended(Socket socket) throws IOException {
    socket.setSoTimeout((int) PATIENCE.toMillis());
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  private static long parts(String tenant) throws IOException {
    Path files = folder.resolve("files").resolve(HexFormat.of().formatHex(Sha256.of(tenant)));
    if (!Files.exists(files)) {
      return 0;
    }
    try (Stream<Path> all = Files.walk(files)) {
      return all.filter(Files::isRegularFile).count();
    }
  }
}
