package io.nodepool.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.fleet.affinity.AffinityText;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** However long a text is that a user or a fleet wrote, what a message quotes of it is short. */
class LongUserTextTest {
  private static final String LONG = "x".repeat(100_000);
  private static final int SHORT = 1000;

  private static Arguments row(String where, Supplier<String> message) {
    return arguments(where, message);
  }

  private static String rollout(String setting, String text) {
    return RolloutAnnotations.read(Map.of("nodepool.io/rollout-" + setting, text))
        .problem()
        .orElseThrow();
  }

  private static String unreadable(Runnable read) {
    try {
      read.run();
    } catch (UnreadableObjectException e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError("it can be read");
  }

  private static String affinity(String text) {
    return ((Affinity.Unreadable) AffinityText.read(text)).why();
  }

  private static Stream<Arguments> messages() {
    return Stream.of(
        row("max-unavailable", () -> rollout("max-unavailable", LONG)),
        row("canary", () -> rollout("canary", LONG)),
        row("soak", () -> rollout("soak", LONG)),
        row("soak without a canary", () -> rollout("soak", "0".repeat(100_000) + "1s")),
        row("evict", () -> rollout("evict", LONG)),
        row("an unknown setting", () -> rollout(LONG, "1")),
        row("affinity", () -> affinity("(" + "x".repeat(4000))),
        row(
            "accepted command",
            () ->
                CommandAnnotations.read(Map.of("nodepool.io/accepted-command", LONG), "uid")
                    .problem()
                    .orElseThrow()),
        row("removal", () -> unreadable(() -> DisruptionRecord.read(LONG))),
        row("offer", () -> unreadable(() -> OfferDocument.read("{\"zone\":[\"" + LONG + "\"]}"))),
        row(
            "name of a configuration",
            () ->
                unreadable(() ->
                    OfferDocument.read(
                        "{\"zone\":\"z\",\"instanceTypes\":[],\"configurations\":[{\"profile\":\""
                            + LONG
                            + "\"}]}"))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("messages")
  void aMessageQuotesLittleOfIt(String where, Supplier<String> message) {
    assertThat(message.get().length()).as(where).isLessThan(SHORT);
  }

  @Test
  void aSummaryOfAConfigurationFitsIntoAStatus() {
    List<FleetRelease> releases =
        OfferDocument.read(
                "{\"zone\":\"z\",\"instanceTypes\":[],\"configurations\":[{\"profile\":\"c1\",\"summary\":[\""
                    + String.join("\",\"", java.util.Collections.nCopies(40, "y".repeat(2000)))
                    + "\"]}]}")
            .releases();

    NodeConfiguration configuration = ((FleetRelease.Whole) releases.getFirst()).configuration();
    assertThat(configuration.summary()).hasSizeLessThanOrEqualTo(32);
    assertThat(configuration.summary()).allMatch(text -> text.length() <= 1024);
  }
}
