package io.sluice.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class ReportFilesTest {
  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();

  @Command(name = "measure")
  private static final class Measurement implements Callable<Integer> {
    @Mixin private ReportFiles files = new ReportFiles();

    @Override
    public Integer call() throws IOException {
      var report = new Report().details(Map.of("seeds", 3));
      report
          .group("load 0.50")
          .add("TTFT p95, ms", "sluice", 30, 10, 20)
          .add("TTFT p95, ms", "a < b", List.of("1", "22"), text -> 40.0 * text.length())
          .add("goodput, %", "sluice", 99.5);
      report
          .group("load 1.20")
          .add("TTFT p95, ms", "sluice", Double.POSITIVE_INFINITY)
          .add("TTFT p95, ms", "not measured", Double.NaN);
      files.write(report);
      return 0;
    }
  }

  private int run(String... arguments) {
    return new CommandLine(new Measurement())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(out))
        .execute(arguments);
  }

  @Test
  void theMachineIsPrinted() {
    assertThat(run()).isZero();

    assertThat(out.toString())
        .contains(Runtime.getRuntime().availableProcessors() + " cores (")
        .contains("Java " + Runtime.version())
        .contains("load average ");
  }

  @Test
  void allRunsAreWrittenAsJson() throws IOException {
    Path json = folder.resolve("out.json");

    assertThat(run("--json=" + json)).isZero();

    JsonNode written = new ObjectMapper().readTree(json.toFile());
    assertThat(written.get("command").asText()).startsWith("measure --json=");
    assertThat(written.at("/machine/cores").asInt()).isPositive();
    assertThat(written.at("/details/seeds").asInt()).isEqualTo(3);
    assertThat(written.get("figures")).hasSize(4);
    JsonNode first = written.at("/figures/0");
    assertThat(first.get("condition").asText()).isEqualTo("load 0.50");
    assertThat(first.get("figure").asText()).isEqualTo("TTFT p95, ms");
    assertThat(first.get("of").asText()).isEqualTo("sluice");
    assertThat(first.get("runs")).hasToString("[30.0,10.0,20.0]");
    assertThat(first.get("median").asDouble()).isEqualTo(20);
    assertThat(first.get("least").asDouble()).isEqualTo(10);
    assertThat(first.get("most").asDouble()).isEqualTo(30);
    assertThat(written.at("/figures/1/median").asDouble()).isEqualTo(60);
    assertThat(written.at("/figures/3/median").asText()).isEqualTo("Infinity");
  }

  @Test
  void theChartHasABarForEachFigure() throws Exception {
    Path svg = folder.resolve("out.svg");

    assertThat(run("--svg=" + svg)).isZero();

    Document chart = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(svg.toFile());
    assertThat(texts(chart)).contains("load 0.50", "TTFT p95, ms", "a < b", "20.0", "60.0", "∞");
    List<Element> bars = elements(chart, "rect");
    assertThat(bars).hasSize(4);
    assertThat(width(bars.get(1))).isCloseTo(3 * width(bars.get(0)), within(0.2));
    assertThat(bars.get(3).getAttribute("class")).isEqualTo("unbounded");
    assertThat(elements(chart, "line")).as("spreads of several runs").hasSize(2);
  }

  @Test
  void aFileThatCannotBeWrittenIsToldBeforeTheMeasurement() {
    assertThat(run("--json=" + folder.resolve("none").resolve("out.json"))).isEqualTo(2);

    assertThat(out.toString()).contains("--json: ").contains("is not a file in a folder");
    assertThat(Files.exists(folder.resolve("none"))).isFalse();
  }

  private static double width(Element bar) {
    return Double.parseDouble(bar.getAttribute("width"));
  }

  private static List<String> texts(Document chart) {
    return elements(chart, "text").stream().map(Element::getTextContent).toList();
  }

  private static List<Element> elements(Document chart, String name) {
    NodeList all = chart.getElementsByTagName(name);
    return IntStream.range(0, all.getLength())
        .mapToObj(all::item)
        .map(Element.class::cast)
        .toList();
  }
}
