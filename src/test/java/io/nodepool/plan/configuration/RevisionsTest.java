package io.nodepool.plan.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.model.pool.ConfigurationState;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Which revision needs no canary when it becomes active again. */
class RevisionsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

  private static Selections.Selected selected(String profile) {
    return new Selections.Selected(new NodeConfiguration(profile, List.of()), profile);
  }

  /** Whether p1 is trusted after p2 became active, with these Nodes by what they booted into. */
  private static boolean isTrusted(SortedMap<String, SortedSet<String>> booted) {
    ConfigurationState first =
        Revisions.activate(ConfigurationState.ofProfile(""), selected("p1"), new TreeMap<>(), NOW);
    return Revisions.activate(
            Revisions.count(first, booted), selected("p2"), booted, NOW.plusSeconds(1))
        .revision("p1")
        .orElseThrow()
        .boots()
        .trusted();
  }

  private static SortedSet<String> nodes(String... names) {
    return new TreeSet<>(Set.of(names));
  }

  @Test
  void oneThatMostNodesRanIsTrusted() {
    SortedMap<String, SortedSet<String>> booted = new TreeMap<>();
    booted.put("p1", nodes("a", "b"));
    booted.put("of-nobody", nodes("c"));

    assertThat(isTrusted(booted)).isTrue();
  }

  @Test
  void nodesInAConfigurationThatIsNotInTheListCountToo() {
    SortedMap<String, SortedSet<String>> booted = new TreeMap<>();
    booted.put("p1", nodes("a"));
    booted.put("of-nobody", nodes("b"));

    assertThat(isTrusted(booted)).isFalse();
  }
}
