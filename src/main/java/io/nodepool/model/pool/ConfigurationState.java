package io.nodepool.model.pool;

import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.vocabulary.UpdateStrategy;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The configurations of a pool, as published or to publish.
 *
 * @param profile the active configuration, or empty text before there is one
 * @param pending the configuration that a user may promote
 * @param revisions the configurations that are or were active, by their creation
 * @param handled the inputs that were taken into account
 * @param waitingUntil the instant until which a change of the active configuration waits at most
 *     for Nodes in delivery; empty if none waits
 * @param rollout the rollout of the active configuration
 */
@RecordBuilder
public record ConfigurationState(
    String profile,
    Optional<Pending> pending,
    List<Revision> revisions,
    Handled handled,
    Optional<Instant> waitingUntil,
    RolloutState rollout)
    implements ConfigurationStateCopy.With {
  /** Nothing was determined yet. */
  public static final ConfigurationState NONE =
      new ConfigurationState(
          "", Optional.empty(), List.of(), Handled.NOTHING, Optional.empty(), RolloutState.NONE);

  /**
   * A configuration that waits to be promoted.
   *
   * @param release the name of the release that it was selected from
   */
  public record Pending(NodeConfiguration configuration, String release, Instant createdAt) {}

  /**
   * A configuration that is or was active.
   *
   * @param release the name of the release that it was selected from last
   * @param activatedAt when it last became the active one
   * @param activeNodes the number of Nodes that are booted into it
   * @param abandoned whether it was rolled back from: only a promotion, a change of the spec or a
   *     rollback to it makes it the active one again
   * @param boots the results of its boots
   */
  @RecordBuilder
  public record Revision(
      NodeConfiguration configuration,
      String release,
      Instant createdAt,
      Instant activatedAt,
      int activeNodes,
      boolean abandoned,
      BootRecord boots)
      implements ConfigurationStateRevisionCopy.With {
    /** Its identifier. */
    public String profile() {
      return configuration.profile();
    }

    /** Whether machines booted it. */
    public boolean isProven() {
      return activeNodes > 0 || boots.provenAt().isPresent();
    }
  }

  /**
   * The results of the boots of a configuration in a pool.
   *
   * @param disabled whether nothing boots it any more, since too many boots in a row failed
   * @param provenAt when the last boot that succeeded began; empty if none did
   * @param failures boots that failed since, a bounded number
   * @param countedSince since when failures count, after a user continued a rollout that had paused
   *     for them; empty if all count
   * @param trusted whether a rollout of it needs no canary: a canary has soaked, or most Nodes ran
   *     it when another configuration became active
   */
  public record BootRecord(
      boolean disabled,
      Optional<Instant> provenAt,
      List<FailedBoot> failures,
      Optional<Instant> countedSince,
      boolean trusted) {
    /** No boots. */
    public static final BootRecord NONE =
        new BootRecord(false, Optional.empty(), List.of(), Optional.empty(), false);

    public BootRecord {
      failures = List.copyOf(failures);
    }

    /** Whether a failed boot that began at this instant adds to the failures in a row. */
    public boolean counts(Instant begunAt) {
      return provenAt.filter(at -> !at.isBefore(begunAt)).isEmpty()
          && countedSince.filter(since -> !begunAt.isAfter(since)).isEmpty();
    }

    /** Names of the Hosts on which boots failed, sorted. */
    public List<String> hosts() {
      return failures.stream().map(FailedBoot::host).distinct().sorted().toList();
    }

    /** This record, which counts only failures of boots that began after this instant. */
    public BootRecord countedFrom(Instant since) {
      return new BootRecord(disabled, provenAt, List.of(), Optional.of(since), trusted);
    }

    /** This record of a configuration that needs no canary. */
    public BootRecord thatIsTrusted() {
      return new BootRecord(disabled, provenAt, failures, countedSince, true);
    }
  }

  /**
   * A boot that failed.
   *
   * @param host name of the Host
   * @param begunAt when the boot was requested
   * @param booted whether the machine booted, into another configuration
   */
  public record FailedBoot(String host, Instant begunAt, boolean booted) {
    /** A boot that did not end. */
    public FailedBoot(String host, Instant begunAt) {
      this(host, begunAt, false);
    }
  }

  /**
   * The inputs that the state takes into account.
   *
   * @param poolUid the pool that the state belongs to; empty text in a state of an earlier version
   * @param request the selection of the spec, as {@code ConfigurationRequest.text()}
   * @param strategy the strategy; empty before the first plan
   * @param release the name of the newest release; empty text before the first plan
   * @param command the number of the last command that was carried out
   */
  @RecordBuilder
  public record Handled(
      String poolUid,
      String request,
      Optional<UpdateStrategy> strategy,
      String release,
      int command)
      implements ConfigurationStateHandledCopy.With {
    /** No inputs. */
    public static final Handled NOTHING = new Handled("", "", Optional.empty(), "", 0);
  }

  public ConfigurationState {
    revisions = List.copyOf(revisions);
  }

  /** Whether this is the state of the pool with this UID, and not a copy from another pool. */
  public boolean isOf(String poolUid) {
    return handled.poolUid().isEmpty() || handled.poolUid().equals(poolUid);
  }

  /** The revision with this identifier. */
  public Optional<Revision> revision(String ofProfile) {
    return revisions.stream().filter(each -> each.profile().equals(ofProfile)).findFirst();
  }

  /** The revision of the active configuration. */
  public Optional<Revision> active() {
    return revision(profile);
  }

  /** The results of the boots of the active configuration. */
  public BootRecord boots() {
    return active().map(Revision::boots).orElse(BootRecord.NONE);
  }

  /** Whether nothing may boot the active configuration. */
  public boolean isDisabled() {
    return boots().disabled();
  }

  /** Whether nothing may boot the configuration with this identifier. */
  public boolean isDisabled(String ofProfile) {
    return revision(ofProfile).filter(each -> each.boots().disabled()).isPresent();
  }

  /** The revisions other than the active one, the last active one first. */
  public Stream<Revision> earlier() {
    return revisions.stream()
        .filter(each -> !each.profile().equals(profile))
        .sorted(Comparator.comparing(Revision::activatedAt).reversed());
  }

  /** This state with a change of the revision with this identifier. */
  public ConfigurationState withRevision(String ofProfile, UnaryOperator<Revision> change) {
    return withRevisions(
        revisions.stream()
            .map(each -> each.profile().equals(ofProfile) ? change.apply(each) : each)
            .toList());
  }
}
