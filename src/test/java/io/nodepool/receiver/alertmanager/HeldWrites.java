package io.nodepool.receiver.alertmanager;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.http.TestCertificates;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.HostSignalsSpec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;

/**
 * An admission webhook by which the API server holds the writes of some HostSignals: a client that
 * sends them waits for its answers until this is closed.
 */
final class HeldWrites implements AutoCloseable {
  private static final String NAME = "held-writes.nodepool.io";
  private static final String PROBE = "probe";
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final KubernetesClient admin;
  private final Predicate<String> held;
  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private final Set<String> waiting = ConcurrentHashMap.newKeySet();
  private final CountDownLatch released = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpsServer server;

  /**
   * Holds writes from now on.
   *
   * @param folder where the files {@code tls.crt} and {@code tls.key} are
   * @param held whether to hold the writes of the object of this name
   */
  HeldWrites(KubernetesClient admin, Path folder, Predicate<String> held) throws IOException {
    this.admin = admin;
    this.held = held;
    this.server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(TestCertificates.serving(folder)));
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
    admin.resource(configuration(folder)).create();
    await().atMost(SOON).until(this::isAsked);
  }

  private ValidatingWebhookConfiguration configuration(Path folder) throws IOException {
    return new ValidatingWebhookConfigurationBuilder()
        .withNewMetadata()
        .withName(NAME)
        .endMetadata()
        .addNewWebhook()
        .withName(NAME)
        .withSideEffects("None")
        .withAdmissionReviewVersions("v1")
        .withFailurePolicy("Fail")
        .withTimeoutSeconds(30)
        .addNewRule()
        .withApiGroups("fleet.nodepool.io")
        .withApiVersions("*")
        .withResources("hostsignals")
        .withOperations("CREATE", "UPDATE")
        .endRule()
        .withNewClientConfig()
        .withUrl("https://127.0.0.1:%d/".formatted(server.getAddress().getPort()))
        .withCaBundle(
            Base64.getEncoder().encodeToString(Files.readAllBytes(folder.resolve("tls.crt"))))
        .endClientConfig()
        .endWebhook()
        .build();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      JsonNode request = JSON.readTree(exchange.getRequestBody()).path("request");
      String name = request.path("name").asText(request.at("/object/metadata/name").asText());
      seen.add(name);
      if (held.test(name)) {
        waiting.add(name);
        released.await();
      }
      ObjectNode review = JSON.createObjectNode();
      review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
      review.putObject("response").put("uid", request.path("uid").asText()).put("allowed", true);
      byte[] body = JSON.writeValueAsBytes(review);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The names of the objects whose writes are held, or were. */
  Set<String> waiting() {
    return Set.copyOf(waiting);
  }

  /** Whether the API server asks this webhook about writes. */
  private boolean isAsked() {
    seen.clear();
    HostSignalsResource probe = new HostSignalsResource();
    probe.setMetadata(new ObjectMetaBuilder().withName(PROBE).build());
    probe.setSpec(new HostSignalsSpec());
    admin.resource(probe).dryRun().create();
    return seen.contains(PROBE);
  }

  @Override
  public void close() {
    admin.admissionRegistration().v1().validatingWebhookConfigurations().withName(NAME).delete();
    released.countDown();
    await().atMost(SOON).until(() -> !isAsked());
    server.stop(0);
    threads.close();
  }
}
