package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.health.Signal;
import io.nodepool.http.TestCertificates;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.HostSignalsSpec;
import io.nodepool.receiver.Bodies;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;

/** Sends alerts to an operator of the chart, as Alertmanager does. */
record ChartAlerts(KubernetesClient admin, X509Certificate certificate) {
  static final String TOKEN_SECRET = "the-token";
  static final String TLS_SECRET = "the-certificate";
  private static final String TOKEN = "the-token-of-the-test";

  /** Creates the Secrets, in the namespace of the release, which is created too. */
  static ChartAlerts prepare(KubernetesClient admin, Path folder) throws IOException {
    Path files = Files.createDirectories(folder.resolve("certificate"));
    X509Certificate certificate = TestCertificates.write(files, "RSA");
    Chart.createNamespace(admin, Chart.NAMESPACE);
    secret(admin, TOKEN_SECRET, Map.of("token", TOKEN));
    secret(
        admin,
        TLS_SECRET,
        Map.of(
            "tls.crt", Files.readString(files.resolve("tls.crt")),
            "tls.key", Files.readString(files.resolve("tls.key"))));
    return new ChartAlerts(admin, certificate);
  }

  private static void secret(KubernetesClient admin, String name, Map<String, String> data) {
    admin
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(Chart.NAMESPACE)
                .endMetadata()
                .withStringData(data)
                .build())
        .create();
  }

  /** Sends alerts about a Host without signals, and about one whose object is full. */
  void send(PodProcess operator) throws IOException, InterruptedException {
    List<String> hosts =
        admin.resources(HostResource.class).list().getItems().stream()
            .map(host -> host.getMetadata().getName())
            .toList();
    HostSignalsResource full = new HostSignalsResource();
    full.setMetadata(new ObjectMetaBuilder().withName(hosts.getFirst()).build());
    full.setSpec(new HostSignalsSpec());
    for (int i = 0; i < Signal.MOST; i++) {
      HostSignalsSpec.Entry entry = new HostSignalsSpec.Entry();
      entry.since = "2026-11-26T18:00:00Z";
      full.getSpec().signals.put("monitor.part%d.Unknown".formatted(i), entry);
    }
    admin.resource(full).create();
    try (HttpClient http =
        HttpClient.newBuilder().sslContext(TestCertificates.trusting(certificate)).build()) {
      HttpResponse<String> response =
          http.send(
              HttpRequest.newBuilder(
                      URI.create(
                          "https://127.0.0.1:%d/alertmanager".formatted(operator.alertsPort())))
                  .header("Authorization", "Bearer " + TOKEN)
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          Bodies.of(
                              Bodies.firing(
                                  "2026-11-26T18:00:00Z",
                                  "alertname=GPUFallenOffBus",
                                  "node=" + hosts.getFirst()),
                              Bodies.firing(
                                  "2026-11-26T18:00:00Z",
                                  "alertname=GPUFallenOffBus",
                                  "instance=%s:9400".formatted(hosts.getLast())))))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(response.body()).as(operator::log).isEqualTo("2 alerts: 2 stored\n");
      assertThat(response.statusCode()).isEqualTo(200);
    }
  }
}
