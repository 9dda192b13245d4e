package io.nodepool.kubernetes.fleet;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.NodeFleet;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.thread.FairLanes;
import io.nodepool.kubernetes.thread.UnexpectedErrors;
import io.nodepool.kubernetes.watch.KindWatch;
import io.nodepool.kubernetes.watch.SlimStore;
import io.nodepool.model.Observation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fleet behind Host objects: the controller that reconciles Hosts and publishes the offer.
 * Answers are delivered on the lane that ran the operation.
 */
public final class HostFleet implements NodeFleet, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HostFleet.class);
  private static final String READS = "reads of the fleet";

  private final ApiRequests api;
  private final HostRequests requests;
  private final FairLanes lanes;
  private final KubernetesClient watching;
  private final String namespace;
  private final List<KindWatch<?>> watches = new ArrayList<>();
  private Optional<HostsDefinition> definition = Optional.empty();

  /**
   * A fleet.
   *
   * @param watching the client for lists and watches
   * @param namespace the namespace of the offer
   */
  public HostFleet(
      ApiRequests requests, FairLanes lanes, KubernetesClient watching, String namespace) {
    this.api = requests;
    this.requests = new HostRequests(requests);
    this.lanes = lanes;
    this.watching = watching;
    this.namespace = namespace;
  }

  /**
   * Observes the fleet's offer and its Hosts, then each change. Changes of one Host are observed in
   * the order of its versions. Called at most once.
   */
  public void watch(Consumer<Observation> out) {
    KindWatch<HostResource> hosts =
        new KindWatch<>(
            "Host",
            watching.resources(HostResource.class),
            SlimStore.identityOnly(HostResource::new),
            object -> report(object, out),
            object -> {
              gone(object, out);
              // The API server deletes all Hosts when their definition is deleted.
              definition.ifPresent(HostsDefinition::check);
            },
            (object, why) -> out.accept(HostConversion.unreadable(object, why)));
    definition =
        Optional.of(
            new HostsDefinition(
                api,
                () -> hosts.listed().isDone(),
                missing -> out.accept(new Observation.HostsDefined(missing))));
    watches.add(hosts);
    KindWatch<ConfigMap> offer = offerWatch(out);
    var _ = offer.listed().thenRun(() -> reportIfMissing(offer, out));
    watches.add(offer);
    watches.forEach(KindWatch::start);
    definition.get().start();
  }

  /**
   * Reports a Host. One that lost its phase is reported as deleted, since it must not be assigned
   * on the basis of its last state.
   */
  static void report(HostResource object, Consumer<Observation> out) {
    HostConversion.host(object)
        .map(Observation.HostSeen::new)
        .ifPresentOrElse(out, () -> gone(object, out));
  }

  private static void gone(HostResource object, Consumer<Observation> out) {
    out.accept(new Observation.HostGone(HostConversion.id(object), ObjectFacts.version(object)));
  }

  private KindWatch<ConfigMap> offerWatch(Consumer<Observation> out) {
    return new KindWatch<>(
        "ConfigMap",
        watching.configMaps().inNamespace(namespace).withName(OfferDocument.NAME),
        SlimStore.identityOnly(ConfigMap::new),
        map -> out.accept(new Observation.OfferSeen(OfferDocument.read(map))),
        map -> out.accept(new Observation.OfferLost(missing())),
        (map, why) -> out.accept(new Observation.OfferLost(String.valueOf(why.getMessage()))));
  }

  private void reportIfMissing(KindWatch<ConfigMap> offer, Consumer<Observation> out) {
    if (offer.isEmpty()) {
      log.warn("the fleet offers nothing: {}", missing());
      out.accept(new Observation.OfferLost(missing()));
    }
  }

  private String missing() {
    return "ConfigMap %s/%s is missing.".formatted(namespace, OfferDocument.NAME);
  }

  /**
   * Completes when every existing object was reported once. Hosts without a definition count as
   * reported, so that it can be said that the definition is missing.
   */
  public CompletableFuture<Void> listed() {
    return CompletableFuture.allOf(
        watches.stream()
            .map(watch ->
                watch == watches.getFirst() && definition.isPresent()
                    ? CompletableFuture.anyOf(watch.listed(), definition.get().foundMissing())
                    : watch.listed())
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Whether changes are being received. */
  public boolean isWatching() {
    return watches.stream().allMatch(KindWatch::isWatching);
  }

  @Override
  public void perform(HostOperation operation, Consumer<Answer<Host>> answer) {
    run(operation.pool().uid(), () -> requests.perform(operation), answer);
  }

  @Override
  public void read(HostId host, Consumer<Answer<Host>> answer) {
    run(READS, () -> requests.read(host), answer);
  }

  private void run(String share, Supplier<Answer<Host>> work, Consumer<Answer<Host>> answer) {
    lanes.execute(
        share,
        () -> answer.accept(UnexpectedErrors.answered(work)),
        () -> answer.accept(UnexpectedErrors.stopping()));
  }

  @Override
  public void close() {
    definition.ifPresent(HostsDefinition::close);
    watches.forEach(KindWatch::close);
  }
}
