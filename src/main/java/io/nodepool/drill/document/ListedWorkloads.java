package io.nodepool.drill.document;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.metadata.PodAnnotations;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The workloads of a cluster as manifests of a drill, without fields that are not played and
 * without system Namespaces. Pods whose kind of owner is not played become a StatefulSet, since
 * such an owner replaces them.
 */
final class ListedWorkloads {
  private static final Set<String> SYSTEM =
      Set.of("kube-system", "kube-public", "kube-node-lease", "nodepool-system");

  /** Owners whose own manifest is written, or that need none. */
  private static final Set<String> PLAYED =
      Set.of("ReplicaSet", "StatefulSet", "DaemonSet", "Job", "Node");

  private final List<HasMetadata> manifests = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();
  private final Set<String> names = new HashSet<>();
  private final Set<String> classes = new TreeSet<>();

  private ListedWorkloads() {}

  /** The workloads of these objects. */
  static ListedWorkloads of(List<HasMetadata> objects) {
    ListedWorkloads all = new ListedWorkloads();
    Map<String, List<Pod>> owned = new TreeMap<>();
    objects.stream()
        .filter(each -> !isOfTheSystem(each))
        .sorted(
            Comparator.comparing((HasMetadata each) -> each.getKind())
                .thenComparing(
                    each -> Objects.requireNonNullElse(each.getMetadata().getNamespace(), ""))
                .thenComparing(each -> each.getMetadata().getName()))
        .forEach(each -> all.add(each, owned));
    owned.forEach(all::addOwned);
    return all;
  }

  /** Whether an object belongs to the cluster itself. */
  static boolean isOfTheSystem(HasMetadata object) {
    return SYSTEM.contains(Objects.requireNonNullElse(object.getMetadata().getNamespace(), ""));
  }

  /** The annotations without those of kubectl and controllers. */
  static Map<String, String> written(@Nullable Map<String, String> annotations) {
    return annotations == null
        ? Map.of()
        : annotations.entrySet().stream()
            .filter(each -> !each.getKey().contains("kubernetes.io/"))
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey, Map.Entry::getValue, (a, _) -> a, TreeMap::new));
  }

  List<HasMetadata> manifests() {
    return List.copyOf(manifests);
  }

  /** Remarks for a reader of the scenario. */
  List<String> remarks() {
    return List.copyOf(remarks);
  }

  /** The names of the priority classes of their Pods. */
  Set<String> priorityClasses() {
    return Set.copyOf(classes);
  }

  private void add(HasMetadata object, Map<String, List<Pod>> owned) {
    switch (object) {
      case Deployment deployment ->
          addDeployment(
              deployment, deployment.getSpec().getReplicas(), deployment.getSpec().getTemplate());
      case ReplicaSet set
          when owner(set).filter(each -> !each.getKind().equals("Deployment")).isPresent()
              || (owner(set).isEmpty() && replicas(set.getSpec().getReplicas()) > 0) ->
          addDeployment(set, set.getSpec().getReplicas(), set.getSpec().getTemplate());
      case StatefulSet set ->
          manifests.add(
              new StatefulSetBuilder()
                  .withMetadata(metadata(set))
                  .withNewSpec()
                  .withReplicas(set.getSpec().getReplicas())
                  .withTemplate(template(set.getSpec().getTemplate()))
                  .endSpec()
                  .build());
      case DaemonSet set ->
          manifests.add(
              new DaemonSetBuilder()
                  .withMetadata(metadata(set))
                  .withNewSpec()
                  .withTemplate(template(set.getSpec().getTemplate()))
                  .endSpec()
                  .build());
      case Job job when isOpen(job) ->
          manifests.add(
              new JobBuilder()
                  .withMetadata(metadata(job))
                  .withNewSpec()
                  .withParallelism(job.getSpec().getParallelism())
                  .withCompletions(left(job))
                  .withTemplate(template(job.getSpec().getTemplate()))
                  .endSpec()
                  .build());
      case Pod pod when isOpen(pod) -> {
        Optional<OwnerReference> owner = owner(pod);
        if (owner.isEmpty()) {
          PodTemplateSpec template =
              template(new PodTemplateSpec(pod.getMetadata(), pod.getSpec()));
          manifests.add(
              new PodBuilder()
                  .withMetadata(
                      metadata(pod)
                          .edit()
                          .withLabels(template.getMetadata().getLabels())
                          .withAnnotations(template.getMetadata().getAnnotations())
                          .build())
                  .withSpec(template.getSpec())
                  .build());
        } else if (!PLAYED.contains(owner.get().getKind())) {
          owned
              .computeIfAbsent(
                  "%s/%s/%s"
                      .formatted(
                          pod.getMetadata().getNamespace(),
                          owner.get().getKind(),
                          owner.get().getName()),
                  _ -> new ArrayList<>())
              .add(pod);
        }
      }
      default -> {
        // Other objects are no work, have completed, or their owner is written.
      }
    }
  }

  private void addDeployment(HasMetadata of, @Nullable Integer replicas, PodTemplateSpec pods) {
    manifests.add(
        new DeploymentBuilder()
            .withMetadata(metadata(of))
            .withNewSpec()
            .withReplicas(replicas)
            .withTemplate(template(pods))
            .endSpec()
            .build());
  }

  private void addOwned(String owner, List<Pod> pods) {
    Pod first = pods.getFirst();
    OwnerReference reference = owner(first).orElseThrow();
    remarks.add(
        "%s of %s %s/%s: written as a StatefulSet, of the first one's spec."
            .formatted(
                Messages.count(pods.size(), "Pod"),
                reference.getKind(),
                first.getMetadata().getNamespace(),
                reference.getName()));
    Pod named =
        new PodBuilder(first).editMetadata().withName(reference.getName()).endMetadata().build();
    manifests.add(
        new StatefulSetBuilder()
            .withMetadata(metadata(named))
            .withNewSpec()
            .withReplicas(pods.size())
            .withTemplate(template(new PodTemplateSpec(first.getMetadata(), first.getSpec())))
            .endSpec()
            .build());
  }

  private static Optional<OwnerReference> owner(HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .filter(each -> Boolean.TRUE.equals(each.getController()))
        .findFirst();
  }

  private static int replicas(@Nullable Integer replicas) {
    return Objects.requireNonNullElse(replicas, 1);
  }

  private static boolean isOpen(Job job) {
    boolean isDone = job.getStatus() != null && job.getStatus().getCompletionTime() != null;
    return !isDone && !Boolean.TRUE.equals(job.getSpec().getSuspend()) && left(job) > 0;
  }

  /** How many of its Pods must still complete. */
  private static int left(Job job) {
    int all =
        Objects.requireNonNullElse(
            job.getSpec().getCompletions(), replicas(job.getSpec().getParallelism()));
    int done =
        job.getStatus() == null ? 0 : Objects.requireNonNullElse(job.getStatus().getSucceeded(), 0);
    return all - done;
  }

  private static boolean isOpen(Pod pod) {
    String phase = pod.getStatus() == null ? "" : pod.getStatus().getPhase();
    return !"Succeeded".equals(phase)
        && !"Failed".equals(phase)
        && pod.getMetadata().getDeletionTimestamp() == null;
  }

  /** The name of an object, with its kind if another object has the name. */
  private ObjectMeta metadata(HasMetadata object) {
    String namespace = object.getMetadata().getNamespace();
    String name = object.getMetadata().getName();
    while (!names.add(namespace + "/" + name)) {
      name = name + "-" + object.getKind().toLowerCase(Locale.ROOT);
    }
    return new ObjectMetaBuilder()
        .withNamespace(namespace)
        .withName(name)
        .withLabels(object.getMetadata().getLabels())
        .build();
  }

  /** The fields that decide where Pods run and when they end, and fields that a drill warns of. */
  private PodTemplateSpec template(PodTemplateSpec from) {
    PodSpec spec = from.getSpec();
    Optional.ofNullable(spec.getPriorityClassName()).ifPresent(classes::add);
    Map<String, String> annotations = written(from.getMetadata().getAnnotations());
    Set<String> known =
        Arrays.stream(PodAnnotations.values()).map(PodAnnotations::key).collect(Collectors.toSet());
    return new PodTemplateSpecBuilder()
        .withNewMetadata()
        .withLabels(from.getMetadata().getLabels())
        .withAnnotations(
            annotations.entrySet().stream()
                .filter(each -> known.contains(each.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)))
        .endMetadata()
        .withSpec(
            new PodSpecBuilder()
                .withContainers(containers(spec.getContainers()))
                .withInitContainers(containers(spec.getInitContainers()))
                .withNodeSelector(spec.getNodeSelector())
                .withAffinity(spec.getAffinity())
                .withTolerations(
                    spec.getTolerations().stream()
                        // The API server adds these to each Pod.
                        .filter(each -> each.getTolerationSeconds() == null)
                        .toList())
                .withTerminationGracePeriodSeconds(spec.getTerminationGracePeriodSeconds())
                .withPriorityClassName(spec.getPriorityClassName())
                .withTopologySpreadConstraints(spec.getTopologySpreadConstraints())
                .withSchedulingGates(spec.getSchedulingGates())
                .withResourceClaims(spec.getResourceClaims())
                .withVolumes(
                    spec.getVolumes().stream()
                        .filter(each -> each.getPersistentVolumeClaim() != null)
                        .toList())
                .build())
        .build();
  }

  private static List<Container> containers(List<Container> all) {
    return all.stream()
        .map(each ->
            new ContainerBuilder()
                .withName(each.getName())
                .withImage(each.getImage())
                .withResources(each.getResources())
                .build())
        .toList();
  }
}
