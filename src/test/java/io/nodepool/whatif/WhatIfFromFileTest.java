package io.nodepool.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.cli.command.ExitCodes;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.plugin.FakeApi;
import io.nodepool.world.OpenWorld;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.OperatorOverrides;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code what-if} of the objects of a file: three Nodes of a pool, and a machine to spare. */
@Tag("world")
class WhatIfFromFileTest {
  @RegisterExtension private final FakeApi api = new FakeApi();

  @TempDir private Path folder;

  private final World world =
      OpenWorld.unwatched(1, OpenWorld.racks(Story.TYPE, 1, 4), OperatorOverrides.AS_BUILT);
  private final WorldCluster cluster = world.cluster();

  @BeforeEach
  void threeNodes() {
    cluster.createPool("a", Fixtures.spec(Story.TYPE, 3), world.instant());
    world.advance(Duration.ofHours(2));
    assertThat(cluster.nodes()).hasSize(3);
    // A file without any Pod says nothing about Pods.
    cluster.workloads().bind("default", "agent", node(0), "DaemonSet", Pod.Interruption.NONE, true);
  }

  private String file() throws IOException {
    RequestTimes none = new RequestTimes(Optional.empty(), Optional.empty());
    Path file =
        Files.writeString(
            folder.resolve("state.json"),
            ListedText.of(cluster, List.of(), Optional.empty(), _ -> none));
    Files.setLastModifiedTime(file, FileTime.from(world.instant()));
    return file.toString();
  }

  private String node(int index) {
    return List.copyOf(cluster.nodes().keySet()).get(index);
  }

  @Test
  void aFileIsAskedAsTheClusterThatItWasListedFrom() throws IOException {
    Forecast forecast =
        Forecast.of(
            Stream.of(WorldCluster.Kind.values())
                .flatMap(kind -> cluster.list(kind).stream())
                .toList(),
            List.of(),
            world.instant(),
            new Question.Scale("a", 1));

    assertThat(api.command("what-if", "scale", "a", "--to", "1", "--from", file())).isZero();
    assertThat(api.out())
        .contains("NodePool a has 1 of 1 Nodes")
        .endsWith("plan " + forecast.token().text() + "\n");
    assertThat(api.requests).isEmpty();
    assertThat(forecast.happenings())
        .filteredOn(each -> each.what() == Happening.What.REMOVED)
        .hasSize(2);
  }

  @Test
  void workThatEndsIsAnotherExitCode() throws IOException {
    cluster.workloads().bind("default", "work", node(0), "Job", Pod.Interruption.NONE, false);
    assertThat(api.command("what-if", "drain", node(0), "--from", file()))
        .isEqualTo(ExitCodes.BLOCKED);
    assertThat(api.out()).contains("1 Pod of a tenant ends (default/work)");
  }

  @Test
  void alsoTheLossOfOneMoreMachineIsPlayed() throws IOException {
    assertThat(api.command("what-if", "lost", node(0), "--from", file())).isZero();
    assertThat(api.out())
        .contains("1 Node is deleted: its machine does not run any more (" + node(0) + ")")
        .contains("NodePool a has 3 of 3 Nodes")
        .doesNotContain("fragile");
  }

  @Test
  void rolloutsAndKindsOfRebootsAreAskedAbout() throws IOException {
    assertThat(
            api.command(
                "what-if", "rollout", "a", "--canary", "1", "--soak", "5m", "--from", file()))
        .isZero();
    assertThat(api.command("what-if", "rollout", "none", "--canary", "1", "--from", file()))
        .isEqualTo(ExitCodes.FAILED);
    assertThat(api.err()).contains("there is no NodePool none that can be read");
    assertThat(api.command("what-if", "reboot", node(0), "--power-reset", "--from", file()))
        .isZero();
    assertThat(api.out()).contains("1 machine reboots: its reboot was requested (" + node(0) + ")");
    assertThat(
            api.command("what-if", "reboot", node(0), "--reconfigure", "--safe", "--from", file()))
        .isEqualTo(ExitCodes.USAGE);
  }
}
