package io.nodepool.world;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/** A fleet that reclaims machines of spot pools at random moments. */
final class SpotMonkey {
  private final Drill drill;
  private final WorldCluster cluster;
  private final SplittableRandom random;

  SpotMonkey(Drill drill) {
    this.drill = drill;
    this.cluster = drill.world.cluster();
    this.random = drill.random;
  }

  /** Reclaims a machine, preferably one whose Node is in removal. */
  void reclaimOne() {
    machine().ifPresent(this::reclaim);
  }

  /** Reclaims all machines that spot pools hold. */
  void reclaimAll() {
    held().forEach(this::reclaim);
  }

  /** Reclaims a machine, and withdraws that within some minutes. */
  void reclaimForAWhile() {
    machine()
        .ifPresent(host -> {
          reclaim(host);
          drill.world.later(
              Duration.ofSeconds(10 + random.nextInt(300)), () -> drill.withdraw(host));
        });
  }

  /** Withdraws all notices. */
  void withdrawAll() {
    names(host -> host.reclaim().isPresent()).forEach(drill::withdraw);
  }

  /** A fleet mostly gives the longest window, and sometimes less time. */
  private void reclaim(String host) {
    Duration less = Duration.ofSeconds(60 + random.nextInt(360));
    drill.reclaim(host, random.nextInt(3) > 0 ? Drill.RECLAIM_WINDOW : less);
  }

  private Optional<String> machine() {
    List<String> held = held();
    List<String> leaving =
        held.stream()
            .filter(host ->
                Optional.ofNullable(cluster.nodes().get(host))
                    .filter(Node::isTerminating)
                    .isPresent())
            .toList();
    List<String> choices = leaving.isEmpty() ? held : leaving;
    return choices.isEmpty()
        ? Optional.empty()
        : Optional.of(choices.get(random.nextInt(choices.size())));
  }

  private List<String> held() {
    return names(host -> host.assignment().filter(Assignment::isSpot).isPresent());
  }

  private List<String> names(Predicate<Host> which) {
    return cluster.hosts().values().stream().filter(which).map(host -> host.id().name()).toList();
  }
}
