package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.world.operator.Request;
import java.util.List;
import java.util.stream.Stream;

/**
 * Each request of a client for a reboot, which another cause joins while the machine boots or is
 * verified.
 */
final class RebootPairScenarios {
  /** A client's request, by its words. */
  private record Request(String name, LifecycleState state, boolean now) {}

  private static final List<Request> REQUESTS =
      List.of(
          new Request("reboot", LifecycleState.REBOOT, false),
          new Request("power reset", LifecycleState.POWER_RESET, false),
          new Request("reconfiguration", LifecycleState.RECONFIGURE, false),
          new Request("immediate reboot", LifecycleState.REBOOT, true),
          new Request("verification", LifecycleState.VERIFICATION, false));

  /** What happens to the Node with this name while its machine is out of service. */
  private interface Second {
    void comes(Drill drill, RebootClient client, String node);
  }

  private RebootPairScenarios() {}

  static Stream<Scenario> all() {
    return REQUESTS.stream()
        .flatMap(first ->
            Stream.of(
                pair(first, "scale-down", (drill, _, _) -> drill.pool("a").target(1)),
                pair(first, "pool deletion", (drill, _, _) -> drill.pool("a").delete()),
                pair(
                    first,
                    "preemption",
                    (drill, _, node) -> {
                      drill.reclaim(node).advance(20, MINUTES).withdraw(node);
                    }),
                pair(
                    first,
                    "the same again, and another",
                    (drill, client, node) -> {
                      client.request(node, first.state());
                      drill.advance(30, SECONDS);
                      client.request(
                          node,
                          first.state() == LifecycleState.POWER_RESET
                              ? LifecycleState.REBOOT
                              : LifecycleState.POWER_RESET);
                    })));
  }

  /** The first request, of an idle Node or at once of a busy one, is under way for 100 s. */
  private static Scenario pair(Request first, String name, Second second) {
    return new Scenario(
            first.name() + ", then " + name,
            drill -> {
              PreemptionScenarios.grownOnAll(drill, 2);
              String node = HardScenarios.node(drill, 0);
              RebootClient client = new RebootClient(drill);
              if (first.now()) {
                HardScenarios.work(drill, 0, "busy");
                drill.advance(1, MINUTES);
                client.requestNow(node, first.state());
              } else {
                client.request(node, first.state());
              }
              drill.advance(100, SECONDS);
              second.comes(drill, client, node);
            })
        .agreeing(Agreement.NAMES);
  }
}
