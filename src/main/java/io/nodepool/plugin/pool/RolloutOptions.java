package io.nodepool.plugin.pool;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.kubernetes.convert.RolloutAnnotations;
import io.nodepool.kubernetes.convert.RolloutAnnotations.Setting;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.plugin.request.PoolReading;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** The settings of a rollout, as options; settings that are not given do not change. */
public final class RolloutOptions {
  @Option(
      names = "--max-unavailable",
      paramLabel = "N",
      converter = SettingValues.OfMaxUnavailable.class,
      description =
          "Begin a Node only while fewer than this are unavailable, whatever the cause: a number, or a percentage such as 10%%; of racks for types that come in racks. Default: the larger one of 1 and 5%%.")
  private Optional<String> maxUnavailable = Optional.empty();

  @Option(
      names = "--canary",
      paramLabel = "N",
      converter = SettingValues.OfCanary.class,
      description = "Bring this many Nodes up to date first. 0 for none, which is the default.")
  private Optional<String> canary = Optional.empty();

  @Option(
      names = "--soak",
      paramLabel = "DURATION",
      converter = SettingValues.OfSoak.class,
      description =
          "With a canary: how long it must have been up to date before the others begin, such as 30m.")
  private Optional<String> soak = Optional.empty();

  @Option(
      names = "--evict",
      negatable = true,
      description =
          "Drain busy Nodes, within PodDisruptionBudgets until the deadline of the drain; then Pods that are left are deleted, whatever a budget says. With --no-evict, the default, busy Nodes are begun once they are idle, and those that are being drained are released; so does rollout stop.")
  private Optional<Boolean> evict = Optional.empty();

  /** The settings with which the rollout of this NodePool would begin. */
  RolloutSettings settings(PoolReading seen) {
    Map<String, String> all = new TreeMap<>(seen.annotations());
    all.putAll(given());
    return usable(RolloutAnnotations.read(all));
  }

  /** The settings with which a rollout would begin in a NodePool with these settings. */
  public RolloutSettings over(RolloutSettings present) {
    RolloutSettings next = RolloutAnnotations.read(given());
    return usable(
        usable(present)
            .withMaxUnavailable(
                maxUnavailable.isPresent() ? next.maxUnavailable() : present.maxUnavailable())
            .withCanary(
                canary.isPresent() ? next.canary() : present.canary(),
                soak.isPresent() ? next.soak() : present.soak())
            .withEvict(evict.orElse(present.evict()))
            .withProblem(next.problem()));
  }

  private static RolloutSettings usable(RolloutSettings settings) {
    settings
        .problem()
        .ifPresent(why -> {
          throw new CommandFailure(why);
        });
    return settings;
  }

  /** Whether the options keep this eviction. */
  boolean areOfEviction(boolean evicts) {
    return evict.isEmpty() || evict.get() == evicts;
  }

  /** The annotations that are given. */
  Map<String, String> given() {
    Map<String, String> given = new TreeMap<>();
    maxUnavailable.ifPresent(text -> given.put(Setting.MAX_UNAVAILABLE.annotation().key(), text));
    canary.ifPresent(text -> given.put(Setting.CANARY.annotation().key(), text));
    soak.ifPresent(text -> given.put(Setting.SOAK.annotation().key(), text));
    evict.ifPresent(yes -> given.put(Setting.EVICT.annotation().key(), String.valueOf(yes)));
    return given;
  }
}
