package io.nodepool.simulated.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.nodepool.simulated.FleetAction;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PodStartTest {
  private static final Instant NOW = Instant.parse("2026-11-21T05:00:00Z");

  @Test
  void everyContainerOfTheSpecIsReady() {
    Pod running = start(pod(false));

    assertThat(running.getStatus().getPhase()).isEqualTo("Running");
    assertThat(running.getStatus().getStartTime()).isEqualTo("2026-11-21T05:00:00Z");
    assertThat(running.getStatus().getContainerStatuses())
        .hasSize(2)
        .allSatisfy(status -> {
          assertThat(status.getReady()).isTrue();
          assertThat(status.getStarted()).isTrue();
          assertThat(status.getState().getRunning()).isNotNull();
        })
        .extracting("name", "image")
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("main", "a"),
            org.assertj.core.groups.Tuple.tuple("helper", "b"));
    assertThat(running.getStatus().getConditions())
        .filteredOn(condition -> condition.getStatus().equals("True"))
        .extracting("type")
        .contains("Ready", "ContainersReady", "Initialized");
  }

  @Test
  void initContainersAreCompletedAndSidecarsRun() {
    assertThat(start(pod(false)).getStatus().getInitContainerStatuses())
        .satisfiesExactly(
            over -> assertThat(over.getState().getTerminated().getExitCode()).isZero(),
            sidecar -> assertThat(sidecar.getState().getRunning()).isNotNull());
  }

  @Test
  void aPodHasItsOwnAddressUnlessItUsesItsNodes() {
    assertThat(start(pod(false)).getStatus().getPodIP()).startsWith("100.");
    assertThat(start(pod(true)).getStatus().getPodIP()).isEqualTo("10.217.7.130");
    assertThat(start(pod(true)).getStatus().getHostIP()).isEqualTo("10.217.7.130");
  }

  @Test
  void thePatchContainsNothingOfTheSpec() {
    assertThat(start(pod(false)).getSpec()).isNull();
    assertThat(start(pod(false)).getMetadata().getUid()).isEqualTo("u1");
  }

  private static Pod start(Pod pod) {
    return new PodReport(PodStart.of(pod), new FleetAction.PodId("default", "p", "u1"))
        .running("gd90782", NOW);
  }

  private static Pod pod(boolean hostNetwork) {
    return new PodBuilder()
        .withNewSpec()
        .withHostNetwork(hostNetwork)
        .addNewInitContainer()
        .withName("first")
        .withImage("i")
        .endInitContainer()
        .addNewInitContainer()
        .withName("beside")
        .withImage("s")
        .withRestartPolicy("Always")
        .endInitContainer()
        .addNewContainer()
        .withName("main")
        .withImage("a")
        .endContainer()
        .addNewContainer()
        .withName("helper")
        .withImage("b")
        .endContainer()
        .endSpec()
        .build();
  }
}
