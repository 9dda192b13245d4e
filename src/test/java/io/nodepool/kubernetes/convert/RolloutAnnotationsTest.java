package io.nodepool.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutSettings.Limit;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RolloutAnnotationsTest {
  private static final String PREFIX = "nodepool.io/rollout-";

  @Test
  void withoutAnnotationsTheSettingsAreTheDefaultOnes() {
    assertThat(
            RolloutAnnotations.read(
                Map.of("example.com/rollout-x", "1", "nodepool.io/rollout", "start")))
        .isEqualTo(RolloutSettings.DEFAULTS);
  }

  @Test
  void everySettingIsRead() {
    assertThat(
            RolloutAnnotations.read(
                Map.of(
                    PREFIX + "max-unavailable", "5",
                    PREFIX + "canary", "2",
                    PREFIX + "soak", "1h30m",
                    PREFIX + "evict", "true")))
        .isEqualTo(
            RolloutSettings.DEFAULTS
                .withMaxUnavailable(new Limit(5, 0))
                .withCanary(2, Duration.ofMinutes(90))
                .withEvict(true));
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 0", "999999, 999999, 0", "1%, 0, 1", "100%, 0, 100"})
  void aLimitIsACountOrAPercentage(String text, int count, int percent) {
    assertThat(RolloutAnnotations.read(Map.of(PREFIX + "max-unavailable", text)).maxUnavailable())
        .isEqualTo(new Limit(count, percent));
  }

  @Test
  void zeroAndFalseSwitchASettingOff() {
    assertThat(
            RolloutAnnotations.read(
                Map.of(PREFIX + "canary", "0", PREFIX + "soak", "0s", PREFIX + "evict", "false")))
        .isEqualTo(RolloutSettings.DEFAULTS);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "max-unavailable | 0 | \"0\" is not a number of Nodes above zero or a percentage from 1% to 100%; examples: 5, 10%",
        "max-unavailable | 0% | \"0%\" is not a number of Nodes above zero or a percentage from 1% to 100%; examples: 5, 10%",
        "max-unavailable | 101% | \"101%\" is not a number of Nodes above zero or a percentage from 1% to 100%; examples: 5, 10%",
        "max-unavailable | -1 | \"-1\" is not a number of Nodes above zero or a percentage from 1% to 100%; examples: 5, 10%",
        "max-unavailable | 1.5 | \"1.5\" is not a number of Nodes above zero or a percentage from 1% to 100%; examples: 5, 10%",
        "max-unavailable | 9999999 | \"9999999\" is not a number of Nodes above zero or a percentage from 1% to 100%; examples: 5, 10%",
        "max-unavailable | '' | \"\" is not a number of Nodes above zero or a percentage from 1% to 100%; examples: 5, 10%",
        "canary | two | \"two\" is not a number of Nodes; examples: 2, or 0 for none",
        "canary | 10% | \"10%\" is not a number of Nodes; examples: 2, or 0 for none",
        "soak | 10 | \"10\" is not a duration; examples: 90s, 10m, 1h30m",
        "evict | yes | \"yes\" is not true or false"
      })
  void aWrongValueIsNamedWithWhatWouldBeRight(String setting, String text, String why) {
    RolloutSettings read = RolloutAnnotations.read(Map.of(PREFIX + setting, text));

    assertThat(read.problem()).contains("Annotation " + PREFIX + setting + ": " + why + ".");
    assertThat(read.maxUnavailable()).isEqualTo(Limit.DEFAULT);
  }

  @ParameterizedTest
  @CsvSource({"true, false", "false, true", "'', true", "flase, false"})
  void anEvictionIsTakenBackWhateverElseIsWrong(String evict, boolean takenBack) {
    Map<String, String> annotations = new TreeMap<>(Map.of(PREFIX + "soka", "10m"));
    if (!evict.isEmpty()) {
      annotations.put(PREFIX + "evict", evict);
    }
    RolloutSettings read = RolloutAnnotations.read(annotations);

    assertThat(read.problem()).isPresent();
    assertThat(read.isEvictTakenBack()).isEqualTo(takenBack);
  }

  @Test
  void aMisspeltSettingIsAProblem() {
    assertThat(RolloutAnnotations.read(Map.of(PREFIX + "max-unavailabel", "1")).problem())
        .contains(
            "Annotation nodepool.io/rollout-max-unavailabel is unknown; the settings of a rollout are nodepool.io/rollout-max-unavailable,"
                + " nodepool.io/rollout-canary, nodepool.io/rollout-soak, nodepool.io/rollout-evict.");
  }

  @Test
  void aSoakNeedsACanary() {
    assertThat(RolloutAnnotations.read(Map.of(PREFIX + "soak", "10m")).problem())
        .contains(
            "Annotation nodepool.io/rollout-soak is \"10m\", and there is no canary that could soak; set nodepool.io/rollout-canary to a number of Nodes too.");
  }
}
