package io.sluice.simulator.metrics;

import java.math.BigDecimal;

/** Formats numbers as prometheus_client does: Python's repr, with exponents from one million on. */
final class PythonFloat {

  private PythonFloat() {}

  static String text(double value) {
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (value == Math.rint(value) && Math.abs(value) < 1e6) {
      return (long) value + ".0";
    }
    if (value != 0 && Math.abs(value) < 1e-4) {
      return small(value);
    }
    String plain = new BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString();
    int dot = plain.indexOf('.');
    if (dot < 0) {
      dot = plain.length();
      plain += ".0";
    }
    return value > 0 && dot > 6 ? large(plain, dot) : plain;
  }

  private static String large(String plain, int dot) {
    String digits = plain.charAt(0) + "." + plain.substring(1, dot) + plain.substring(dot + 1);
    int end = digits.length();
    while (digits.charAt(end - 1) == '0' || digits.charAt(end - 1) == '.') {
      end--;
    }
    return digits.substring(0, end) + "e+" + (dot - 1 < 10 ? "0" : "") + (dot - 1);
  }

  private static String small(double value) {
    String java = Double.toString(value);
    int at = java.indexOf('E');
    String mantissa = java.substring(0, at);
    int exponent = Integer.parseInt(java.substring(at + 2));
    if (mantissa.endsWith(".0")) {
      mantissa = mantissa.substring(0, mantissa.length() - 2);
    }
    return mantissa + "e-" + (exponent < 10 ? "0" : "") + exponent;
  }
}
