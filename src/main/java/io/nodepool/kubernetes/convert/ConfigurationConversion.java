package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orAbsent;
import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;
import static io.nodepool.kubernetes.convert.ObjectFacts.orZero;
import static io.nodepool.kubernetes.convert.ObjectFacts.readableTime;

import io.nodepool.fleet.configuration.ConfigurationRequest;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.api.PoolConfigurationStatus;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.vocabulary.Word;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts the fields of a NodePool about the configurations of its Nodes, to records and back. */
final class ConfigurationConversion {
  private ConfigurationConversion() {}

  /** The configuration requested by a NodePool's spec and annotations. */
  static ConfigurationSpec spec(NodePool object, Map<String, String> annotations) {
    NodePoolSpec spec = object.getSpec();
    return new ConfigurationSpec(
        new ConfigurationRequest(
            Optional.ofNullable(spec.image).map(ConfigurationConversion::image),
            spec.gpu == null ? "" : orEmpty(spec.gpu.version)),
        strategy(spec.nodeConfigurationUpdateStrategy),
        RolloutAnnotations.read(annotations),
        CommandAnnotations.read(annotations, ObjectFacts.uid(object)));
  }

  private static ConfigurationRequest.ImageRequest image(NodePoolSpec.Image image) {
    return new ConfigurationRequest.ImageRequest(
        orEmpty(image.name),
        switch (image.releaseTrain) {
          case STABLE -> FleetRelease.STABLE;
          case LATEST -> FleetRelease.LATEST;
        },
        orEmpty(image.kernel));
  }

  private static UpdateStrategy strategy(
      NodePoolSpec.@Nullable NodeConfigurationUpdateStrategy object) {
    if (object == null || object.type == null) {
      return UpdateStrategy.ON_SPEC_UPDATE;
    }
    return switch (object.type) {
      case MANUAL -> UpdateStrategy.MANUAL;
      case ON_SPEC_UPDATE -> UpdateStrategy.ON_SPEC_UPDATE;
      case ALWAYS -> UpdateStrategy.ALWAYS;
      case ROLLOUT_ON_COMMAND -> UpdateStrategy.ROLLOUT_ON_COMMAND;
    };
  }

  /**
   * The configurations that a status reports.
   *
   * @param memory the operator's working memory about them
   */
  static ConfigurationState state(NodePoolStatus status, NodePoolStatus memory) {
    // If the number is not valid, nothing in this object is evidence of what was carried out.
    PoolConfigurationStatus found =
        status.configuration == null ? new PoolConfigurationStatus() : status.configuration;
    PoolConfigurationStatus object =
        CommandAnnotations.isNumber(orZero(found.command)) ? found : null;
    return new ConfigurationState(
        orEmpty(status.nodeProfile),
        Optional.ofNullable(status.pendingNodeConfiguration).map(ConfigurationConversion::pending),
        status.nodeConfigurationRevisions.stream()
            .map(revision -> revision(revision, WorkingMemory.revision(revision, memory)))
            .toList(),
        object == null
            ? ConfigurationState.Handled.NOTHING
            : handled(memory.configuration, orZero(object.command)),
        object == null ? Optional.empty() : readableTime(object.waitingUntil),
        object == null || object.rollout == null ? RolloutState.NONE : rollout(object.rollout));
  }

  private static ConfigurationState.Handled handled(
      @Nullable PoolConfigurationStatus object, int command) {
    return object == null
        ? ConfigurationState.Handled.NOTHING
        : new ConfigurationState.Handled(
            orEmpty(object.poolUid),
            orEmpty(object.request),
            Word.of(UpdateStrategy.class, orEmpty(object.strategy)),
            orEmpty(object.release),
            command);
  }

  private static ConfigurationState.Pending pending(
      PoolConfigurationStatus.NodeConfigurationStatus object) {
    return new ConfigurationState.Pending(
        new NodeConfiguration(object.nodeProfile, object.summary),
        orEmpty(object.release),
        readableTime(object.createdAt).orElse(Instant.EPOCH));
  }

  private static ConfigurationState.Revision revision(
      PoolConfigurationStatus.NodeConfigurationRevision object,
      PoolConfigurationStatus.NodeConfigurationRevision memory) {
    Instant createdAt = readableTime(object.createdAt).orElse(Instant.EPOCH);
    return new ConfigurationState.Revision(
        new NodeConfiguration(object.nodeProfile, object.summary),
        orEmpty(object.release),
        createdAt,
        readableTime(object.activatedAt).orElse(createdAt),
        orZero(object.activeNodes),
        Boolean.TRUE.equals(memory.abandoned),
        new ConfigurationState.BootRecord(
            Boolean.TRUE.equals(object.disabled),
            readableTime(memory.provenAt),
            memory.failedBoots.stream()
                .flatMap(failed ->
                    readableTime(failed.begunAt).stream()
                        .map(at ->
                            new ConfigurationState.FailedBoot(
                                orEmpty(failed.host), at, Boolean.TRUE.equals(failed.booted))))
                .toList(),
            readableTime(memory.failuresCountedSince),
            Boolean.TRUE.equals(memory.trusted)));
  }

  private static RolloutState rollout(PoolConfigurationStatus.RolloutStatus object) {
    return new RolloutState(
        orZero(object.number),
        Word.of(RolloutState.Phase.class, orEmpty(object.phase)).orElse(RolloutState.Phase.STOPPED),
        orEmpty(object.reason),
        readableTime(object.canarySince)
            .map(since -> new RolloutState.Canary(since, readableTime(object.canarySeen))),
        Boolean.TRUE.equals(object.evicts),
        readableTime(object.since));
  }

  /**
   * Reports the configurations in a status.
   *
   * @param memory receives the fields that only the operator reads
   */
  static void write(ConfigurationState state, NodePoolStatus object, NodePoolStatus memory) {
    object.nodeProfile = orAbsent(state.profile());
    object.upToDateNodes = state.active().map(ConfigurationState.Revision::activeNodes).orElse(0);
    object.pendingNodeConfiguration =
        state.pending().map(ConfigurationConversion::pending).orElse(null);
    object.nodeConfigurationRevisions =
        state.revisions().stream().map(ConfigurationConversion::revision).toList();
    memory.nodeConfigurationRevisions =
        state.revisions().stream().map(ConfigurationConversion::remembered).toList();
    if (state.handled().strategy().isPresent()) {
      object.configuration = progress(state);
      memory.configuration = inputs(state.handled());
    }
  }

  private static PoolConfigurationStatus.NodeConfigurationStatus pending(
      ConfigurationState.Pending pending) {
    PoolConfigurationStatus.NodeConfigurationStatus object =
        new PoolConfigurationStatus.NodeConfigurationStatus();
    describe(pending.configuration(), pending.release(), pending.createdAt(), object);
    return object;
  }

  private static void describe(
      NodeConfiguration configuration,
      String release,
      Instant createdAt,
      PoolConfigurationStatus.NodeConfigurationStatus object) {
    object.nodeProfile = configuration.profile();
    object.summary = configuration.summary();
    object.release = orAbsent(release);
    object.createdAt = createdAt.toString();
  }

  private static PoolConfigurationStatus.NodeConfigurationRevision revision(
      ConfigurationState.Revision revision) {
    PoolConfigurationStatus.NodeConfigurationRevision object =
        new PoolConfigurationStatus.NodeConfigurationRevision();
    describe(revision.configuration(), revision.release(), revision.createdAt(), object);
    object.activatedAt = revision.activatedAt().toString();
    object.activeNodes = revision.activeNodes();
    object.disabled = revision.boots().disabled();
    return object;
  }

  private static PoolConfigurationStatus.NodeConfigurationRevision remembered(
      ConfigurationState.Revision revision) {
    PoolConfigurationStatus.NodeConfigurationRevision object =
        new PoolConfigurationStatus.NodeConfigurationRevision();
    object.nodeProfile = revision.profile();
    object.abandoned = revision.abandoned() ? true : null;
    object.provenAt = revision.boots().provenAt().map(Instant::toString).orElse(null);
    object.failedBoots =
        revision.boots().failures().stream().map(ConfigurationConversion::failed).toList();
    object.trusted = revision.boots().trusted() ? true : null;
    object.failuresCountedSince =
        revision.boots().countedSince().map(Instant::toString).orElse(null);
    return object;
  }

  private static PoolConfigurationStatus.FailedBootStatus failed(
      ConfigurationState.FailedBoot failed) {
    PoolConfigurationStatus.FailedBootStatus object =
        new PoolConfigurationStatus.FailedBootStatus();
    object.host = failed.host();
    object.begunAt = failed.begunAt().toString();
    object.booted = failed.booted() ? true : null;
    return object;
  }

  private static PoolConfigurationStatus inputs(ConfigurationState.Handled handled) {
    PoolConfigurationStatus object = new PoolConfigurationStatus();
    object.poolUid = orAbsent(handled.poolUid());
    object.request = handled.request();
    object.strategy = handled.strategy().map(UpdateStrategy::word).orElse(null);
    object.release = orAbsent(handled.release());
    return object;
  }

  /** The part that users read; null if there is nothing. */
  private static @Nullable PoolConfigurationStatus progress(ConfigurationState state) {
    int command = state.handled().command();
    if (command == 0 && state.waitingUntil().isEmpty() && state.rollout().number() == 0) {
      return null;
    }
    PoolConfigurationStatus object = new PoolConfigurationStatus();
    object.command = command == 0 ? null : command;
    object.waitingUntil = state.waitingUntil().map(Instant::toString).orElse(null);
    if (state.rollout().number() > 0) {
      PoolConfigurationStatus.RolloutStatus rollout = new PoolConfigurationStatus.RolloutStatus();
      rollout.number = state.rollout().number();
      rollout.phase = orAbsent(state.rollout().phase().word());
      rollout.reason = orAbsent(state.rollout().reason());
      state
          .rollout()
          .canary()
          .ifPresent(canary -> {
            rollout.canarySince = canary.since().toString();
            rollout.canarySeen = canary.seen().map(Instant::toString).orElse(null);
          });
      rollout.since = state.rollout().since().map(Instant::toString).orElse(null);
      rollout.evicts = state.rollout().evicts() ? true : null;
      object.rollout = rollout;
    }
    return object;
  }
}
