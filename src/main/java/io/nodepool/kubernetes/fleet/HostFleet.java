package io.nodepool.kubernetes.fleet;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostAccess;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.thread.FairLanes;
import io.nodepool.kubernetes.watch.KindWatch;
import io.nodepool.kubernetes.watch.SlimStore;
import io.nodepool.model.Observation;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fleet behind Host objects: the controller that reconciles Hosts and publishes the offer.
 * Answers are delivered on the lane that ran the operation.
 */
public final class HostFleet implements HostAccess, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HostFleet.class);
  private static final String READS = "reads of the fleet";

  private final HostRequests requests;
  private final FairLanes lanes;
  private final String namespace;
  private final Consumer<Observation> out;
  private final KindWatch<HostResource> hosts;
  private final KindWatch<ConfigMap> offer;
  private final HostsDefinition definition;

  /**
   * A fleet that is not observed yet.
   *
   * @param watching the client for lists and watches
   * @param namespace the namespace of the offer
   * @param out receives observations of the offer and of Hosts; observations of one Host in the
   *     order of its versions
   */
  public HostFleet(
      ApiRequests requests,
      FairLanes lanes,
      KubernetesClient watching,
      String namespace,
      Consumer<Observation> out) {
    this.requests = new HostRequests(requests);
    this.lanes = lanes;
    this.namespace = namespace;
    this.out = out;
    this.hosts =
        new KindWatch<>(
            "Host",
            watching.resources(HostResource.class),
            SlimStore.identityOnly(HostResource::new),
            object -> report(object, out),
            this::deleted,
            (object, why) -> out.accept(HostConversion.unreadable(object, why)));
    this.offer =
        new KindWatch<>(
            "ConfigMap",
            watching.configMaps().inNamespace(namespace).withName(OfferDocument.NAME),
            SlimStore.identityOnly(ConfigMap::new),
            map -> out.accept(new Observation.OfferSeen(OfferDocument.read(map))),
            map -> out.accept(new Observation.OfferLost(missing())),
            (map, why) -> out.accept(new Observation.OfferLost(String.valueOf(why.getMessage()))));
    this.definition =
        new HostsDefinition(
            requests,
            () -> hosts.listed().isDone(),
            missing -> out.accept(new Observation.HostsDefined(missing)));
  }

  /** Observes the fleet's offer and its Hosts, then each change. Called at most once. */
  public void start() {
    var _ = offer.listed().thenRun(this::reportIfMissing);
    hosts.start();
    offer.start();
    definition.start();
  }

  /**
   * Reports a Host. A Host that lost its phase is reported as deleted, since it must not be
   * assigned on the basis of its last state.
   */
  static void report(HostResource object, Consumer<Observation> out) {
    HostConversion.host(object)
        .map(Observation.HostSeen::new)
        .ifPresentOrElse(out, () -> gone(object, out));
  }

  private static void gone(HostResource object, Consumer<Observation> out) {
    out.accept(new Observation.HostGone(HostConversion.id(object), ObjectFacts.version(object)));
  }

  private void deleted(HostResource object) {
    gone(object, out);
    // The API server deletes all Hosts when their definition is deleted.
    definition.check();
  }

  private void reportIfMissing() {
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
   * reported, so that the missing definition can be reported.
   */
  public CompletableFuture<Void> listed() {
    return CompletableFuture.allOf(
        CompletableFuture.anyOf(hosts.listed(), definition.foundMissing()), offer.listed());
  }

  /** Whether changes are being received. */
  public boolean isWatching() {
    return hosts.isWatching() && offer.isWatching();
  }

  @Override
  public void perform(HostOperation operation, Consumer<Answer<Host>> answer) {
    lanes.answer(operation.pool().uid(), () -> requests.perform(operation), answer);
  }

  @Override
  public void read(HostId host, Consumer<Answer<Host>> answer) {
    lanes.answer(READS, () -> requests.read(host), answer);
  }

  @Override
  public void close() {
    definition.close();
    hosts.close();
    offer.close();
  }
}
