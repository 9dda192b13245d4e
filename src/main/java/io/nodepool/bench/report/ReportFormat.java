package io.nodepool.bench.report;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Locale;

/** The format of figures in reports. */
final class ReportFormat {
  private ReportFormat() {}

  static String line(String what, double value, String unit) {
    return String.format(Locale.ROOT, "%-40s %10.2f %s", what, value, unit).stripTrailing();
  }

  static String line(String what, long value, String unit) {
    return String.format(Locale.ROOT, "%-40s %10d %s", what, value, unit).stripTrailing();
  }

  /** A row of a table with four figures. */
  static String row(Object kind, Object a, Object b, Object c, Object all) {
    return String.format(Locale.ROOT, "%-30s %12s %12s %12s %12s", kind, a, b, c, all)
        .stripTrailing();
  }

  static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }

  /** A figure without insignificant digits; 0 if it is not a finite number. */
  static double rounded(double value, int digits) {
    return Double.isFinite(value)
        ? new BigDecimal(value).setScale(digits, RoundingMode.HALF_UP).doubleValue()
        : 0;
  }
}
