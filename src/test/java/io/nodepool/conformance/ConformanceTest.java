package io.nodepool.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.conformance.ConformanceCheck.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The checks find what each lying fleet does, and nothing with an honest one. */
class ConformanceTest {
  @Test
  void anHonestFleetPasses() {
    ConformanceReport report = new VirtualCluster(Lie.NONE).run(LyingFleets.REST);

    assertThat(names(report, Verdict.FAILED)).as(String.join("\n", report.lines())).isEmpty();
    assertThat(names(report, Verdict.SKIPPED))
        .containsExactlyInAnyOrder("reclaim", "signals", "boot-host-reset");
  }

  @Test
  void aFleetThatLearnsTheFirstBootFromTheKubeletPasses() {
    ConformanceReport report = new VirtualCluster(LyingFleets.lateBoot()).run(LyingFleets.REST);

    assertThat(names(report, Verdict.FAILED)).as(String.join("\n", report.lines())).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("lyingFleets")
  void aLyingFleetIsFound(LyingFleets.LyingFleet fleet) {
    ConformanceReport report = new VirtualCluster(fleet.lie().get()).run(fleet.rest());

    assertThat(names(report, Verdict.FAILED))
        .as(String.join("\n", report.lines()))
        .contains(fleet.check());
  }

  static List<LyingFleets.LyingFleet> lyingFleets() {
    return LyingFleets.ALL;
  }

  private static List<String> names(ConformanceReport report, Verdict verdict) {
    return report.outcomes().stream()
        .filter(each -> each.verdict() == verdict)
        .map(each -> each.rule().name())
        .toList();
  }
}
