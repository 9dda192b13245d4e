package io.nodepool.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
  @ParameterizedTest
  @CsvSource({
    "90s,PT1M30S",
    "1h30m,PT1H30M",
    "1.5h,PT1H30M",
    "250ms,PT0.25S",
    "0s,PT0S",
    "1m0.5s,PT1M0.5S"
  })
  void durationsInGosFormatAreRead(String text, Duration meant) {
    assertThat(DurationText.parse(text)).contains(meant);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "s", "-5s", "5 s", "5d", "5s!", "1,5h", "5sx3m", ".5s"})
  void otherTextsAreInvalid(String text) {
    assertThat(DurationText.parse(text)).isEmpty();
  }

  @Test
  void aDurationOutOfRangeIsInvalid() {
    assertThat(DurationText.parse("99999999999999999999h")).isEmpty();
  }
}
