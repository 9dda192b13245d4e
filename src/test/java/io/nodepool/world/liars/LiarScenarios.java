package io.nodepool.world.liars;

import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Runs that are not drawn, in which a fault in the brakes of repairs shows. */
public final class LiarScenarios {
  private static final String OUT_NOW = "GPUFallenOffBus";
  private static final String OUT_WHEN_IDLE = "NodeGPUNVLinkDown";
  private static final int NODES = 20;

  private static final Map<String, LiarRun> ALL =
      Map.of(
          "a false alarm about a few busy Nodes",
          busy(LiarRun.Fleet.VERIFIES, Liar.Who.FEW),
          "a false alarm that follows, beside restarts",
          following(),
          "false alarms about idle Nodes",
          idle(1),
          "false alarms about idle Nodes of two pools",
          idle(2),
          "a false alarm about an idle pool",
          run(
              1,
              List.of(pool(NODES)),
              LiarRun.Fleet.VERIFIES,
              0,
              List.of(liar("KernelDeadlock", 0, Liar.Who.ALL)),
              List.of()),
          "a false alarm about a busy pool",
          busy(LiarRun.Fleet.VERIFIES, Liar.Who.ALL),
          "a false alarm about a busy pool whose machines do not answer",
          busy(LiarRun.Fleet.NEVER, Liar.Who.ALL),
          "a false alarm about a busy pool of a fleet that does not verify",
          busy(LiarRun.Fleet.CANNOT, Liar.Who.ALL),
          "a partition",
          partition());

  private LiarScenarios() {}

  /** The first violation in the run of this name; empty without one, or without such a run. */
  public static Optional<String> violation(String name, OperatorOverrides overrides) {
    return Optional.ofNullable(ALL.get(name)).stream()
        .flatMap(run -> new LiarPlay(run, overrides).play().violations().stream())
        .map(Violation::toString)
        .findFirst();
  }

  /** One of which work may end. */
  private static LiarRun run(
      long seed,
      List<LiarRun.PoolPlan> pools,
      LiarRun.Fleet fleet,
      int busy,
      List<Liar> liars,
      List<LiarRun.Timed<LiarRun.Beside>> beside) {
    return new LiarRun(
        seed,
        pools,
        false,
        fleet,
        new LiarRun.Work(busy, LiarRun.Work.ENDLESS, false),
        liars,
        Optional.empty(),
        beside,
        List.of(),
        Optional.empty());
  }

  private static LiarRun.PoolPlan pool(int size) {
    return new LiarRun.PoolPlan(size, 0, false);
  }

  private static Liar liar(String alert, int pool, Liar.Who who) {
    return new Liar(
        alert,
        pool,
        who,
        Duration.ofMinutes(10),
        Duration.ofHours(20),
        true,
        true,
        Duration.ofHours(3),
        Duration.ofHours(21));
  }

  private static LiarRun busy(LiarRun.Fleet fleet, Liar.Who who) {
    return run(
        1, List.of(pool(NODES)), fleet, 100, List.of(liar(OUT_WHEN_IDLE, 0, who)), List.of());
  }

  private static LiarRun following() {
    return run(
        1,
        List.of(pool(NODES)),
        LiarRun.Fleet.VERIFIES,
        100,
        List.of(liar(OUT_WHEN_IDLE, 0, Liar.Who.FOLLOWING)),
        Stream.iterate(Duration.ofMinutes(30), at -> at.plusMinutes(30))
            .limit(6)
            .map(at -> new LiarRun.Timed<>(LiarRun.Beside.RESTART, at))
            .toList());
  }

  private static LiarRun idle(int pools) {
    return run(
        1,
        Collections.nCopies(pools, pool(8)),
        LiarRun.Fleet.VERIFIES,
        0,
        IntStream.range(0, pools)
            .boxed()
            .flatMap(pool ->
                Stream.of(OUT_NOW, OUT_WHEN_IDLE)
                    .map(alert -> liar(alert, pool, Liar.Who.FOLLOWING)))
            .toList(),
        List.of());
  }

  private static LiarRun partition() {
    return run(
        1,
        List.of(pool(NODES)),
        LiarRun.Fleet.VERIFIES,
        0,
        List.of(),
        List.of(new LiarRun.Timed<>(LiarRun.Beside.PARTITION, Duration.ofMinutes(30))));
  }
}
