package io.nodepool.conformance;

import io.nodepool.conformance.History.Awaited;
import io.nodepool.conformance.History.Ending;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Taint;
import io.nodepool.vocabulary.BootKind;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Plays the operator's part: assigns, boots, stops and releases Hosts, and waits for their fleet.
 * All Hosts go through the same steps at the same time; a Host that does not complete a step is
 * left out from then on. The script judges nothing: its result is the history.
 */
public final class OperatorScript {
  /** The pool that the Hosts are assigned to; there is no such NodePool. */
  public static final PoolId POOL = new PoolId("nodepool-conformance", "nodepool-conformance");

  private static final String ALERT = "NodepoolConformance";
  private static final int TRIES_TO_CANCEL = 5;

  /**
   * What a run does.
   *
   * @param cycles how often each Host is assigned and released at the end
   * @param deadline how long each wait may take
   * @param rest how long Hosts at rest are observed
   * @param restarts whether the fleet is killed in each step of one cycle
   */
  public record Settings(int cycles, Duration deadline, Duration rest, boolean restarts) {}

  private final TestedCluster cluster;
  private final FleetOffer.Capabilities capabilities;
  private final List<String> configurations;
  private final Settings settings;
  private final Consumer<String> progress;

  private final List<String> all;

  /** The names of the Hosts that completed all steps so far. */
  private final Set<String> present;

  private boolean kills;

  /**
   * A script.
   *
   * @param configurations the configurations to boot: the first one at delivery, the last one by
   *     reboots; may be empty
   * @param progress receives a line for each part
   */
  public OperatorScript(
      TestedCluster cluster,
      FleetOffer.Capabilities capabilities,
      List<String> configurations,
      List<String> names,
      Settings settings,
      Consumer<String> progress) {
    this.cluster = cluster;
    this.capabilities = capabilities;
    this.configurations = configurations.isEmpty() ? List.of("") : List.copyOf(configurations);
    this.settings = settings;
    this.progress = progress;
    this.all = List.copyOf(names);
    this.present = new LinkedHashSet<>(names);
  }

  /** Runs all parts. */
  public void run() {
    cluster.recorder().test(all);
    SortedSet<String> before = cluster.belongings();
    note(before);
    rest();
    part("a delivery, and all that is offered", this::everything);
    part("a cancellation before the boot", this::cancelBeforeBoot);
    part("a cancellation during the boot", this::cancelDuringBoot);
    part("a cancellation and another assignment at once", this::reassign);
    part("power Off during the boot", this::offDuringBoot);
    if (settings.restarts()) {
      part("the fleet killed in each step", this::killed);
    }
    for (int cycle = 1; cycle <= settings.cycles(); cycle++) {
      part("cycle %d of %d".formatted(cycle, settings.cycles()), this::cycle);
    }
    rest();
    giveBack();
    cluster.await(() -> before.containsAll(cluster.belongings()), settings.rest());
    note(cluster.belongings());
  }

  /** Takes back Hosts that were left out. */
  private void giveBack() {
    List<String> lost = kept();
    present.addAll(lost);
    stopAndRelease(lost);
  }

  private void deleteNode(String name) {
    cluster
        .recorder()
        .node(name)
        .ifPresent(node -> {
          cluster.recorder().add(new History.DeletedNode(now(), name, node.uid()));
          cluster.delete(node);
        });
  }

  private static HostOperation stop(Host host) {
    return new HostOperation.Stop(host.id(), host.tenancy(), POOL, Optional.empty());
  }

  private static HostOperation release(Host host) {
    return new HostOperation.Release(host.id(), host.tenancy(), POOL);
  }

  /** The Hosts that are still assigned, since their machines are not known to be off. */
  public List<String> kept() {
    return all.stream().filter(name -> host(name).assignment().isPresent()).toList();
  }

  private void note(SortedSet<String> belongings) {
    cluster.recorder().add(new History.Belongings(cluster.now(), all.getFirst(), belongings));
  }

  private void part(String name, Runnable steps) {
    if (!present().isEmpty()) {
      progress.accept("%s: %s".formatted(String.join(", ", present()), name));
      steps.run();
    }
  }

  private void everything() {
    deliver();
    rest();
    Arrays.stream(BootKind.values())
        .filter(kind -> kind.boots() && capabilities.offers(kind))
        .forEach(this::boot);
    firstKind().ifPresent(this::bootAgain);
    if (capabilities.verifies()) {
      request(BootKind.VERIFICATION, "verification");
      await(Milestone.VERIFIED);
      rest();
    }
    Arrays.stream(BootKind.values())
        .filter(kind -> !capabilities.offers(kind))
        .findFirst()
        .ifPresent(this::bootUnoffered);
    if (capabilities.repairsComponents()) {
      repairComponents();
      repairComponents();
    }
    stopAndRelease(present());
    if (firstKind().isPresent()) {
      deliver();
      request(firstKind().get(), "off");
      stopAndRelease(present());
    }
  }

  private Optional<BootKind> firstKind() {
    return capabilities.boots().stream().filter(BootKind::boots).findFirst();
  }

  private void cycle() {
    deliver();
    stopAndRelease(present());
  }

  private void killed() {
    kills = true;
    deliver();
    firstKind()
        .ifPresent(kind -> {
          request(kind, "killed");
          await(Milestone.BOOTED);
        });
    stopAndRelease(present());
    kills = false;
  }

  private void deliver() {
    assign();
    await(Milestone.RUNNING);
    await(Milestone.JOINED);
    await(Milestone.SAME_BOOT);
  }

  private void boot(BootKind kind) {
    stage(configurations.getLast());
    request(kind, kind.word());
    await(Milestone.BOOTED);
    verify();
    rest();
  }

  private void verify() {
    if (capabilities.verifies()) {
      await(Milestone.VERIFIED);
    }
  }

  /** Requests another try as soon as the first one began; that one may have ended meanwhile. */
  private void bootAgain(BootKind kind) {
    request(kind, "again");
    cluster.await(
        () -> present.stream().map(this::host).noneMatch(this::isToBegin), settings.deadline());
    for (Host host : present.stream().map(this::host).filter(Host::isRebooting).toList()) {
      BootRequest next =
          host.boot()
              .orElseThrow()
              .again(host.report().bootId(), now(), BootRequest.Outcome.NOT_BOOTED);
      perform(new HostOperation.Boot(host.id(), host.tenancy(), POOL, next));
    }
    await(Milestone.BOOTED);
    verify();
    rest();
  }

  private boolean isToBegin(Host host) {
    return host.isRebooting()
        && host.report().boot().cycle().isEmpty()
        && host.is(HostPhase.RUNNING);
  }

  /** Takes the request back at the end; that is refused if the fleet has begun the boot. */
  private void bootUnoffered(BootKind kind) {
    request(kind, "unoffered");
    rest();
    for (Host host : present.stream().map(this::host).toList()) {
      host.boot()
          .ifPresent(
              last -> perform(new HostOperation.DropBoot(host.id(), host.tenancy(), POOL, last)));
    }
  }

  private void request(BootKind kind, String operation) {
    each(
        present(),
        _ -> true,
        host ->
            new HostOperation.Boot(
                host.id(),
                host.tenancy(),
                POOL,
                BootRequest.first(
                        host.report().bootId(),
                        kind,
                        "conformance/%d/%s".formatted(host.tenancy(), operation),
                        now(),
                        host.boot())
                    .withConfiguration(kind.boots() ? host.configuration() : "")));
  }

  private void stage(String configuration) {
    each(
        present(),
        host -> !host.configuration().equals(configuration),
        host ->
            new HostOperation.Stage(
                host.id(), host.tenancy(), POOL, host.configuration(), configuration));
  }

  private void repairComponents() {
    each(
        present(),
        _ -> true,
        host ->
            new HostOperation.RepairComponent(
                host.id(),
                host.tenancy(),
                POOL,
                host.occupancy().repairs(),
                ComponentRepair.next(host.repair(ALERT), ALERT, "", now())));
    await(Milestone.REPAIRED);
  }

  private void cancelBeforeBoot() {
    assign();
    cancel();
    rest();
  }

  private void cancelDuringBoot() {
    assign();
    cluster.await(
        () ->
            present.stream()
                .map(this::host)
                .noneMatch(host -> host.report().phase() == HostPhase.FREE),
        settings.deadline());
    cancel();
    rest();
  }

  private void reassign() {
    assign();
    cancel();
    cycle();
  }

  private void offDuringBoot() {
    assign();
    stopAndRelease(present());
  }

  /** Cancels, and waits until the Hosts are Free; Hosts that run already are stopped. */
  private void cancel() {
    stopAndRelease(present().stream().filter(name -> !cancel(name)).toList());
    await(Milestone.FREE);
  }

  /** Whether the assignment could be cancelled before the machine ran. */
  private boolean cancel(String name) {
    for (int attempt = 0; attempt < TRIES_TO_CANCEL && host(name).isBooting(); attempt++) {
      Host seen = host(name);
      if (perform(HostOperation.Cancel.of(seen, POOL, Optional.empty())).isEmpty()) {
        return true;
      }
      cluster.await(() -> host(name).version() > seen.version(), settings.rest());
    }
    return false;
  }

  private void assign() {
    each(
        present(),
        host -> host.assignment().isEmpty(),
        host ->
            new HostOperation.Assign(
                host.id(),
                host.tenancy(),
                new Assignment(
                    POOL,
                    "default",
                    HostOperation.assignId(host.id(), host.tenancy(), POOL),
                    now(),
                    template()),
                configurations.getFirst()));
  }

  private static NodeTemplate template() {
    TreeMap<String, String> labels = new TreeMap<>(Map.of("example.com/conformance", "label"));
    TreeMap<String, String> annotations =
        new TreeMap<>(Map.of("example.com/conformance", "annotation"));
    return new NodeTemplate(
        labels, annotations, List.of(new Taint("example.com/conformance", "taint", "NoSchedule")));
  }

  /** Takes back assigned Hosts: powers off, deletes their Nodes, releases. */
  private void stopAndRelease(List<String> names) {
    each(
        names,
        host -> host.assignment().isPresent() && host.power() == Host.Power.ON,
        OperatorScript::stop);
    await(Milestone.STOPPED, names);
    if (!names.isEmpty()) {
      rest();
    }
    names.stream().filter(present::contains).forEach(this::deleteNode);
    await(Milestone.NODE_GONE, names);
    each(names, host -> host.assignment().isPresent(), OperatorScript::release);
    await(Milestone.FREE, names);
  }

  /** Performs an operation on each matching Host; then kills the fleet if the part requires it. */
  private void each(
      List<String> names, Predicate<Host> which, Function<Host, HostOperation> operation) {
    List<Host> found =
        names.stream().filter(present::contains).map(this::host).filter(which).toList();
    for (Host host : found) {
      perform(operation.apply(host)).ifPresent(why -> leaveOut(host.id().name(), why));
    }
    if (kills && !found.isEmpty()) {
      cluster.restart();
      found.forEach(host -> cluster.recorder().add(new History.Killed(now(), host.id().name())));
    }
  }

  /** Performs an operation; returns why it was refused, if it was. */
  private Optional<String> perform(HostOperation operation) {
    Answer<Host> answer = cluster.perform(operation);
    if (answer instanceof Answer.Done<Host>(Host left)) {
      cluster.recorder().know(left);
      cluster.recorder().add(new History.Wrote(now(), operation, left));
      return Optional.empty();
    }
    return Optional.of(
        answer instanceof Answer.Failed<Host> failed ? failed.why() : "the Host is gone");
  }

  private void await(Milestone milestone) {
    await(milestone, present());
  }

  /** Waits for these Hosts; a Host that misses the milestone is left out until the end. */
  private void await(Milestone milestone, List<String> names) {
    List<String> awaited = names.stream().filter(present::contains).toList();
    cluster.await(
        () ->
            awaited.stream()
                .allMatch(name -> isReached(name, milestone) || milestone.isLost(host(name))),
        settings.deadline());
    for (String name : awaited) {
      Host host = host(name);
      String state = Milestone.state(host, cluster.recorder().node(name));
      Ending ending =
          isReached(name, milestone)
              ? Ending.CAME
              : milestone.isLost(host) ? Ending.FAILED : Ending.LATE;
      cluster.recorder().add(new Awaited(now(), name, milestone, ending, state));
      if (ending != Ending.CAME) {
        leaveOut(name, "%s did not come: %s".formatted(milestone.word(), state));
      }
    }
  }

  private boolean isReached(String name, Milestone milestone) {
    return milestone.isReached(host(name), cluster.recorder().node(name), now());
  }

  private void leaveOut(String name, String why) {
    present.remove(name);
    progress.accept("%s is left out from now on: %s".formatted(name, why));
  }

  private void rest() {
    List<String> names = present();
    Instant from = now();
    cluster.await(() -> false, settings.rest());
    names.forEach(name -> cluster.recorder().add(new History.Rested(now(), name, from)));
  }

  private List<String> present() {
    return List.copyOf(present);
  }

  private Host host(String name) {
    return cluster.recorder().host(name);
  }

  private Instant now() {
    return cluster.now();
  }
}
