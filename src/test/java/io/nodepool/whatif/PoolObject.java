package io.nodepool.whatif;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.nodepool.fleet.Taint;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodeTaint;
import io.nodepool.kubernetes.convert.CommandAnnotations;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A pool of the virtual world as an object of a real API server: as its user and the operator write
 * it. What no world has is not written, so that it would be a difference.
 */
final class PoolObject {
  private PoolObject() {}

  static NodePool of(Pool pool) {
    NodePool object = new NodePool();
    ObjectMetaBuilder metadata =
        ListedText.metadata(pool.id().name(), pool.id().uid(), pool.version())
            .withGeneration(pool.generation())
            .withCreationTimestamp(ObjectFacts.seconds(pool.createdAt()))
            .withAnnotations(annotations(pool));
    if (pool.guarded()) {
      metadata.addToFinalizers(PoolConversion.FINALIZER);
    }
    pool.deletionRequestedAt()
        .ifPresent(at -> metadata.withDeletionTimestamp(ObjectFacts.seconds(at)));
    object.setMetadata(metadata.build());
    object.setSpec(spec(pool.spec()));
    if (!pool.status().equals(PoolStatus.NONE)) {
      object.setStatus(PoolConversion.status(pool.status()));
    }
    return object;
  }

  private static SortedMap<String, String> annotations(Pool pool) {
    SortedMap<String, String> all = new TreeMap<>();
    put(all, PoolAnnotations.PAUSED, pool.spec().pause().text());
    put(all, PoolAnnotations.RELEASE, pool.spec().pause().released());
    put(all, PoolAnnotations.REPAIR, pool.spec().repair().mode());
    ConfigurationCommands commands = pool.spec().configuration().commands();
    put(all, PoolAnnotations.PROMOTE, commands.asked().promote().orElse(""));
    put(all, PoolAnnotations.ROLLBACK, commands.asked().rollback().orElse(""));
    put(all, PoolAnnotations.ROLLOUT, commands.asked().rollout().orElse(""));
    put(
        all,
        PoolAnnotations.ACCEPTED_COMMAND,
        commands
            .accepted()
            .map(each -> CommandAnnotations.write(each, pool.id().uid()))
            .orElse(""));
    RolloutSettings rollout = pool.spec().configuration().rollout();
    put(all, PoolAnnotations.ROLLOUT_MAX_UNAVAILABLE, text(rollout.maxUnavailable()));
    put(
        all,
        PoolAnnotations.ROLLOUT_CANARY,
        rollout.canary() == 0 ? "" : Integer.toString(rollout.canary()));
    put(
        all,
        PoolAnnotations.ROLLOUT_SOAK,
        rollout.soak().isZero() ? "" : rollout.soak().toSeconds() + "s");
    put(all, PoolAnnotations.ROLLOUT_EVICT, rollout.evict() ? "true" : "");
    return all;
  }

  private static String text(RolloutSettings.Limit limit) {
    if (limit.equals(RolloutSettings.Limit.DEFAULT)) {
      return "";
    }
    return limit.percent() > 0 ? limit.percent() + "%" : Integer.toString(limit.count());
  }

  private static void put(SortedMap<String, String> all, PoolAnnotations key, String value) {
    if (!value.isEmpty()) {
      all.put(key.key(), value);
    }
  }

  private static NodePoolSpec spec(PoolSpec spec) {
    NodePoolSpec object = new NodePoolSpec();
    object.instanceType = spec.instanceType();
    object.computeClass = spec.machines().computeClass();
    object.targetNodes = boxed(spec.size().targetNodes());
    object.targetRacks = boxed(spec.size().targetRacks());
    object.minNodes = spec.size().minNodes();
    object.maxNodes = spec.size().maxNodes();
    object.autoscaling = spec.size().autoscaling();
    object.nodeLabels = spec.node().labels();
    object.nodeAnnotations = spec.node().annotations();
    object.nodeTaints = spec.node().taints().stream().map(PoolObject::taint).toList();
    object.lifecycle.scaleDownStrategy =
        switch (spec.lifecycle().scaleDownStrategy()) {
          case IDLE_ONLY -> NodePoolSpec.ScaleDownStrategy.IDLE_ONLY;
          case PREFER_IDLE -> NodePoolSpec.ScaleDownStrategy.PREFER_IDLE;
        };
    object.lifecycle.disableUnhealthyNodeEviction = spec.lifecycle().disableUnhealthyNodeEviction();
    object.nodeConfigurationUpdateStrategy.type =
        switch (spec.configuration().strategy()) {
          case MANUAL -> NodePoolSpec.UpdateStrategyType.MANUAL;
          case ON_SPEC_UPDATE -> NodePoolSpec.UpdateStrategyType.ON_SPEC_UPDATE;
          case ALWAYS -> NodePoolSpec.UpdateStrategyType.ALWAYS;
          case ROLLOUT_ON_COMMAND -> NodePoolSpec.UpdateStrategyType.ROLLOUT_ON_COMMAND;
        };
    object.schedulingPriority = new NodePoolSpec.SchedulingPriority();
    object.schedulingPriority.value = spec.priority();
    return object;
  }

  private static @Nullable Integer boxed(OptionalInt value) {
    return value.isPresent() ? Integer.valueOf(value.getAsInt()) : null;
  }

  private static NodeTaint taint(Taint taint) {
    NodeTaint object = new NodeTaint();
    object.key = taint.key();
    object.value = ObjectFacts.orAbsent(taint.value());
    object.effect = taint.effect();
    return object;
  }
}
