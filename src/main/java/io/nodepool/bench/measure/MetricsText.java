package io.nodepool.bench.measure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Metrics in Prometheus' text format. Pure. */
public record MetricsText(String text) {
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"");

  /** One line: the labels and the value of a metric. */
  public record Sample(Map<String, String> labels, double value) {
    /** A label's value; an empty text if the sample does not have the label. */
    public String label(String name) {
      return labels.getOrDefault(name, "");
    }
  }

  /** The samples of one metric. */
  public Stream<Sample> samples(String metric) {
    return text.lines().filter(line -> isOf(metric, line)).map(line -> sample(metric, line));
  }

  /** The sum of a metric's samples with this value of a label; 0 if there are none. */
  public double sum(String metric, String label, String value) {
    return samples(metric)
        .filter(sample -> sample.label(label).equals(value))
        .mapToDouble(Sample::value)
        .sum();
  }

  /** The sum of a metric's samples; 0 if there are none. */
  public double sum(String metric) {
    return samples(metric).mapToDouble(Sample::value).sum();
  }

  private static boolean isOf(String metric, String line) {
    return line.startsWith(metric)
        && line.length() > metric.length()
        && (line.charAt(metric.length()) == '{' || line.charAt(metric.length()) == ' ');
  }

  private static Sample sample(String metric, String line) {
    int end = line.lastIndexOf('}');
    Map<String, String> labels = new LinkedHashMap<>();
    if (end > 0) {
      Matcher label = LABEL.matcher(line.substring(metric.length() + 1, end));
      while (label.find()) {
        labels.put(label.group(1), label.group(2).replaceAll("\\\\(.)", "$1"));
      }
    }
    String rest = line.substring(Math.max(end + 1, metric.length())).strip();
    return new Sample(labels, Double.parseDouble(rest.split(" ", 2)[0]));
  }
}
