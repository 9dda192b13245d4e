package io.nodepool.drill.document;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.nodepool.drill.Scenario;
import io.nodepool.drill.workload.Autoscaler;
import io.nodepool.drill.workload.BudgetRule;
import io.nodepool.drill.workload.PodPriority;
import io.nodepool.drill.workload.WorkloadManifest;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.client.ApiSerialization;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.vocabulary.metadata.PodAnnotations;
import io.nodepool.whatif.Question;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the manifests of a scenario. */
final class ObjectsDocument {
  /** Labels of Pods of a group, which start together: of Kueue, and of coscheduling and Slurm. */
  private static final List<String> POD_GROUPS =
      List.of("kueue.x-k8s.io/pod-group-name", "scheduling.x-k8s.io/pod-group");

  /** Kueue's label of a Job: its Pods start together. */
  private static final String QUEUE = "kueue.x-k8s.io/queue-name";

  private static final String DEFAULT_NAMESPACE = "default";

  /** Kinds that are played. */
  private static final List<Class<? extends HasMetadata>> KINDS =
      List.of(
          NodePool.class,
          Deployment.class,
          StatefulSet.class,
          DaemonSet.class,
          Job.class,
          Pod.class,
          PodDisruptionBudget.class,
          PriorityClass.class);

  private final List<Question.Wanted> pools = new ArrayList<>();
  private final SortedMap<String, WorkloadManifest> workloads = new TreeMap<>();
  private final List<BudgetRule> budgets = new ArrayList<>();
  private final SortedMap<String, PodPriority> priorities =
      new TreeMap<>(
          Map.of(
              "system-cluster-critical", new PodPriority(2_000_000_000, true, false),
              "system-node-critical", new PodPriority(2_000_001_000, true, false)));

  /** Parts that are not played. */
  final List<String> warnings = new ArrayList<>();

  /** Adds the objects of a manifest. */
  void add(String where, JsonNode manifest) {
    if (manifest.path("items").isArray()) {
      manifest.path("items").forEach(item -> add(where, item));
      return;
    }
    String kind = manifest.path("kind").asText("");
    String version = manifest.path("apiVersion").asText("");
    String name = manifest.at("/metadata/name").asText("");
    if (kind.isEmpty() || version.isEmpty() || name.isEmpty()) {
      throw new ScenarioMistake(
          where, "is no manifest: it lacks apiVersion, kind or metadata.name");
    }
    Optional<Class<? extends HasMetadata>> type =
        KINDS.stream()
            .filter(each ->
                HasMetadata.getKind(each).equals(kind)
                    && HasMetadata.getApiVersion(each).equals(version))
            .findFirst();
    if (type.isEmpty()) {
      warnings.add("%s: %s %s is not played".formatted(where, kind, name));
      return;
    }
    ApiSerialization json = ApiSerialization.shared();
    try {
      add(where, json.unmarshal(manifest.toString(), type.get()));
    } catch (IllegalArgumentException e) {
      throw new ScenarioMistake(
          where,
          "%s %s cannot be read: %s"
              .formatted(kind, name, String.valueOf(e.getMessage()).lines().findFirst().orElse("")),
          e);
    }
  }

  private void add(String where, HasMetadata object) {
    switch (object) {
      case NodePool pool -> pools.add(wanted(where, pool));
      case Deployment deployment ->
          add(
              where,
              WorkloadManifest.Kind.DEPLOYMENT,
              deployment,
              Objects.requireNonNullElse(deployment.getSpec().getReplicas(), 1),
              deployment.getSpec().getTemplate());
      case StatefulSet set ->
          add(
              where,
              WorkloadManifest.Kind.STATEFUL_SET,
              set,
              Objects.requireNonNullElse(set.getSpec().getReplicas(), 1),
              set.getSpec().getTemplate());
      case DaemonSet set ->
          add(where, WorkloadManifest.Kind.DAEMON_SET, set, 0, set.getSpec().getTemplate());
      case Job job ->
          add(
              where,
              WorkloadManifest.Kind.JOB,
              job,
              Objects.requireNonNullElse(
                  job.getSpec().getCompletions(),
                  Objects.requireNonNullElse(job.getSpec().getParallelism(), 1)),
              job.getSpec().getTemplate());
      case Pod pod ->
          add(
              where,
              WorkloadManifest.Kind.POD,
              pod,
              1,
              new PodTemplateSpec(pod.getMetadata(), pod.getSpec()));
      case PodDisruptionBudget budget -> budgets.add(budget(where, budget));
      case PriorityClass priority ->
          priorities.put(
              priority.getMetadata().getName(),
              PodPriority.of(
                  Objects.requireNonNullElse(priority.getValue(), 0),
                  Objects.requireNonNullElse(priority.getPreemptionPolicy(), ""),
                  Boolean.TRUE.equals(priority.getGlobalDefault())));
      default -> throw new IllegalStateException("no kind that is played: " + object.getKind());
    }
  }

  /** The NodePool of a manifest. */
  static Question.Wanted wanted(String where, NodePool pool) {
    String name = pool.getMetadata().getName();
    try {
      return new Question.Wanted(name, PoolConversion.ofManifest(pool));
    } catch (UnreadableObjectException e) {
      throw new ScenarioMistake(where, "NodePool %s: %s".formatted(name, e.getMessage()), e);
    }
  }

  private void add(
      String where,
      WorkloadManifest.Kind kind,
      HasMetadata object,
      int replicas,
      PodTemplateSpec template) {
    ObjectMeta metadata = object.getMetadata();
    WorkloadManifest.Id id =
        new WorkloadManifest.Id(
            Objects.requireNonNullElse(metadata.getNamespace(), DEFAULT_NAMESPACE),
            metadata.getName());
    String what = "%s: %s %s".formatted(where, kind.word(), id);
    if (template == null || template.getSpec() == null) {
      throw new ScenarioMistake(what, "has no Pod template");
    }
    if (template.getMetadata() == null) {
      template.setMetadata(new ObjectMeta());
    }
    warn(what, template.getSpec());
    Map<String, String> labels = orNone(template.getMetadata().getLabels());
    Map<String, String> annotations = orNone(template.getMetadata().getAnnotations());
    boolean gang =
        POD_GROUPS.stream().anyMatch(labels::containsKey)
            || (kind == WorkloadManifest.Kind.JOB
                && orNone(metadata.getLabels()).containsKey(QUEUE));
    WorkloadManifest.Work work =
        new WorkloadManifest.Work(
            duration(what, annotations, PodAnnotations.RUN_FOR),
            duration(what, annotations, PodAnnotations.CHECKPOINT_EVERY),
            gang,
            object instanceof Job job
                ? Objects.requireNonNullElse(job.getSpec().getParallelism(), 1)
                : replicas);
    if (kind == WorkloadManifest.Kind.JOB && work.lasts().isEmpty()) {
      warnings.add(
          "%s never completes: its Pods have no annotation %s"
              .formatted(what, PodAnnotations.RUN_FOR.key()));
    }
    if (workloads.put(id.toString(), new WorkloadManifest(kind, id, replicas, template, work))
        != null) {
      throw new ScenarioMistake(what, "another workload has this name");
    }
  }

  private static Optional<Duration> duration(
      String what, Map<String, String> annotations, PodAnnotations annotation) {
    return Optional.ofNullable(annotations.get(annotation.key()))
        .map(text -> Fields.duration(what + ": " + annotation.key(), text));
  }

  private static Map<String, String> orNone(@Nullable Map<String, String> map) {
    return map == null ? Map.of() : map;
  }

  /** Warns of fields of a Pod that are not played. */
  private void warn(String what, PodSpec spec) {
    warn(what, "topologySpreadConstraints", !spec.getTopologySpreadConstraints().isEmpty());
    warn(what, "schedulingGates", !spec.getSchedulingGates().isEmpty());
    warn(what, "resourceClaims", !spec.getResourceClaims().isEmpty());
    warn(what, "nodeName", spec.getNodeName() != null);
    warn(
        what,
        "volumes[].persistentVolumeClaim",
        spec.getVolumes().stream().anyMatch(each -> each.getPersistentVolumeClaim() != null));
    warn(
        what,
        "affinity.podAffinity",
        spec.getAffinity() != null && spec.getAffinity().getPodAffinity() != null);
    warn(
        what,
        "affinity.podAntiAffinity",
        spec.getAffinity() != null && spec.getAffinity().getPodAntiAffinity() != null);
    warn(
        what,
        "affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution",
        spec.getAffinity() != null
            && spec.getAffinity().getNodeAffinity() != null
            && !spec.getAffinity()
                .getNodeAffinity()
                .getPreferredDuringSchedulingIgnoredDuringExecution()
                .isEmpty());
  }

  private void warn(String what, String field, boolean is) {
    if (is) {
      warnings.add("%s: spec.%s of its Pods is not played".formatted(what, field));
    }
  }

  private static BudgetRule budget(String where, PodDisruptionBudget budget) {
    String name = budget.getMetadata().getName();
    LabelSelector selector = budget.getSpec() == null ? null : budget.getSpec().getSelector();
    if (selector == null) {
      throw new ScenarioMistake(where, "PodDisruptionBudget %s has no selector".formatted(name));
    }
    IntOrString unavailable = budget.getSpec().getMaxUnavailable();
    IntOrString least = budget.getSpec().getMinAvailable();
    IntOrString number =
        unavailable != null ? unavailable : Objects.requireNonNullElse(least, new IntOrString(1));
    boolean percent = number.getIntVal() == null;
    String text = percent ? number.getStrVal().replace("%", "") : "";
    if (percent && !text.matches("[0-9]{1,3}")) {
      throw new ScenarioMistake(
          where,
          "PodDisruptionBudget %s: \"%s\" is neither a number nor a percentage"
              .formatted(name, number.getStrVal()));
    }
    return new BudgetRule(
        Objects.requireNonNullElse(budget.getMetadata().getNamespace(), DEFAULT_NAMESPACE),
        name,
        selector,
        percent,
        percent ? Integer.parseInt(text) : number.getIntVal(),
        unavailable != null);
  }

  /** All objects, with or without an autoscaler of these settings. */
  Scenario.Objects objects(Optional<Autoscaler.Settings> autoscaler) {
    if (autoscaler.isEmpty()) {
      pools.stream()
          .filter(pool -> pool.spec().size().autoscaling())
          .forEach(pool ->
              warnings.add(
                  "NodePool %s has autoscaling, and the scenario has no autoscaler: {}"
                      .formatted(pool.name())));
    }
    return new Scenario.Objects(pools, workloads, budgets, autoscaler, priorities);
  }
}
