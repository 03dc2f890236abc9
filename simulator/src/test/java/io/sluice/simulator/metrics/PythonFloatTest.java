package io.sluice.simulator.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PythonFloatTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0.0",
    "1, 1.0",
    "0.025, 0.025",
    "504, 504.0",
    "999999, 999999.0",
    "1000000, 1e+06",
    "1234567.5, 1.2345675e+06",
    "1795224021.21818, 1.79522402121818e+09",
    "0.0001, 0.0001",
    "0.00001, 1e-05",
    "0.0000125, 1.25e-05",
    "Infinity, +Inf",
    "0.2399517483294539, 0.2399517483294539",
    "-3, -3.0"
  })
  void numbersAreFormattedAsInPython(double value, String text) {
    assertThat(PythonFloat.text(value)).isEqualTo(text);
  }
}
