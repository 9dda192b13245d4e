package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orAbsent;
import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;
import static io.nodepool.kubernetes.convert.ObjectFacts.orNone;
import static io.nodepool.kubernetes.convert.ObjectFacts.orZero;
import static io.nodepool.kubernetes.convert.ObjectFacts.readableTime;

import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.affinity.AffinityText;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.api.StatusCondition;
import io.nodepool.kubernetes.convert.RolloutAnnotations.Setting;
import io.nodepool.model.Observation;
import io.nodepool.model.node.CauseRule.CountsAs;
import io.nodepool.model.occurrence.Occurrence;
import io.nodepool.model.occurrence.Occurrences;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.EventState;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.PoolStatus.RackCounts;
import io.nodepool.model.pool.RemovalBatch;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.Summary;
import io.nodepool.model.repair.ReleasedSuspects;
import io.nodepool.vocabulary.Word;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.SummaryReason;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Converts NodePools of the API to records, and their status back. */
public final class PoolConversion {
  /** The finalizer that keeps a pool until its Nodes are removed. */
  public static final String FINALIZER = "compute.coreweave.com/nodepool";

  /**
   * The target of a status without a target, such as an earlier version wrote. It differs from
   * every target, so that the status is written again.
   */
  private static final int NOT_PUBLISHED = -1;

  private PoolConversion() {}

  /**
   * The spec of a manifest, which lacks the fields that the API server sets.
   *
   * @throws UnreadableObjectException if it cannot be read
   */
  public static PoolSpec ofManifest(NodePool manifest) {
    manifest.getMetadata().setUid("");
    manifest.getMetadata().setResourceVersion("0");
    manifest.getMetadata().setGeneration(1L);
    manifest.getMetadata().setCreationTimestamp("1970-01-01T00:00:00Z");
    return pool(manifest).spec();
  }

  /**
   * A NodePool as a record.
   *
   * @throws UnreadableObjectException if the NodePool cannot be read
   */
  public static Pool pool(NodePool object) {
    NodePoolSpec spec = object.getSpec();
    if (spec == null) {
      throw new UnreadableObjectException("spec is missing");
    }
    ObjectFacts.requireKnownWords("spec.image", spec.image);
    ObjectFacts.requireKnownWords("spec.lifecycle", spec.lifecycle);
    ObjectFacts.requireKnownWords(
        "spec.nodeConfigurationUpdateStrategy", spec.nodeConfigurationUpdateStrategy);
    Long generation = object.getMetadata().getGeneration();
    Map<String, String> annotations = orNone(object.getMetadata().getAnnotations());
    return new Pool(
        id(object),
        ObjectFacts.version(object),
        generation == null ? 0 : generation,
        ObjectFacts.createdAt(object),
        ObjectFacts.deletedAt(object),
        object.getMetadata().getFinalizers().contains(FINALIZER),
        spec(spec, annotations, ConfigurationConversion.spec(object, annotations)),
        status(object.getStatus()));
  }

  /** The observation of a NodePool that exists and cannot be read. */
  public static Observation.PoolUnreadable unreadable(
      NodePool object, UnreadableObjectException why) {
    return new Observation.PoolUnreadable(
        id(object), ObjectFacts.version(object), String.valueOf(why.getMessage()));
  }

  /** A NodePool's identity. */
  public static PoolId id(NodePool object) {
    return new PoolId(ObjectFacts.name(object), ObjectFacts.uid(object));
  }

  private static PoolSpec.Pause pause(Map<String, String> annotations) {
    return new PoolSpec.Pause(
        text(annotations, PoolAnnotations.PAUSED), text(annotations, PoolAnnotations.RELEASE));
  }

  private static PoolSpec.RepairPolicy repair(Map<String, String> annotations) {
    return new PoolSpec.RepairPolicy(
        text(annotations, PoolAnnotations.REPAIR),
        repairLimits(annotations),
        ReleasedSuspects.read(text(annotations, PoolAnnotations.RELEASE_SUSPECTS)),
        text(annotations, PoolAnnotations.VERIFICATION_JOB),
        text(annotations, PoolAnnotations.PRESERVE));
  }

  private static String text(Map<String, String> annotations, PoolAnnotations annotation) {
    return annotations.getOrDefault(annotation.key(), "");
  }

  private static PoolSpec.RepairBrakes repairLimits(Map<String, String> annotations) {
    PoolSpec.RepairBrakes defaults = PoolSpec.RepairBrakes.DEFAULTS;
    Optional<String> problem =
        Stream.of(PoolAnnotations.REPAIR_MAX_UNAVAILABLE, PoolAnnotations.REPAIR_MAX_AT_ONCE)
            .flatMap(each -> Setting.MAX_UNAVAILABLE.problem(each, annotations).stream())
            .findFirst();
    Optional<Instant> released =
        ObjectFacts.readableTime(annotations.get(PoolAnnotations.RELEASE_HELD.key()));
    return new PoolSpec.RepairBrakes(
        limit(annotations, PoolAnnotations.REPAIR_MAX_UNAVAILABLE).orElse(defaults.unavailable()),
        limit(annotations, PoolAnnotations.REPAIR_MAX_AT_ONCE).orElse(defaults.atOnce()),
        problem,
        released,
        released.isPresent() ? "" : text(annotations, PoolAnnotations.RELEASE_HELD));
  }

  private static Optional<RolloutSettings.Limit> limit(
      Map<String, String> annotations, PoolAnnotations annotation) {
    return Optional.ofNullable(annotations.get(annotation.key()))
        .flatMap(RolloutAnnotations::limit);
  }

  private static PoolSpec spec(
      NodePoolSpec spec, Map<String, String> annotations, ConfigurationSpec configuration) {
    return new PoolSpec(
        new PoolSpec.Machines(
            spec.instanceType,
            spec.computeClass,
            AffinityText.read(text(annotations, PoolAnnotations.NODE_AFFINITY))),
        new PoolSpec.Size(
            optional(spec.targetNodes),
            optional(spec.targetRacks),
            orZero(spec.minNodes),
            orZero(spec.maxNodes),
            spec.autoscaling),
        NodeTemplates.template(spec.nodeLabels, spec.nodeAnnotations, spec.nodeTaints),
        configuration,
        lifecycle(spec.lifecycle),
        repair(annotations),
        spec.schedulingPriority == null ? 0 : orZero(spec.schedulingPriority.value),
        spec.prefill != null && spec.prefill.enabled,
        pause(annotations));
  }

  /** Which work may be interrupted; missing and unknown values interrupt no Pod. */
  private static PoolSpec.Lifecycle lifecycle(NodePoolSpec.@Nullable Lifecycle object) {
    return object == null
        ? PoolSpec.Lifecycle.DEFAULTS
        : new PoolSpec.Lifecycle(
            object.scaleDownStrategy == NodePoolSpec.ScaleDownStrategy.PREFER_IDLE
                ? PoolSpec.ScaleDownStrategy.PREFER_IDLE
                : PoolSpec.ScaleDownStrategy.IDLE_ONLY,
            object.disableUnhealthyNodeEviction);
  }

  private static OptionalInt optional(@Nullable Integer value) {
    return value == null ? OptionalInt.empty() : OptionalInt.of(value);
  }

  /**
   * A NodePool's status as a record, without parts that no version of the operator writes.
   *
   * @throws UnreadableObjectException if the operator's working memory in it cannot be read
   */
  public static PoolStatus status(@Nullable NodePoolStatus status) {
    if (status == null) {
      return PoolStatus.NONE;
    }
    NodePoolStatus memory = WorkingMemory.of(status);
    return new PoolStatus(
        status.observedGeneration == null ? 0 : status.observedGeneration,
        new PoolStatus.NodeCounts(
            status.targetNodes == null ? NOT_PUBLISHED : status.targetNodes,
            orZero(status.currentNodes),
            orZero(status.inProgress),
            orZero(status.queuedNodes),
            racks(status.rackStatus),
            NodeStatesConversion.states(status.nodeStates)),
        removal(memory.removal),
        RepairsConversion.failedReboots(status.failedReboots),
        RepairsConversion.repairs(status.repairs),
        ConfigurationConversion.state(status, memory),
        orEmpty(memory.nodeMetadata),
        growth(memory.growth),
        conditions(status.conditions),
        WorkingMemory.eventState(memory),
        summary(status.summary));
  }

  private static Optional<RackCounts> racks(NodePoolStatus.@Nullable RackStatus racks) {
    return racks == null
        ? Optional.empty()
        : Optional.of(
            new RackCounts(orZero(racks.target), orZero(racks.current), orZero(racks.queued)));
  }

  private static NodePoolStatus.RackStatus racks(RackCounts racks) {
    NodePoolStatus.RackStatus object = new NodePoolStatus.RackStatus();
    object.target = racks.target();
    object.current = racks.current();
    object.queued = racks.queued();
    return object;
  }

  /**
   * The growth request. An unreadable request counts as absent: the operator owns it and writes it
   * again. A request without a time is made again.
   */
  private static Optional<Growth> growth(NodePoolStatus.@Nullable GrowthStatus growth) {
    return growth == null
        ? Optional.empty()
        : readableTime(growth.askedAt)
            .map(askedAt ->
                new Growth(
                    askedAt,
                    orZero(growth.target),
                    orZero(growth.granted),
                    orZero(growth.reached)));
  }

  private static Optional<Summary> summary(NodePoolStatus.@Nullable SummaryStatus summary) {
    return summary == null
        ? Optional.empty()
        : Word.of(SummaryReason.class, orEmpty(summary.reason))
            .map(reason -> new Summary(reason, orEmpty(summary.message)));
  }

  private static NodePoolStatus.SummaryStatus summary(Summary summary) {
    NodePoolStatus.SummaryStatus object = new NodePoolStatus.SummaryStatus();
    object.reason = summary.reason().word();
    object.message = summary.message();
    return object;
  }

  private static Map<PoolCondition, Condition> conditions(List<StatusCondition> stored) {
    Map<PoolCondition, Condition> conditions = new EnumMap<>(PoolCondition.class);
    for (StatusCondition condition : stored) {
      reason(condition)
          .ifPresent(reason ->
              conditions.put(
                  reason.condition(),
                  new Condition(reason, orEmpty(condition.message), since(condition))));
    }
    return conditions;
  }

  /** The reason of a condition whose type, reason and status belong together. */
  private static Optional<PoolReason> reason(StatusCondition condition) {
    return PoolCondition.allReasons().stream()
        .filter(reason -> reason.condition().type().equals(condition.type))
        .filter(reason -> reason.word().equals(condition.reason))
        .filter(reason -> reason.status().word().equals(condition.status))
        .findFirst();
  }

  private static Instant since(StatusCondition condition) {
    return readableTime(condition.lastTransitionTime).orElse(Instant.EPOCH);
  }

  /**
   * A status as published: counts of zero are written, and transition times have seconds precision,
   * as in Kubernetes.
   */
  public static NodePoolStatus status(PoolStatus status) {
    NodePoolStatus object = new NodePoolStatus();
    object.observedGeneration = status.observedGeneration();
    object.targetNodes = status.counts().target();
    object.currentNodes = status.currentNodes();
    object.inProgress = status.counts().inProgress();
    object.inProgressNodes = status.counts().inProgress();
    object.queuedNodes = status.counts().queued();
    object.prefillNodes = 0;
    object.rackStatus = status.counts().racks().map(PoolConversion::racks).orElse(null);
    object.nodeStates = NodeStatesConversion.object(status.counts().states());
    object.failedReboots = RepairsConversion.written(status.failedReboots());
    object.repairs = RepairsConversion.written(status.repairs());
    object.summary = status.summary().map(PoolConversion::summary).orElse(null);
    object.conditions =
        status.conditions().values().stream().map(PoolConversion::condition).toList();
    NodePoolStatus memory = new NodePoolStatus();
    memory.nodeMetadata = orAbsent(status.nodeMetadata());
    memory.growth = status.growth().map(PoolConversion::growth).orElse(null);
    memory.removal = removal(status);
    memory.eventState =
        status.events().equals(EventState.NONE) ? null : EventStateDocument.of(status.events());
    ConfigurationConversion.write(status.configuration(), object, memory);
    return WorkingMemory.with(memory, object);
  }

  private static RemovalBatch removal(NodePoolStatus.@Nullable RemovalStatus removal) {
    return removal == null
        ? RemovalBatch.NONE
        : new RemovalBatch(
            orZero(removal.batch),
            orZero(removal.leaving),
            orZero(removal.draining),
            orZero(removal.blocked),
            orZero(removal.forced),
            orZero(removal.failing));
  }

  private static NodePoolStatus.@Nullable RemovalStatus removal(PoolStatus status) {
    RemovalBatch batch = status.removal();
    if (batch.equals(RemovalBatch.NONE)) {
      return null;
    }
    Occurrences counts = status.events().batch(CountsAs.REMOVAL).counts();
    NodePoolStatus.RemovalStatus object = new NodePoolStatus.RemovalStatus();
    object.batch = batch.number();
    object.chosen = counts.of(Occurrence.CHOSEN);
    object.cordoned = counts.of(Occurrence.CORDONED);
    object.uncordoned = counts.of(Occurrence.UNCORDONED);
    object.drains = counts.of(Occurrence.DRAINED);
    object.blocks = counts.of(Occurrence.BLOCKED);
    object.forcedDrains = counts.of(Occurrence.FORCED);
    object.removed = counts.of(Occurrence.REMOVED);
    object.leaving = batch.terminating();
    object.draining = batch.draining();
    object.blocked = batch.blocked();
    object.forced = batch.forced();
    object.failing = batch.failing();
    return object;
  }

  private static NodePoolStatus.GrowthStatus growth(Growth growth) {
    NodePoolStatus.GrowthStatus object = new NodePoolStatus.GrowthStatus();
    object.askedAt = growth.askedAt().toString();
    object.target = growth.target();
    object.granted = growth.granted();
    object.reached = growth.reached();
    return object;
  }

  private static StatusCondition condition(Condition condition) {
    StatusCondition object = new StatusCondition();
    object.type = condition.reason().condition().type();
    object.status = condition.reason().status().word();
    object.reason = condition.reason().word();
    object.message = condition.message();
    object.lastTransitionTime = ObjectFacts.seconds(condition.since());
    return object;
  }
}
