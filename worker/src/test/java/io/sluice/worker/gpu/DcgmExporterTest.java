package io.sluice.worker.gpu;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DcgmExporterTest {
  private static final String L4 = "GPU-c2f76b33-7953-256e-8f33-1343419b1a1c";

  private final CountDownLatch isOver = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private HttpServer server;
  private DcgmExporter exporter;
  private volatile int status = 200;
  private volatile String page = "";
  private volatile boolean isStuck;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/metrics",
        exchange -> {
          byte[] body = page.getBytes(UTF_8);
          exchange.sendResponseHeaders(status, body.length + (isStuck ? 1 : 0));
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
            out.flush();
            if (isStuck) {
              isOver.await();
            }
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    server.start();
    exporter = new DcgmExporter(url(), Duration.ofSeconds(10));
  }

  @AfterEach
  void stop() {
    isOver.countDown();
    exporter.close();
    server.stop(0);
    threads.shutdownNow();
  }

  private URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/metrics");
  }

  @Test
  void aPageWithTheDefaultCountersTellsTemperatures() throws Exception {
    page =
        """
        # HELP DCGM_FI_DEV_MEMORY_TEMP Memory temperature (in C).
        # TYPE DCGM_FI_DEV_MEMORY_TEMP gauge
        DCGM_FI_DEV_MEMORY_TEMP{gpu="0",UUID="%1$s",pci_bus_id="00000000:31:00.0",device="nvidia0",modelName="NVIDIA L4",Hostname="n"} 0
        # HELP DCGM_FI_DEV_GPU_TEMP GPU temperature (in C).
        # TYPE DCGM_FI_DEV_GPU_TEMP gauge
        DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="%1$s",pci_bus_id="00000000:31:00.0",device="nvidia0",modelName="NVIDIA L4",Hostname="n",DCGM_FI_DRIVER_VERSION="580.105.08"} 31
        DCGM_FI_DEV_GPU_TEMP{gpu="1",UUID="GPU-2",device="nvidia1",modelName="NVIDIA L4",Hostname="n",container="vllm",namespace="sluice",pod="worker-0"} 88
        """
            .formatted(L4);

    assertThat(exporter.read())
        .containsExactly(
            new Gpu("0", L4, Set.of(), OptionalDouble.of(31), OptionalLong.empty()),
            new Gpu("1", "GPU-2", Set.of("worker-0"), OptionalDouble.of(88), OptionalLong.empty()));
  }

  @Test
  void clockReasonsAreReadUnderBothNames() throws Exception {
    page =
        """
        DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="%1$s"} 70
        DCGM_FI_DEV_CLOCKS_EVENT_REASONS{gpu="0",UUID="%1$s"} 32
        """
            .formatted(L4);
    assertThat(exporter.read().getFirst().slowdowns()).containsExactly(Slowdown.SOFTWARE_THERMAL);

    page =
        """
        DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="%1$s"} 70
        DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{gpu="0",UUID="%1$s"} 128
        """
            .formatted(L4);
    assertThat(exporter.read().getFirst().slowdowns()).containsExactly(Slowdown.POWER_BRAKE);
  }

  @Test
  void theInstancesOfAGpuAreOneGpu() throws Exception {
    page =
        """
        DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="%1$s",GPU_I_PROFILE="1g.10gb",GPU_I_ID="7",pod="a"} 70
        DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="%1$s",GPU_I_PROFILE="1g.10gb",GPU_I_ID="8",pod="b"} 71
        """
            .formatted(L4);

    assertThat(exporter.read())
        .containsExactly(
            new Gpu("0", L4, Set.of("a", "b"), OptionalDouble.of(71), OptionalLong.empty()));
  }

  @Test
  void aPageOfAnotherServiceIsTold() {
    page = "up 1\n";

    assertThatThrownBy(() -> exporter.read())
        .isInstanceOf(GpuReadingException.class)
        .hasMessage(
            url() + " has no metric DCGM_FI_DEV_GPU_TEMP; is it the page of a DCGM exporter?");
  }

  @Test
  void anErrorIsTold() {
    status = 404;

    assertThatThrownBy(() -> exporter.read()).hasMessage(url() + " answered with status 404");
  }

  @Test
  void anExporterThatIsAwayIsTold() {
    server.stop(0);

    assertThatThrownBy(() -> exporter.read())
        .isInstanceOf(GpuReadingException.class)
        .hasMessageStartingWith(url() + " does not answer");
  }

  @Test
  void anAnswerThatDoesNotEndIsGivenUp() {
    isStuck = true;
    exporter.close();
    exporter = new DcgmExporter(url(), Duration.ofMillis(500));

    assertThatThrownBy(() -> exporter.read()).hasMessage(url() + " did not answer within 500 ms");
  }

  @Test
  void aPageWithoutEndIsGivenUp() {
    page = "# nothing\n".repeat(1_000_000);

    assertThatThrownBy(() -> exporter.read())
        .isInstanceOf(GpuReadingException.class)
        .hasMessageStartingWith(url() + " does not answer");
  }
}
