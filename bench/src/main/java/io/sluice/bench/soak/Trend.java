package io.sluice.bench.soak;

import java.util.ArrayList;
import java.util.List;

/**
 * How a figure develops: its first and last values, and the slope of the line with the least
 * squared errors. Not thread-safe.
 */
final class Trend {
  private record Point(double minutes, double value) {}

  private final List<Point> points = new ArrayList<>();

  void add(double minutes, double value) {
    points.add(new Point(minutes, value));
  }

  /** Returns the first value; 0 without values. */
  double first() {
    return points.isEmpty() ? 0 : points.getFirst().value();
  }

  /** Returns the last value; 0 without values. */
  double last() {
    return points.isEmpty() ? 0 : points.getLast().value();
  }

  /** Returns by how much it grows in a minute; 0 with fewer than two values. */
  double perMinute() {
    double meanMinutes = points.stream().mapToDouble(Point::minutes).average().orElse(0);
    double meanValue = points.stream().mapToDouble(Point::value).average().orElse(0);
    double spread = 0;
    double together = 0;
    for (Point point : points) {
      double distance = point.minutes() - meanMinutes;
      spread += distance * distance;
      together += distance * (point.value() - meanValue);
    }
    return spread == 0 ? 0 : together / spread;
  }
}
