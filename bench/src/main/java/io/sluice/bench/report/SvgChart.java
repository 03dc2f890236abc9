package io.sluice.bench.report;

import java.io.StringWriter;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Draws a report: a panel with horizontal bars for each figure, two panels side by side. A bar is
 * the median, and a line across its end goes from the least to the most of the runs. Charting
 * libraries for Java draw with AWT, which needs fonts that servers do not have; an SVG uses those
 * of its reader. Not thread-safe.
 */
final class SvgChart {
  private static final int WIDTH = 1_000;
  private static final int MARGIN = 20;
  private static final int PANELS_PER_ROW = 2;
  private static final int PANEL = (WIDTH - MARGIN) / PANELS_PER_ROW;
  private static final int LINE = 20;

  /** From the top of a line to the foot of its text. */
  private static final int BASELINE = 14;

  private static final int BAR_HEIGHT = 12;
  private static final int BAR_TOP = (LINE - BAR_HEIGHT) / 2;
  private static final int NAMES = 170;
  private static final int VALUES = 70;
  private static final int BARS = PANEL - NAMES - VALUES - MARGIN;
  private static final int GAP = 6;

  private static final String STYLE =
      """
      text { font: 12px system-ui, sans-serif; fill: #222 }
      .title { font-size: 15px; font-weight: 600 }
      .condition { font-size: 14px; font-weight: 600 }
      .figure { font-weight: 600 }
      .of { text-anchor: end }
      .machine { font-size: 10px; fill: #666 }
      .bar { fill: #4c78a8 }
      .unbounded { fill: #ddd }
      .spread { stroke: #222; stroke-width: 1.5 }
      """;

  private final XMLStreamWriter xml;
  private int top = MARGIN;

  private SvgChart(XMLStreamWriter xml) {
    this.xml = xml;
  }

  /**
   * Returns the SVG document.
   *
   * @param title above the chart
   * @param subtitle a line below the title
   * @param machine a line below the chart
   */
  static String of(String title, String subtitle, Report report, String machine) {
    var shapes = new StringWriter();
    try {
      XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(shapes);
      var chart = new SvgChart(xml);
      chart.draw(title, subtitle, report, machine);
      xml.close();
      return """
          <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s">
          <style>
          %s</style>
          %s
          </svg>
          """
          .formatted(WIDTH, chart.top + MARGIN, STYLE, shapes);
    } catch (XMLStreamException e) {
      throw new IllegalStateException("Text in memory can always be written.", e);
    }
  }

  private void draw(String title, String subtitle, Report report, String machine)
      throws XMLStreamException {
    line("title", title);
    line("machine", subtitle);
    for (Map.Entry<String, Report.Group> group : report.groups().entrySet()) {
      top += LINE;
      if (!group.getKey().isEmpty()) {
        line("condition", group.getKey());
      }
      Iterator<Map.Entry<String, Map<String, Runs>>> figures =
          group.getValue().figures().entrySet().iterator();
      while (figures.hasNext()) {
        int tallest = 0;
        for (int i = 0; i < PANELS_PER_ROW && figures.hasNext(); i++) {
          Map.Entry<String, Map<String, Runs>> figure = figures.next();
          panel(MARGIN + i * PANEL, figure.getKey(), figure.getValue());
          tallest = Math.max(tallest, figure.getValue().size());
        }
        top += (tallest + 2) * LINE;
      }
    }
    line("machine", machine);
  }

  private void line(String kind, String content) throws XMLStreamException {
    text(kind, MARGIN, top, content);
    top += LINE;
  }

  private void panel(int left, String figure, Map<String, Runs> bars) throws XMLStreamException {
    text("figure", left + NAMES + GAP, top, figure);
    double most =
        bars.values().stream().mapToDouble(Runs::most).filter(Double::isFinite).max().orElse(0);
    int y = top;
    for (Map.Entry<String, Runs> bar : bars.entrySet()) {
      y += LINE;
      text("of", left + NAMES, y, bar.getKey());
      bar(left + NAMES + GAP, y, bar.getValue(), most);
    }
  }

  private void bar(int left, int y, Runs runs, double most) throws XMLStreamException {
    double median = runs.median();
    double end = width(median, most);
    xml.writeEmptyElement("rect");
    attributes("class", Double.isFinite(median) ? "bar" : "unbounded");
    attributes("x", left, "y", y + BAR_TOP, "width", end, "height", BAR_HEIGHT);
    if (runs.least() < runs.most()) {
      double middle = y + LINE / 2.0;
      xml.writeEmptyElement("line");
      attributes("class", "spread", "x1", left + width(runs.least(), most), "y1", middle);
      attributes("x2", left + width(runs.most(), most), "y2", middle);
    }
    text("value", left + Math.max(end, width(runs.most(), most)) + GAP, y, shown(median));
  }

  /** Returns the width of a bar; an infinite value takes the whole width. */
  private static double width(double value, double most) {
    if (!Double.isFinite(value)) {
      return BARS;
    }
    return most <= 0 ? 0 : Math.max(0, value) / most * BARS;
  }

  private void text(String kind, double x, double y, String content) throws XMLStreamException {
    xml.writeStartElement("text");
    attributes("class", kind, "x", x, "y", y + BASELINE);
    xml.writeCharacters(content);
    xml.writeEndElement();
  }

  /** Writes names and values in turn. */
  private void attributes(Object... namesAndValues) throws XMLStreamException {
    for (int i = 0; i < namesAndValues.length; i += 2) {
      Object value = namesAndValues[i + 1];
      xml.writeAttribute(
          String.valueOf(namesAndValues[i]),
          value instanceof Double number
              ? String.format(Locale.ROOT, "%.1f", number)
              : String.valueOf(value));
    }
  }

  /** With three digits, or all before the point. */
  private static String shown(double value) {
    if (!Double.isFinite(value)) {
      return "\u221e";
    }
    double size = Math.abs(value);
    int decimals = size == 0 || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
