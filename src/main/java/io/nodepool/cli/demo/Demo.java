package io.nodepool.cli.demo;

import io.nodepool.cli.view.MachineState;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The demos: what a user types, what happens, and why. */
enum Demo {
  SPOT("the fleet wants a spot machine back", Demo::spot),
  REPAIR("faults of machines, and alerts that are not true", Demo::repair),
  ROLLOUT("a new image, and one that breaks machines", Demo::rollout),
  RACK("an NVL72 rack fails", Demo::rack),
  SHRINK("a pool is to have fewer Nodes", Demo::shrink);

  /** How many times faster than real machines the demos are. */
  static final int SPEED = 20;

  private static final String POOL = "example-nodepool";

  /** The directory with the files that the demos apply. */
  static final Path EXAMPLES = Path.of("examples");

  private static final String APPLY = "kubectl apply -f " + EXAMPLES + "/";
  private static final String START =
      "kubectl nodepool rollout start %s --max-unavailable 2 --evict --yes".formatted(POOL);
  private static final String BROKEN =
      "{\"op\": \"add\", \"path\": \"/spec/mishaps\", \"value\": {\"configurations\": [{\"image\": \"ncore-9.1.0\", \"mishap\": \"Fail\"}]}}, ";

  /** The steps of a demo. */
  @FunctionalInterface
  private interface Script {
    void play(DemoStage stage) throws InterruptedException;
  }

  /** Reads the word on the command line. */
  static final class OfWord implements ITypeConverter<Demo> {
    @Override
    public Demo convert(String text) {
      return Arrays.stream(values())
          .filter(each -> each.word().equals(text))
          .findFirst()
          .orElseThrow(() ->
              new TypeConversionException(
                  "there is no demo \"%s\"; there are %s"
                      .formatted(
                          text,
                          Arrays.stream(values())
                              .map(Demo::word)
                              .collect(Collectors.joining(", ")))));
    }
  }

  private final String summary;
  private final Script script;

  Demo(String summary, Script script) {
    this.summary = summary;
    this.script = script;
  }

  /** The name on the command line. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Its subject, in words. */
  String summary() {
    return summary;
  }

  /** Plays all steps. */
  void play(DemoStage stage) throws InterruptedException {
    script.play(stage);
  }

  private static void spot(DemoStage stage) throws InterruptedException {
    stage.step(
        APPLY + "spot-pool.yaml",
        "four spot Nodes",
        seen -> seen.isAtTarget(4),
        "computeClass: spot takes machines that the fleet may want back.");
    stage.step(
        APPLY + "spot-workload.yaml",
        "a Pod on each Node",
        seen -> seen.machines(MachineState.BUSY).size() == 4,
        "each Pod has a preStop hook that saves a checkpoint, and 240 s for it.");
    String node = stage.seen().machines(MachineState.BUSY).getFirst();
    stage.step(
        "kubectl annotate host %s fleet.nodepool.io/reclaim=7m".formatted(node),
        "%s is under notice and cordoned".formatted(node),
        seen -> seen.had("Preemption pending", node) && seen.isOut(node),
        "the fleet takes the machine 7 minutes (here 21 s) after its notice. For 2 minutes nothing ends, so that work can be saved.");
    stage.then(
        "its Pod is evicted",
        seen -> seen.had("Preemption in progress", node),
        "evictions respect budgets, until 30 s before the end. This Pod has 240 s, which are not 20 times faster, and is cut off.");
    stage.then(
        "the machine is given back, and the pool has another one",
        seen -> seen.had("Deleted for preemption", node) && seen.isAtTarget(4),
        "the pool keeps its target, and waits (QueuedAwaitingCapacity) if no machine is offered as spot.");
  }

  private static void grow(DemoStage stage) throws InterruptedException {
    stage.step(
        APPLY + "gpu-pool.yaml",
        "eight Nodes",
        seen -> seen.isAtTarget(8),
        "a pool declares a type and a number; the operator assigns machines until as many Nodes have joined.");
    stage.step(
        APPLY + "workload.yaml",
        "work on four of them",
        seen -> seen.machines(MachineState.BUSY).size() == 4,
        "Pods of DaemonSets are on all eight, and do not keep a Node from being idle.");
  }

  /** The command that gives machines a fault from now on. */
  private static String fault(String where, String name, String alert, String healedBy) {
    return ("kubectl patch simulatedfleet default --type merge -p '{\"spec\": {\"mishaps\": {\"faults\": ["
            + "{\"%s\": \"%s\", \"alert\": \"%s\", \"at\": \"%s\", \"healedBy\": \"%s\"}]}}}'")
        .formatted(where, name, alert, now(), healedBy);
  }

  private static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS);
  }

  /** The command by which a monitor reports an alert about machines. */
  private static String report(List<String> nodes, String alert) {
    return nodes.stream()
        .map(
            """
            apiVersion: fleet.nodepool.io/v1alpha1
            kind: HostSignals
            metadata: {name: %%s}
            spec: {signals: {my-monitor.host.%s: {since: "%s"}}}
            """
                    .formatted(alert, now())
                ::formatted)
        .collect(Collectors.joining("---\n", "kubectl apply --server-side -f - <<EOF\n", "EOF"));
  }

  private static void repair(DemoStage stage) throws InterruptedException {
    grow(stage);
    String hung = stage.seen().machines(MachineState.IDLE).getFirst();
    stage.step(
        fault("host", hung, "GPUTimeoutError", "Reboot"),
        hung + " was rebooted and is back",
        seen -> seen.poolHad("CWNodeUncordoned", hung) && seen.isAtTarget(8),
        "the grade is: reboot now. The Node stays in its pool, and is used again once its machine has passed a verification.");
    String lost = stage.seen().machines(MachineState.BUSY).getFirst();
    stage.step(
        fault("host", lost, "GPUFallenOffBus", "Replacement"),
        lost + " is set aside, and the pool has another machine",
        seen -> seen.is(lost, MachineState.SET_ASIDE) && seen.isAtTarget(8),
        "the grade is: out now, also while there is work, which a lost GPU cannot do. A verification proved the fault first.");
    stage.look("kubectl nodepool host get --set-aside");
    stage.step(
        "kubectl nodepool host release %s --reason 'new GPU'".formatted(lost),
        lost + " may be assigned again",
        seen -> seen.is(lost, MachineState.FREE),
        "a person has replaced the GPU. Nothing that is set aside comes back by itself.");
    List<String> many =
        Stream.of(MachineState.IDLE, MachineState.BUSY)
            .flatMap(state ->
                stage.seen().machines(state).stream().limit(state == MachineState.IDLE ? 2 : 3))
            .toList();
    stage.step(
        report(many, "GPUFallenOffBusHGX"),
        "the alert is in doubt: nothing is taken out for it",
        seen -> seen.poolHad("CWNodePoolAlertSuspected", "in doubt"),
        "so many machines do not break at once; often it is the monitor. One machine is verified first, once its Node is drained.");
    stage.then(
        "it was a false alarm: all Nodes are in use",
        seen -> seen.poolHad("CWNodePoolAlertSuspected", "false alarm") && seen.isAtTarget(8),
        "the machine passed its verification, so the alert is not believed for 24 h.");
  }

  private static void rollout(DemoStage stage) throws InterruptedException {
    grow(stage);
    stage.step(
        publish("9.0.0", ""),
        "a configuration with the new image is pending",
        seen -> seen.poolHad("CWPendingNodeConfig", "9.0.0"),
        "by default a person decides when a pool takes on what its fleet offers.");
    stage.look("kubectl nodepool revisions " + POOL);
    promote(stage, "Nodes that join boot it; those that are there boot it when they are rebooted.");
    stage.step(
        START,
        "all Nodes have booted the new image",
        seen -> seen.poolHad("CWNodePoolRolloutComplete", "") && seen.isAtTarget(8),
        "two Nodes at a time, idle ones first; --evict moves the work of busy ones, within its budgets.");
    stage.step(
        publish("9.1.0", BROKEN),
        "another one is pending, whose image breaks machines",
        seen -> seen.poolHad("CWPendingNodeConfig", "9.1.0"),
        "the mishap is the simulated data centre's; nobody knows of it yet.");
    promote(stage, "as before.");
    stage.step(
        START,
        "the rollout has paused by itself",
        seen -> seen.poolHad("CWNodePoolRolloutPaused", ""),
        "Nodes that do not come back stop it, so that most of the pool stays in use.");
    stage.step(
        "kubectl nodepool rollback %s --wait --yes".formatted(POOL),
        "eight Nodes are in use, with the image that works",
        seen -> seen.isAtTarget(8),
        "machines that failed are replaced, and the earlier configuration is active again.");
  }

  private static void promote(DemoStage stage, String why) throws InterruptedException {
    stage.step(
        "kubectl nodepool upgrade %s --wait --yes".formatted(POOL),
        "the configuration is active, and no Node has booted it",
        seen -> seen.has("NodeReconfigurationRequired", "True", "StagedNodeConfig"),
        why);
  }

  /**
   * The command that publishes an image.
   *
   * @param first other operations of the patch, each with a comma
   */
  private static String publish(String version, String first) {
    return ("kubectl patch simulatedfleet default --type json -p '[%s{\"op\": \"add\", \"path\": \"/spec/releases/-\", \"value\": "
            + "{\"name\": \"%s\", \"images\": [{\"name\": \"ncore-%s\", \"train\": \"stable\", \"kernels\": [\"6.11.0-34\"]}], "
            + "\"gpuDrivers\": [\"580.95.05\"], \"kubernetesVersion\": \"v1.34.4\"}}]'")
        .formatted(first, version, version);
  }

  private static void rack(DemoStage stage) throws InterruptedException {
    stage.step(
        APPLY + "rack-pool.yaml",
        "a rack of 18 Nodes",
        seen -> seen.isAtTarget(18),
        "Superchip types are assigned in whole racks, whose Nodes share an NVLink domain.");
    String rack = stage.seen().rack(stage.seen().machines(MachineState.IDLE).getFirst());
    stage.step(
        fault("rack", rack, "GPUFallenOffBus", "Replacement"),
        "the alert is in doubt: no machine is taken out yet",
        seen -> seen.poolHad("CWNodePoolAlertSuspected", "in doubt"),
        "18 GPUs that are lost at once may be a monitor's mistake. The Nodes are drained, and one machine at a time is verified.");
    stage.then(
        "the alert is genuine",
        seen -> seen.poolHad("CWNodePoolAlertSuspected", "genuine"),
        "three machines did not pass.");
    stage.then(
        "all machines of the rack are set aside",
        seen -> seen.machines(MachineState.SET_ASIDE).size() == 18,
        "an alert on half of a rack is the rack's: it is taken out as one, since its Nodes share an NVLink domain.");
    stage.then(
        "the pool has another rack",
        seen -> seen.isAtTarget(18),
        "the pool keeps its target, and this fleet has one more rack of the type.");
    stage.look("kubectl nodepool capacity gb200-4x");
  }

  private static void shrink(DemoStage stage) throws InterruptedException {
    grow(stage);
    stage.step(
        "kubectl nodepool scale %s --nodes 2".formatted(POOL),
        "the four idle Nodes have left; the busy ones stay",
        seen -> seen.inUse() == 4 && seen.poolHad("CWNodePoolNodesRemoved", "4 left"),
        "scaleDownStrategy is IdleOnly: no busy Node is cordoned, and AtTarget names them.");
    stage.look("kubectl nodepool describe " + POOL);
    stage.step(
        "kubectl patch nodepool %s --type merge -p '{\"spec\": {\"lifecycle\": {\"scaleDownStrategy\": \"PreferIdle\"}}}'"
            .formatted(POOL),
        "two busy Nodes were drained and have left",
        seen -> seen.isAtTarget(2),
        "with PreferIdle busy Nodes go last, and are drained through the Eviction API, so that budgets are respected.");
  }
}
