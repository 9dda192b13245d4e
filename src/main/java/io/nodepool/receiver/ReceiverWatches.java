package io.nodepool.receiver;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.fleet.HostId;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.SignalSourceResource;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.SignalConversion;
import io.nodepool.kubernetes.convert.document.AlertsDocument;
import io.nodepool.kubernetes.watch.KindWatch;
import io.nodepool.kubernetes.watch.SlimStore;
import io.nodepool.vocabulary.metadata.HostAnnotations;
import java.util.List;

/**
 * The watches of a receiver: the Hosts, their stored signals, the heartbeat of Alertmanager, and
 * the grades of alerts. Each replica has them for its receiver, whether or not it leads.
 */
final class ReceiverWatches implements AutoCloseable {
  private final HostNames names;
  private final StoredSignals stored;
  private final KindWatch<HostResource> hosts;
  private final KindWatch<HostSignalsResource> signals;
  private final KindWatch<ConfigMap> alerts;
  private final KindWatch<SignalSourceResource> sources;
  private volatile AlertCatalogue catalogue = AlertCatalogue.shipped();

  /**
   * Watches that have not started.
   *
   * @param namespace the namespace of the changes of the alerts
   */
  ReceiverWatches(
      KubernetesClient client,
      String namespace,
      HostNames names,
      StoredSignals stored,
      Heartbeat heartbeat) {
    this.names = names;
    this.stored = stored;
    this.hosts =
        new KindWatch<>(
            "Host",
            client.resources(HostResource.class),
            SlimStore.identityOnly(HostResource::new),
            host -> names.seen(HostConversion.id(host), serial(host)),
            host -> gone(HostConversion.id(host)));
    this.signals =
        new KindWatch<>(
            "HostSignals",
            client.resources(HostSignalsResource.class),
            SlimStore.identityOnly(HostSignalsResource::new),
            object -> stored.observed(SignalConversion.signals(object)),
            this::gone);
    this.sources =
        new KindWatch<>(
            "SignalSource",
            client.resources(SignalSourceResource.class).withName(ReceivedAlert.SOURCE),
            SlimStore.identityOnly(SignalSourceResource::new),
            object -> heartbeat.observed(SignalConversion.source(object)),
            _ -> heartbeat.gone());
    this.alerts =
        new KindWatch<>(
            "ConfigMap",
            client.configMaps().inNamespace(namespace).withName(AlertsDocument.NAME),
            SlimStore.identityOnly(ConfigMap::new),
            map -> catalogue = AlertsDocument.read(map),
            map -> catalogue = AlertCatalogue.shipped());
  }

  private static String serial(HostResource host) {
    return ObjectFacts.orNone(host.getMetadata().getAnnotations())
        .getOrDefault(HostAnnotations.SERIAL.key(), "");
  }

  private void gone(HostId host) {
    names.gone(host);
    if (!names.has(host.name())) {
      stored.forget(host.name());
    }
  }

  private void gone(HostSignalsResource object) {
    String host = ObjectFacts.name(object);
    stored.gone(host, ObjectFacts.uid(object), ObjectFacts.version(object));
    if (!names.has(host)) {
      stored.forget(host);
    }
  }

  private List<KindWatch<?>> all() {
    return List.of(hosts, signals, sources, alerts);
  }

  /** Starts the watches. */
  void start() {
    all().forEach(KindWatch::start);
  }

  /** Whether all Hosts and their stored signals were listed once. */
  boolean areListed() {
    return hosts.listed().isDone() && signals.listed().isDone();
  }

  /** The alerts, with the changes in the operator's namespace. */
  AlertCatalogue catalogue() {
    return catalogue;
  }

  @Override
  public void close() {
    all().forEach(KindWatch::close);
  }
}
