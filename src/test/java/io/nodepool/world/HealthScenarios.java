package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.world.cluster.WorldSignals;
import java.util.List;
import java.util.stream.Stream;

/**
 * Scenarios in which monitors report alerts. How often one is told depends on when an operator
 * starts, so they agree in the end only; what Nodes show then follows from what is reported.
 */
final class HealthScenarios {
  /** A boot ends it. */
  private static final SignalKey TIMEOUT = new SignalKey("alertmanager", "gpu0", "GPUTimeoutError");

  /** No boot ends it. */
  private static final SignalKey MEMORY = new SignalKey("dcgm", "host", "NodeMemoryError");

  private static final SignalKey UNKNOWN = new SignalKey("dcgm", "host", "SomethingNew");

  private HealthScenarios() {}

  static Stream<Scenario> all() {
    return Stream.of(flapping(), rebooted(), lost(), symptoms(), written());
  }

  private interface Play {
    void of(Drill drill, WorldSignals signals);
  }

  private static Scenario scenario(String name, Play play) {
    return new Scenario(
            name,
            drill -> {
              drill.pool("a").target(2).advance(90, MINUTES);
              // What is shown of alerts does not depend on what is done about them.
              drill
                  .pool("a")
                  .edit(
                      spec -> spec.withRepair(PoolSpec.RepairPolicy.DEFAULTS.withMode("observe")));
              play.of(drill, drill.world.cluster().signals());
            })
        .agreeing(Agreement.END);
  }

  private static String node(Drill drill, int place) {
    return drill.pool("a").nodes().get(place).name();
  }

  private static Signal now(Drill drill, SignalKey key) {
    return Signal.standing(key, drill.world.instant());
  }

  /** One alert comes and goes and stays in the end; another one ends. */
  private static Scenario flapping() {
    return scenario(
        "alerts that come and go",
        (drill, signals) -> {
          String host = node(drill, 0);
          signals.report(node(drill, 1), now(drill, MEMORY));
          for (int i = 0; i < 5; i++) {
            signals.report(host, now(drill, TIMEOUT));
            drill.advance(30, SECONDS);
            signals.report(host, now(drill, TIMEOUT).endedAt(drill.world.instant()));
            drill.advance(30, SECONDS);
          }
          signals.report(host, now(drill, TIMEOUT));
          signals.report(host, now(drill, UNKNOWN));
          signals.withdraw(node(drill, 1), MEMORY);
        });
  }

  /** Alerts stand over a boot of the machine; a monitor reports one of them anew. */
  private static Scenario rebooted() {
    return scenario(
        "alerts before and after a boot",
        (drill, signals) -> {
          String host = node(drill, 0);
          Signal timeout = now(drill, TIMEOUT);
          signals.report(host, timeout);
          signals.report(host, now(drill, MEMORY));
          drill.advance(3, MINUTES);
          new RebootClient(drill).request(host, LifecycleState.REBOOT);
          drill.advance(1, MINUTES);
          signals.withdraw(host, TIMEOUT);
          drill.advance(60, MINUTES);
          // A monitor that was away sends what it knew before the boot.
          signals.report(host, timeout);
          drill.advance(1, MINUTES);
          signals.report(host, timeout.endedAt(drill.world.instant()));
        });
  }

  /** A symptom beside its cause, more alerts than a Node shows, and one that ends in its hold. */
  private static Scenario symptoms() {
    return scenario(
        "symptoms, many alerts and one that is held",
        (drill, signals) -> {
          String host = node(drill, 0);
          signals.report(host, now(drill, key("NodeGPUXID145")));
          SignalKey late = new SignalKey("dcgm", "host", "KubeNodeNotReadyHGX");
          signals.report(node(drill, 1), now(drill, late));
          drill.advance(1, MINUTES);
          signals.report(host, now(drill, key("NodeGPUXID149NVSwitch")));
          List.of(
                  "DPULinkFlappingCPX",
                  "DPUNetworkFrameErrs",
                  "DPURouteLoop",
                  "GPUVeryHot",
                  "NodeLoadAverageHigh",
                  "NodeMemoryError",
                  "NodeNetworkReceiveErrs")
              .forEach(name -> signals.report(host, now(drill, key(name))));
          drill.advance(4, MINUTES);
          signals.report(node(drill, 1), now(drill, late).endedAt(drill.world.instant()));
        });
  }

  private static SignalKey key(String name) {
    return new SignalKey("dcgm", "host", name);
  }

  /** What monitors reported is deleted, and a part of it is reported again. */
  private static Scenario lost() {
    return scenario(
        "lost signals",
        (drill, signals) -> {
          String host = node(drill, 0);
          signals.report(host, now(drill, TIMEOUT));
          signals.report(host, now(drill, MEMORY));
          drill.advance(5, MINUTES);
          signals.delete(host);
          drill.advance(4, MINUTES);
          signals.report(host, now(drill, MEMORY));
          drill.pool("a").target(1);
        });
  }

  /** Two monitors write about one machine, one of them what was; one entry is garbled. */
  private static Scenario written() {
    return scenario(
        "signals written by two, and garbled",
        (drill, signals) -> {
          String host = node(drill, 0);
          Signal first = now(drill, TIMEOUT);
          signals.report(host, first);
          signals.report(host, now(drill, key(TIMEOUT.name())));
          signals.report(host, now(drill, MEMORY));
          drill.advance(5, MINUTES);
          signals.report(host, first.endedAt(drill.world.instant()));
          // The second replica of the monitor has not observed the end.
          signals.report(host, first);
          signals.garble(host, MEMORY);
          drill.advance(5, MINUTES);
          signals.report(host, first.endedAt(drill.world.instant()));
          signals.report(node(drill, 1), now(drill, MEMORY));
          signals.garble(node(drill, 1), MEMORY);
        });
  }
}
