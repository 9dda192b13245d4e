package io.nodepool.drill;

import io.nodepool.drill.script.ScriptEntry;
import io.nodepool.drill.workload.Autoscaler;
import io.nodepool.drill.workload.BudgetRule;
import io.nodepool.drill.workload.PodPriority;
import io.nodepool.drill.workload.WorkloadManifest;
import io.nodepool.simulated.DataCentre;
import io.nodepool.whatif.Question;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The scenario of a drill.
 *
 * @param lasts how long, in virtual time
 * @param objects the objects at its start
 * @param expectations what must hold
 * @param warnings the parts of the manifests that are not played
 */
public record Scenario(
    String name,
    Duration lasts,
    Site site,
    Objects objects,
    List<ScriptEntry> script,
    List<Expectation> expectations,
    List<String> warnings) {
  /**
   * The data centre.
   *
   * @param kubelet the version of Kubernetes that its kubelets report
   * @param seeded whether its seed is given: else the names and timings of machines differ in each
   *     run
   */
  public record Site(DataCentre dataCentre, String kubelet, boolean seeded) {}

  /**
   * The objects of users.
   *
   * @param workloads by Namespace and name
   * @param autoscaler the settings of the autoscaler; empty if there is none
   * @param priorities the priority classes, by name
   */
  public record Objects(
      List<Question.Wanted> pools,
      SortedMap<String, WorkloadManifest> workloads,
      List<BudgetRule> budgets,
      Optional<Autoscaler.Settings> autoscaler,
      SortedMap<String, PodPriority> priorities) {
    public Objects {
      pools = List.copyOf(pools);
      budgets = List.copyOf(budgets);
    }
  }

  public Scenario {
    script = List.copyOf(script);
    expectations = List.copyOf(expectations);
    warnings = List.copyOf(warnings);
  }

  /** The values that expressions may use, with their meanings. */
  static final Map<String, String> VALUES =
      Map.of(
          "pools", "the NodePools by name",
          "workloads", "the workloads by Namespace and name",
          "machines", "how many machines are in which state",
          "totals", "what happened so far",
          "hours", "hours since the start");
}
