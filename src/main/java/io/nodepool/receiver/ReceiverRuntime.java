package io.nodepool.receiver;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.nodepool.http.BearerToken;
import io.nodepool.http.Endpoint;
import io.nodepool.http.ServingCertificate;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.client.WriteGate;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receiver of a replica: its endpoint, its watches and its writes. It does not need to lead,
 * since its writes are correct from every replica.
 */
public final class ReceiverRuntime implements AutoCloseable {
  /** The path to which Alertmanager posts. */
  public static final String PATH = "/alertmanager";

  private static final Logger log = LoggerFactory.getLogger(ReceiverRuntime.class);
  private static final int WRITES_AT_ONCE = 32;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  /**
   * The options of a receiver.
   *
   * @param address where it listens; port 0 means any free port
   * @param token the token of the senders
   * @param certificate the certificate with which it encrypts; empty if it does not encrypt
   * @param namespace the operator's namespace
   * @param clock the wall clock
   */
  public record Options(
      InetSocketAddress address,
      BearerToken token,
      Optional<ServingCertificate> certificate,
      String namespace,
      InstantSource clock,
      MeterRegistry meters) {}

  private final KubernetesClient client;
  private final KubernetesClient watching;
  private final ReceiverWatches watches;
  private final SignalStore store;
  private final Endpoint endpoint;

  private ReceiverRuntime(Config config, Options options) throws IOException {
    RequestMeter requests = new RequestMeter(options.meters());
    this.client = Clients.forRequests(config, requests);
    this.watching = Clients.forWatches(config, requests);
    HostNames names = new HostNames();
    StoredSignals stored = new StoredSignals();
    ReceiverMeters meters = new ReceiverMeters(options.meters(), System::nanoTime);
    ApiRequests api = new ApiRequests(client, WriteGate.ALWAYS_OPEN);
    Heartbeat heartbeat = new Heartbeat(api, options.clock());
    this.watches = new ReceiverWatches(watching, options.namespace(), names, stored, heartbeat);
    SignalWriter writer = new SignalWriter(api, stored, watches::catalogue, meters);
    this.store = new SignalStore(writer::write, WRITES_AT_ONCE, LONGEST_WAIT);
    AlertReceiver receiver =
        new AlertReceiver(
            options.token(),
            watches::areListed,
            names,
            stored,
            store,
            heartbeat::heard,
            options.clock(),
            AlertReceiver.Limits.DEFAULTS,
            meters);
    this.endpoint = Endpoint.receiving(options.address(), options.certificate(), PATH, receiver);
    watches.start();
  }

  /**
   * Starts a receiver; it answers 503 until it has listed the Hosts.
   *
   * @throws IOException if the address cannot be used
   */
  public static ReceiverRuntime start(Config config, Options options) throws IOException {
    ReceiverRuntime runtime = new ReceiverRuntime(config, options);
    log.info(
        "alerts are received on port {}, {}",
        runtime.port(),
        options.certificate().isPresent() ? "encrypted" : "not encrypted");
    return runtime;
  }

  /** The port on which it listens. */
  public int port() {
    return endpoint.port();
  }

  /** Whether it stores notifications instead of answering 503. */
  public boolean isReady() {
    return watches.areListed();
  }

  /** Stops listening, and waits for the writes in flight. */
  @Override
  public void close() {
    endpoint.close();
    store.close();
    watches.close();
    client.close();
    watching.close();
  }
}
