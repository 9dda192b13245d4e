package io.nodepool.plan.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.model.members.BootedMembers;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.plan.Given;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which revision needs no canary when it becomes active again. */
class RevisionsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

  private static Selections.Selected selected(String profile) {
    return new Selections.Selected(new NodeConfiguration(profile, List.of()), profile);
  }

  /** Whether p1 is trusted after p2 became active, with these Nodes by what they booted into. */
  private static boolean isTrusted(Map<String, List<String>> nodes) {
    BootedMembers booted =
        Members.of(
                nodes.entrySet().stream()
                    .flatMap(
                        each -> each.getValue().stream().map(name -> node(name, each.getKey())))
                    .toList())
            .byConfiguration();
    ConfigurationState first =
        Revisions.activate(
            ConfigurationState.NONE.withProfile(""),
            selected("p1"),
            Members.of(List.of()).byConfiguration(),
            NOW);
    return Revisions.activate(
            Revisions.count(first, booted), selected("p2"), booted, NOW.plusSeconds(1))
        .revision("p1")
        .orElseThrow()
        .boots()
        .trusted();
  }

  /** A member that booted into this configuration. */
  private static Member node(String name, String profile) {
    Host host = Given.running(name);
    Host booted =
        host.withReport(new Host.Report(HostPhase.RUNNING, host.tenancy(), "boot", profile, NOW));
    return Given.member(
        booted,
        Optional.of(Given.node(booted, booted.tenancy())),
        Workload.NONE,
        Optional.empty(),
        Member.Findings.NONE);
  }

  @Test
  void oneThatMostNodesRanIsTrusted() {
    assertThat(isTrusted(Map.of("p1", List.of("a", "b"), "of-nobody", List.of("c")))).isTrue();
  }

  @Test
  void nodesInAConfigurationThatIsNotInTheListCountToo() {
    assertThat(isTrusted(Map.of("p1", List.of("a"), "of-nobody", List.of("b")))).isFalse();
  }
}
