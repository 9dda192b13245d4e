package io.nodepool.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MetricsTextTest {
  private static final MetricsText TEXT =
      new MetricsText(
          """
          # HELP a_total Something.
          # TYPE a_total counter
          a_total{verb="GET",path="a\\"b{c}"} 3
          a_total{verb="PATCH",path=""} 1.5e+02 1700000000000
          a_total_more{verb="GET"} 7
          plain 4.0
          """);

  @Test
  void samplesHaveTheirLabelsAndValues() {
    assertThat(TEXT.samples("a_total").toList())
        .extracting(sample -> sample.label("verb"), MetricsText.Sample::value)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("GET", 3.0),
            org.assertj.core.groups.Tuple.tuple("PATCH", 150.0));
    assertThat(TEXT.samples("a_total").findFirst().orElseThrow().label("path"))
        .isEqualTo("a\"b{c}");
  }

  @Test
  void aMissingLabelIsEmpty() {
    assertThat(TEXT.samples("plain").findFirst().orElseThrow().label("verb")).isEmpty();
  }

  @Test
  void samplesAreAddedUp() {
    assertThat(TEXT.sum("a_total")).isEqualTo(153);
    assertThat(TEXT.sum("a_total", "verb", "GET")).isEqualTo(3);
    assertThat(TEXT.sum("plain")).isEqualTo(4);
    assertThat(TEXT.sum("absent")).isZero();
  }
}
