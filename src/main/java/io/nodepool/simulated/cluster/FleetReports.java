package io.nodepool.simulated.cluster;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.api.SimulatedFleetStatus;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.thread.Timers;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.UserText;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a data centre reports about itself: its offer, and the status of its SimulatedFleet.
 * Confined to the data centre's thread.
 */
final class FleetReports {
  private static final Duration BETWEEN_STATUSES = Duration.ofSeconds(1);

  private final FleetRequests requests;
  private final FleetSubmitter writes;
  private final Timers<FleetKey> timers;
  private final InstantSource clock;

  /** The published offer, as last observed. */
  private Optional<String> offered = Optional.empty();

  private Instant lastStatus = Instant.MIN;

  FleetReports(
      FleetRequests requests, FleetSubmitter writes, Timers<FleetKey> timers, InstantSource clock) {
    this.requests = requests;
    this.writes = writes;
    this.timers = timers;
    this.clock = clock;
  }

  /** Observes the ConfigMap with the offer. */
  void offerSeen(ConfigMap map) {
    offered =
        Optional.of(
            Objects.requireNonNullElse(
                map.getData() == null ? null : map.getData().get(OfferDocument.KEY), ""));
  }

  /** Observes the deletion of that ConfigMap. */
  void offerGone() {
    offered = Optional.empty();
  }

  /**
   * Publishes the offer if it differs, and again when the next release is due.
   *
   * @param start when the data centre was created
   */
  void reconcileOffer(DataCentre centre, Instant start) {
    Duration age = Duration.between(start, clock.instant());
    FleetOffer offer = centre.offer(age.isNegative() ? Duration.ZERO : age);
    centre
        .terms()
        .nextPublication(age)
        .ifPresent(next -> timers.at(FleetKey.Report.OFFER, start.plus(next)));
    Map<String, Object> effects = Map.of("offer", OfferDocument.write(offer));
    if (offered.isEmpty()) {
      writes.submit(FleetKey.Report.OFFER, requests.createOffer(offer), effects);
    } else if (!effects.containsValue(offered.get())) {
      writes.submit(FleetKey.Report.OFFER, requests.changeOffer(offer), effects);
    }
  }

  /**
   * Publishes the status if it differs, at most once a second.
   *
   * @param message what a person must know; empty if there is nothing
   */
  void reconcileStatus(SimulatedFleet seen, SimulatedMachines machines, Optional<String> message) {
    SimulatedFleetStatus next = new SimulatedFleetStatus();
    next.hosts = machines.hosts();
    next.free = machines.free();
    next.message = message.map(UserText::explanation).orElse(null);
    next.observedGeneration = seen.getMetadata().getGeneration();
    if (isPublished(seen, next)) {
      return;
    }
    Instant now = clock.instant();
    if (!lastStatus.equals(Instant.MIN) && now.isBefore(lastStatus.plus(BETWEEN_STATUSES))) {
      timers.at(FleetKey.Report.STATUS, lastStatus.plus(BETWEEN_STATUSES));
      return;
    }
    lastStatus = now;
    ApiRequest request = requests.status(next);
    writes.submit(FleetKey.Report.STATUS, request, Map.of("status", request.body()));
  }

  private static boolean isPublished(SimulatedFleet seen, SimulatedFleetStatus next) {
    SimulatedFleetStatus last = seen.getStatus();
    return last != null
        && Objects.equals(last.hosts, next.hosts)
        && Objects.equals(last.free, next.free)
        && Objects.equals(last.message, next.message)
        && Objects.equals(last.observedGeneration, next.observedGeneration);
  }
}
