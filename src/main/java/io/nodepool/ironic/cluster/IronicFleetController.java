package io.nodepool.ironic.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequest;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.nodepool.control.SteadyClock;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.ironic.IronicMachine;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.thread.DecisionThread;
import io.nodepool.kubernetes.thread.FairLanes;
import io.nodepool.kubernetes.thread.KeyedTimers;
import io.nodepool.kubernetes.watch.WatchGroup;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fleet of the machines of an Ironic: it creates Hosts for its nodes, publishes the offer, and
 * carries out the specs of the Hosts. It shares nothing with the operator but the API server.
 */
public final class IronicFleetController implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(IronicFleetController.class);
  private static final Duration LONGEST_WORK = Duration.ofSeconds(60);

  /** The most concurrent requests, to the API server and to Ironic together. */
  private static final int IN_FLIGHT = 16;

  /** How often the offer is compared with the ConfigMap. */
  private static final Duration OFFER = Duration.ofMinutes(1);

  /** The fleet's credentials for Ironic; texts of an unused method are empty. */
  public record Identity(
      String user, String password, Optional<URI> keystone, String credentialId, String secret) {
    private IronicAuth auth() {
      return keystone
          .<IronicAuth>map(address -> new IronicAuth.Keystone(address, credentialId, secret))
          .orElseGet(() -> user.isEmpty() ? IronicAuth.none() : IronicAuth.basic(user, password));
    }
  }

  /**
   * The settings of the fleet.
   *
   * @param ironic the address of Ironic's API
   * @param trust the authorities trusted there; empty for those of this JVM
   * @param offer the offer as it is published
   * @param namespace of the offer and of the Secrets with templates
   * @param joining the namespace of the credentials with which machines join
   * @param server the address at which machines reach the API server
   * @param authority the certificate of its authority, as PEM
   * @param wall the wall clock
   */
  public record Settings(
      URI ironic,
      Identity identity,
      Optional<SSLContext> trust,
      String offer,
      String namespace,
      String joining,
      String server,
      String authority,
      MeterRegistry meters,
      InstantSource wall) {}

  private final Settings settings;
  private final KubernetesClient client;
  private final KubernetesClient watching;
  private final IronicClient ironic;
  private final IronicRequests requests;
  private final JoinApproval joins;
  private final DecisionThread thread = new DecisionThread("ironic-fleet");
  private final ScheduledExecutorService timers = KeyedTimers.thread("ironic-fleet-timers");
  private final FairLanes lanes = new FairLanes(IN_FLIGHT, ApiRequests.TIME_OUT);
  private final InstantSource clock;
  private final IronicLoop loop;
  private final WatchGroup watches = new WatchGroup(thread);
  private final Map<String, CertificateSigningRequest> joining = new TreeMap<>();
  private Instant offeredAt = Instant.EPOCH;

  private IronicFleetController(Config config, Settings settings, FleetOffer offer) {
    RequestMeter meter = new RequestMeter(settings.meters());
    this.settings = settings;
    this.client = Clients.forRequests(config, meter);
    this.watching = Clients.forWatches(config, meter);
    this.ironic = new IronicClient(settings.ironic(), settings.identity().auth(), settings.trust());
    this.clock = new SteadyClock(settings.wall(), System::nanoTime);
    ApiRequests api = new ApiRequests(client, WriteGate.ALWAYS_OPEN);
    this.requests = new IronicRequests(api);
    JoinDrive delivered =
        new JoinDrive(
            api, settings.namespace(), settings.joining(), settings.server(), settings.authority());
    this.joins = new JoinApproval(delivered::user);
    this.loop =
        new IronicLoop(
            ironic,
            requests,
            delivered,
            new HostNode(offer, InstanceCatalogue.bundled()),
            this::send,
            new KeyedTimers<>(timers, thread, clock, this::reconcile),
            clock);
  }

  /**
   * Starts the fleet with clients of its own; returns at once.
   *
   * @throws io.nodepool.kubernetes.convert.UnreadableObjectException if the offer cannot be read
   */
  public static IronicFleetController start(Config config, Settings settings) {
    FleetOffer offer = OfferDocument.read(settings.offer());
    offer.capabilities().boots().stream()
        .filter(kind -> !IronicMachine.BOOTS.contains(kind))
        .forEach(kind ->
            log.warn(
                "The offer names boots of the kind {}, which is not carried out.", kind.word()));
    IronicFleetController controller = new IronicFleetController(config, settings, offer);
    controller.watch();
    return controller;
  }

  private void watch() {
    watches.add(
        "Host",
        watching
            .resources(HostResource.class)
            .withLabel(IronicRequests.FLEET_LABEL, IronicRequests.FLEET),
        HostResource::new,
        loop::hostSeen,
        loop::hostGone);
    watches.add("Node", watching.nodes(), Node::new, loop::kubeletSeen, loop::kubeletGone);
    watches.add(
        "CertificateSigningRequest",
        watching.certificates().v1().certificateSigningRequests(),
        CertificateSigningRequest::new,
        this::joinSeen,
        this::joinGone);
    watches.start(this::listed);
  }

  private void listed() {
    loop.listed();
    list();
  }

  /** Lists the nodes repeatedly, and keeps the offer published. */
  private void list() {
    Instant asked = clock.instant();
    if (!asked.isBefore(offeredAt.plus(OFFER))) {
      offeredAt = asked;
      lanes.execute("offer", this::offer, () -> {});
    }
    lanes.answer(
        "list",
        () -> ironic.list(asked),
        answer ->
            thread.execute(() -> {
              try {
                loop.nodesSeen(answer, asked);
                // A request may arrive before the current state of its Host is observed.
                joining.values().forEach(this::approve);
              } finally {
                listAgain(loop.nextList());
              }
            }));
  }

  private void listAgain(Duration wait) {
    try {
      var _ =
          timers.schedule(() -> thread.execute(this::list), wait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("the nodes are listed no more: the fleet ends");
    }
  }

  private void offer() {
    Reply reply = requests.offer(settings.namespace(), settings.offer());
    if (!(reply instanceof Reply.Ok)) {
      log.warn("The offer cannot be published and is tried again: {}", reply.why());
    }
  }

  private void joinSeen(CertificateSigningRequest request) {
    joining.put(request.getMetadata().getName(), request);
    approve(request);
  }

  private void joinGone(HasMetadata request) {
    joining.remove(request.getMetadata().getName());
  }

  private void approve(CertificateSigningRequest request) {
    String name = request.getMetadata().getName();
    joins
        .host(request, loop::host)
        .ifPresent(host ->
            lanes.execute(
                name,
                () -> {
                  Reply reply =
                      requests.approve(name, JoinApproval.approved(request, host, clock.instant()));
                  log.info(
                      "{}: its kubelet's request {} is approved: {}",
                      host.id().name(),
                      name,
                      reply.why());
                },
                () -> {}));
  }

  private <T> void send(String name, Supplier<Answer<T>> request, Consumer<Answer<T>> answer) {
    lanes.answer(name, request, each -> thread.execute(() -> answer.accept(each)));
  }

  private void reconcile(String name) {
    loop.reconcile(name);
  }

  /** Whether it has listed everything once, receives changes, and Ironic answers. */
  public boolean isReady() {
    return loop.isReachable() && watches.isWatching();
  }

  /** Whether the process is healthy: no task has run for longer than a minute. */
  public boolean isHealthy() {
    return thread.isResponsive(LONGEST_WORK);
  }

  /** Ends the fleet; its objects remain. Waits briefly for the requests in flight. */
  @Override
  public void close() {
    watches.close();
    timers.shutdownNow();
    thread.close();
    lanes.close();
    ironic.close();
    client.close();
    watching.close();
  }
}
