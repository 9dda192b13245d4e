package io.nodepool.health;

import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.vocabulary.SourceName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Folds the signals about one machine into its health. */
final class HealthFold {
  private final ObservedBoot boot;
  private final AlertCatalogue catalogue;
  private final HealthSettings settings;
  private final Instant now;

  private final SortedMap<String, StandingAlert> standing = new TreeMap<>();
  private final SortedMap<SignalKey, DropReason> dropped = new TreeMap<>();
  private Optional<Instant> changesAt = Optional.empty();

  HealthFold(ObservedBoot boot, AlertCatalogue catalogue, HealthSettings settings, Instant now) {
    this.boot = boot;
    this.catalogue = catalogue;
    this.settings = settings;
    this.now = now;
  }

  /** Adds a signal. */
  void add(ObservedSignal observed) {
    Signal signal = observed.signal();
    Alert alert = catalogue.alert(signal.name());
    Instant allowed = signal.since().minus(settings.skew());
    if (allowed.isAfter(now)) {
      dropped.put(signal.key(), DropReason.FUTURE);
      changes(allowed);
      return;
    }
    Optional<Instant> anew = anew(observed);
    boolean isAnew = anew.filter(at -> !at.isAfter(now)).isPresent();
    boolean isOlder = !isPublished(signal) && boot.isAfter(signal);
    if (!alert.perBoot() || !isOlder) {
      // A report from before the boot does not prove an alert that no boot ends.
      boolean isProved =
          !isOlder || isAnew || !signal.bootId().isEmpty() || signal.reported().isEmpty();
      anew.filter(_ -> !isProved).ifPresent(this::changes);
      boolean isOfBoot =
          alert.perBoot() && boot.at().filter(observed.since()::isBefore).isPresent();
      // An alert reported again on this boot is not active since an earlier boot.
      add(
          observed,
          alert,
          isOfBoot && !isPublished(signal) ? signal.since() : observed.since(),
          isProved);
      return;
    }
    if (isAnew) {
      // It is active although the boot should have ended it: that is a new occurrence.
      add(
          new ObservedSignal(signal, anew.orElseThrow(), observed.off()),
          alert,
          anew.orElseThrow(),
          true);
      return;
    }
    dropped.put(signal.key(), DropReason.STALE);
    anew.ifPresent(this::changes);
    Instant ended = observed.off().filter(boot.seen()::isAfter).orElse(boot.seen());
    add(
        new ObservedSignal(signal, observed.seen(), Optional.of(ended)),
        alert,
        observed.since(),
        true);
  }

  /** Whether an earlier operator published it, which knew whether it outlived the boot. */
  private static boolean isPublished(Signal signal) {
    return signal.key().source().equals(SourceName.PUBLISHED);
  }

  /**
   * When a signal from before the boot that is still active counts as a new signal. Empty if it
   * does not, or if its source has not confirmed it since the Node became Ready.
   */
  private Optional<Instant> anew(ObservedSignal observed) {
    boolean isOfOtherBoot = !observed.signal().bootId().isEmpty() && !boot.id().isEmpty();
    return isOfOtherBoot || observed.off().isPresent()
        ? Optional.empty()
        : boot.ready()
            .filter(observed.signal()::isReportedSince)
            .map(ready -> ready.plus(settings.clear()));
  }

  private void add(ObservedSignal observed, Alert alert, Instant since, boolean isProved) {
    Instant counts = observed.seen().plus(settings.hold(alert));
    Instant end = observed.off().map(off -> off.plus(settings.clear())).orElse(Instant.MAX);
    boolean everCounted = observed.off().filter(counts::isAfter).isEmpty();
    if (!everCounted || !now.isBefore(end)) {
      return;
    }
    if (counts.isAfter(now)) {
      changes(counts);
      return;
    }
    observed.off().ifPresent(_ -> changes(end));
    StandingAlert.State state = state(observed, isProved);
    // A repeated confirmation does not change the active alerts.
    Signal signal =
        state == StandingAlert.State.STALE
            ? observed.signal()
            : observed.signal().withReported(Optional.empty());
    StandingAlert one = new StandingAlert(alert, since, state, List.of(signal));
    standing.merge(alert.name(), one, HealthFold::both);
  }

  private static StandingAlert both(StandingAlert one, StandingAlert other) {
    List<Signal> signals = new ArrayList<>(one.signals());
    signals.addAll(other.signals());
    return new StandingAlert(
        one.alert(), since(one, other), one.state().and(other.state()), signals);
  }

  /**
   * The state of a signal.
   *
   * @param isProved whether it counts although it may be older than the boot
   */
  private StandingAlert.State state(ObservedSignal observed, boolean isProved) {
    if (observed.off().isPresent()) {
      return StandingAlert.State.ENDING;
    }
    Signal signal = observed.signal();
    Optional<Instant> silent =
        signal.reported().map(at -> at.plus(catalogue.silence(signal.key().source())));
    silent.filter(now::isBefore).ifPresent(this::changes);
    return isProved && silent.filter(at -> !now.isBefore(at)).isEmpty()
        ? StandingAlert.State.STANDS
        : StandingAlert.State.STALE;
  }

  /** The earlier start of both; a signal that an earlier operator published does not decide it. */
  private static Instant since(StandingAlert one, StandingAlert other) {
    if (isPublished(one.signals().getFirst())) {
      return other.since();
    }
    return isPublished(other.signals().getFirst()) || one.since().isBefore(other.since())
        ? one.since()
        : other.since();
  }

  private void changes(Instant at) {
    changesAt = changesAt.filter(at::isAfter).or(() -> Optional.of(at));
  }

  /** The health that follows from the added signals. */
  Health health() {
    return new Health(
        standing.values().stream().sorted(StandingAlert.STRONGEST).toList(),
        dropped,
        new TreeMap<>(),
        changesAt,
        false);
  }
}
