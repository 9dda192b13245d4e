package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.http.TestCertificates;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.cert.X509Certificate;
import java.time.Duration;

/**
 * Scrapes an operator of the chart whose metrics only some clients may read, as Prometheus does.
 */
record ChartMetrics(KubernetesClient admin, X509Certificate certificate) {
  private static final String SCRAPER = "scraper";

  /** One without a token, one whose user may not, and the same one when it may. */
  void scrape(PodProcess operator) throws IOException, InterruptedException {
    admin
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withName(SCRAPER)
                .withNamespace(Chart.NAMESPACE)
                .endMetadata()
                .build())
        .create();
    String token =
        admin
            .serviceAccounts()
            .inNamespace(Chart.NAMESPACE)
            .withName(SCRAPER)
            .tokenRequest(
                new TokenRequestBuilder()
                    .withNewSpec()
                    .withExpirationSeconds(3600L)
                    .endSpec()
                    .build())
            .getStatus()
            .getToken();
    try (HttpClient http =
        HttpClient.newBuilder().sslContext(TestCertificates.trusting(certificate)).build()) {
      assertThat(get(http, operator, "").statusCode()).isEqualTo(401);
      assertThat(get(http, operator, "Bearer nonsense-that-is-no-token").statusCode())
          .isEqualTo(401);
      assertThat(get(http, operator, "Bearer " + token).statusCode()).isEqualTo(403);
      bind();
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> get(http, operator, "Bearer " + token).statusCode() == 200);
      assertThat(get(http, operator, "Bearer " + token).body()).contains("nodepool_leader");
    }
  }

  /** As docs/install.md says. */
  private void bind() {
    admin
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(SCRAPER)
                .endMetadata()
                .withNewRoleRef(
                    "rbac.authorization.k8s.io", "ClusterRole", Chart.RELEASE + "-metrics-reader")
                .addNewSubject()
                .withKind("ServiceAccount")
                .withName(SCRAPER)
                .withNamespace(Chart.NAMESPACE)
                .endSubject()
                .build())
        .create();
  }

  private static HttpResponse<String> get(
      HttpClient http, PodProcess operator, String authorization)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
            URI.create("https://127.0.0.1:%d/metrics".formatted(operator.metricsTlsPort())));
    if (!authorization.isEmpty()) {
      request.header("Authorization", authorization);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
