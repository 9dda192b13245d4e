package io.nodepool.world;

import io.nodepool.model.node.Node;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** A client that requests reboots of all kinds at random moments, of machines that may fail. */
final class RebootMonkey {
  private static final List<LifecycleState> STATES =
      Stream.of(LifecycleState.values()).filter(LifecycleState::isRequestable).toList();

  private final Drill drill;
  private final WorldCluster cluster;
  private final SplittableRandom random;
  private final RebootClient client;

  RebootMonkey(Drill drill, SplittableRandom random) {
    this.drill = drill;
    this.cluster = drill.world.cluster();
    this.random = random;
    this.client = new RebootClient(drill);
  }

  /** Requests a safe reboot of a Node, in some runs of one whose machine will not do it well. */
  void request() {
    node()
        .ifPresent(node -> {
          mayFail(node);
          client.request(node, state());
        });
  }

  /** Requests a safe reboot of a Node whose machine does it well. */
  void requestSafely() {
    node().ifPresent(node -> client.request(node, state()));
  }

  /** Requests a reboot at once. */
  void requestNow() {
    node()
        .ifPresent(node -> {
          mayFail(node);
          client.requestNow(node, state());
        });
  }

  /** Requests a reboot, and takes that back within some minutes. */
  void requestForAWhile() {
    node()
        .ifPresent(node -> {
          client.request(node, state());
          drill.world.later(Duration.ofSeconds(random.nextInt(200)), () -> client.cancel(node));
        });
  }

  /**
   * Sets the annotation of an immediate request alone; another client may request a reboot at any
   * time after that.
   */
  void policyAlone() {
    node()
        .ifPresent(node -> {
          client.policyAlone(node);
          laterSafely(node);
        });
  }

  /**
   * Requests a reboot at once, and takes the label off within a minute, but not the annotation;
   * another client requests a safe reboot later.
   */
  void requestNowForAWhile() {
    node()
        .ifPresent(node -> {
          client.requestNow(node, state());
          Duration taken = Duration.ofMillis(random.nextInt(60_000));
          drill.world.later(taken, () -> client.cancel(node));
          laterSafely(node);
        });
  }

  private void laterSafely(String node) {
    LifecycleState state = state();
    drill.world.later(
        Duration.ofSeconds(60 + random.nextInt(300)), () -> client.request(node, state));
  }

  private void mayFail(String machine) {
    if (random.nextInt(3) == 0) {
      cluster
          .fleetOwner()
          .nextReboot(
              machine,
              any(
                  List.of(
                      RebootMishaps.Kind.HANG,
                      RebootMishaps.Kind.NOT_READY,
                      RebootMishaps.Kind.VERIFICATION_FAILURE)));
    } else if (random.nextInt(10) == 0) {
      cluster.fleetOwner().reboot(machine, 0, RebootMishaps.Kind.HANG);
    }
  }

  private LifecycleState state() {
    return any(STATES);
  }

  private Optional<String> node() {
    List<String> names = cluster.nodes().values().stream().map(Node::name).toList();
    return names.isEmpty() ? Optional.empty() : Optional.of(any(names));
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  /** Repairs all machines, and gives those that were set aside back. */
  void repair() {
    List.copyOf(cluster.hosts().values())
        .forEach(host -> {
          cluster.fleetOwner().healReboots(host.id().name());
          if (host.deliveries().isSetAside()) {
            cluster.fleetOwner().setAside(host.id().name(), "");
          }
        });
  }
}
