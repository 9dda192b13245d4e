package io.nodepool.world.check.consent;

import io.nodepool.model.pool.PoolSpec;
import java.util.List;
import java.util.stream.Stream;

/**
 * Why Nodes may leave their pools, and which of these reasons allow to interrupt their work: by
 * what users wrote on pools, what fleets announced, and what became of machines.
 *
 * @param grounds what each cause says of that
 */
public record LeavingNodes(List<? extends LeavingNode.Ground> grounds) {
  /** What allows to interrupt the work on a Node so that it leaves. */
  public List<Consent> consents(LeavingNode leaving) {
    boolean alsoBusy =
        leaving.pool(
            leaving.since(),
            pool ->
                pool.filter(p ->
                        p.spec().lifecycle().scaleDownStrategy()
                            == PoolSpec.ScaleDownStrategy.PREFER_IDLE)
                    .isPresent());
    return Stream.concat(
            grounds.stream().flatMap(ground -> ground.consents(leaving)),
            grounds.stream()
                .filter(ground -> alsoBusy && ground.followsStrategy() && ground.demands(leaving))
                .map(_ -> Consent.LASTING))
        .toList();
  }

  /** What ends the respect for budgets whatever allowed the drain: its deadline, or before that. */
  public Stream<Consent> announced(LeavingNode leaving) {
    return Stream.concat(
        Stream.of(Consent.LASTING), grounds.stream().flatMap(ground -> ground.announced(leaving)));
  }

  /** What allows to interrupt the work on a Node whose machine is booted. */
  public Stream<Consent> rebootConsents(LeavingNode leaving) {
    return grounds.stream().flatMap(ground -> ground.rebootConsents(leaving));
  }

  /** Whether anything demanded that the machine of the Node is booted. */
  public boolean isRebootDemanded(LeavingNode leaving) {
    return grounds.stream().anyMatch(ground -> ground.demandsReboot(leaving));
  }

  /** Whether anything demanded that the Node leaves its pool. */
  public boolean isDemanded(LeavingNode leaving) {
    return grounds.stream().anyMatch(ground -> ground.demands(leaving));
  }
}
