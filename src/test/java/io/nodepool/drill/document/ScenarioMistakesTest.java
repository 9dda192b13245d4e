package io.nodepool.drill.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nodepool.drill.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of a scenario that is wrong: where, what, and what would be right. */
class ScenarioMistakesTest {
  private static final String START =
      """
      lasts: 24h
      dataCentre:
        zone: US-EAST-04A
        racks: [{name: "101", instanceType: gd-8xh100ib-i128, hosts: 4}]
      objects:
        - apiVersion: compute.coreweave.com/v1alpha1
          kind: NodePool
          metadata: {name: train}
          spec: {computeClass: default, instanceType: gd-8xh100ib-i128, targetNodes: 2}
      """;

  @TempDir private Path folder;

  private Scenario read(String text) throws IOException {
    return ScenarioDocument.read(Files.writeString(folder.resolve("a.yaml"), text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "script: [{at: 2h, scale: {pool: trian, to: 4}}] | a.yaml: script[0].scale.pool: no NodePool trian is in objects or was applied before; did you mean train?",
        "script: [{at: 2h, scale: {pool: train, to: -1}}] | a.yaml: script[0].scale.to: -1 is no whole number from 0",
        "script: [{at: 2h, scale: {pool: train}}] | a.yaml: script[0].scale: lacks to, as in scale: {pool: a, to: 4}",
        "script: [{at: 2h, scales: {pool: train, to: 1}}] | a.yaml: script[0]: unknown field scales; did you mean scale?",
        "script: [{at: 2x, scale: {pool: train, to: 1}}] | a.yaml: script[0].at: \"2x\" is no duration, such as 90s, 1h30m or 2d",
        "script: [{at: 25h, scale: {pool: train, to: 1}}] | a.yaml: script: \"scale pool train, to 1\" would happen after the end; lasts is 24h",
        "script: [{scale: {pool: train, to: 1}}] | a.yaml: script[0]: must say when, in one of these ways: at: 2h; every: 6h, perhaps with from: 1h; chance: 10 in 55d",
        "script: [{chance: often, scale: {pool: train, to: 1}}] | a.yaml: script[0].chance: \"often\" is no number in a time, as in 10 in 55d",
        "script: [{at: 2h, cordon: {}}] | a.yaml: script[0].cordon: names no machines, as {pool: a, count: 2}, {rack: \"101\"} or {machines: [g1]} do",
        "script: [{at: 2h, cordon: {pool: train, state: sleeping}}] | a.yaml: script[0].cordon.state: unknown state sleeping; known are busy, idle, setAside",
        "script: [{at: 2h, alert: {pool: train, name: GPUFelOffBus}}] | a.yaml: script[0].alert.name: no alert GPUFelOffBus is in the catalogue; did you mean GPUFallenOffBus?",
        "script: [{at: 2h, scaleWorkload: {workload: a/b, replicas: 1}}] | a.yaml: script[0].scaleWorkload.workload: no workload a/b is in objects",
        "expect: [{always: 'pools['}] | a.yaml: expect[0].always: is no expression in CEL: ",
        "expect: [{at: 2h}] | a.yaml: expect[0]: must have one of always: EXPRESSION, atEnd: EXPRESSION, or at: 2h with holds: EXPRESSION",
        "expect: [{at: 25h, holds: 'true'}] | a.yaml: expect[0].at: is after the end",
        "expects: [] | a.yaml: unknown field expects; did you mean expect?",
      })
  void eachMistakeIsNamed(String part, String message) {
    assertThatThrownBy(() -> read(START + part))
        .isInstanceOf(ScenarioMistake.class)
        .hasMessageStartingWith(message.replace("\\\"", "\""));
  }

  @Test
  void onlyWhatUsersScaleIsScaled() {
    String job =
        """
          - apiVersion: batch/v1
            kind: Job
            metadata: {name: train}
            spec: {template: {metadata: {annotations: {fleet.nodepool.io/run-for: 2h}}, spec: {containers: [{name: a}]}}}
        script: [{at: 2h, scaleWorkload: {workload: default/train, replicas: 1}}]
        """;
    assertThatThrownBy(() -> read(START + job))
        .isInstanceOf(ScenarioMistake.class)
        .hasMessage(
            "a.yaml: script[0].scaleWorkload.workload: default/train is a Job; only Deployments and StatefulSets are scaled");
  }

  @Test
  void whereAFileIsNoYamlIsNamedOnce() {
    assertThatThrownBy(() -> read(START + "expect: [{atEnd: a[\"b\"]}]\n"))
        .isInstanceOf(ScenarioMistake.class)
        .hasMessageMatching(".*a.yaml: is no YAML: line 10: .*")
        .hasMessageNotContaining("a.yaml: a.yaml");
  }

  @Test
  void aFileThatIsMissingIsNamed() {
    assertThatThrownBy(() -> read(START.replace("objects:\n", "objects:\n  - {file: none.yaml}\n")))
        .isInstanceOf(ScenarioMistake.class)
        .hasMessageStartingWith("a.yaml: objects[0]: ")
        .hasMessageContaining("none.yaml");
  }

  @Test
  void whatIsNotPlayedIsAWarning() throws IOException {
    Scenario scenario =
        read(
            START
                + """
                  - {apiVersion: v1, kind: Service, metadata: {name: web}}
                  - apiVersion: apps/v1
                    kind: Deployment
                    metadata: {name: web}
                    spec:
                      template:
                        spec:
                          topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone}]
                          containers: [{name: a}]
                """);
    assertThat(scenario.warnings())
        .containsExactly(
            "a.yaml: objects[1]: Service web is not played",
            "a.yaml: objects[2]: Deployment default/web: spec.topologySpreadConstraints of its Pods is not played");
  }

  @Test
  void daysMayBeginADuration() {
    assertThat(Fields.duration("a", "2d")).isEqualTo(Duration.ofDays(2));
    assertThat(Fields.duration("a", "1d30m")).isEqualTo(Duration.ofDays(1).plusMinutes(30));
  }
}
