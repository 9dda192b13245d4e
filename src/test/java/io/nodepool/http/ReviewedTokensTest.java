package io.nodepool.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.nodepool.http.Endpoint.Page;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may read a page, as the API server answers. */
@EnableKubernetesMockClient(https = false)
@SuppressWarnings("NullAway.Init")
class ReviewedTokensTest {
  private static final String TOKENS = "/apis/authentication.k8s.io/v1/tokenreviews";
  private static final String RIGHTS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

  KubernetesMockServer server;
  KubernetesClient client;
  @TempDir private Path folder;
  private Instant now = Instant.parse("2026-01-01T10:00:00Z");

  private ReviewedTokens tokens() {
    return new ReviewedTokens(client, "/metrics", () -> now);
  }

  private void known(boolean authenticated) {
    server
        .expect()
        .post()
        .withPath(TOKENS)
        .andReturn(
            201,
            new TokenReviewBuilder()
                .withNewStatus()
                .withAuthenticated(authenticated)
                .withNewUser()
                .withUsername("system:serviceaccount:monitoring:prometheus")
                .addToGroups("system:serviceaccounts")
                .endUser()
                .endStatus()
                .build())
        .once();
  }

  private void allowed(boolean allowed) {
    server
        .expect()
        .post()
        .withPath(RIGHTS)
        .andReturn(
            201,
            new SubjectAccessReviewBuilder()
                .withNewStatus()
                .withAllowed(allowed)
                .endStatus()
                .build())
        .once();
  }

  private static int code(Optional<Page> refusal) {
    return refusal.map(Page::code).orElse(200);
  }

  @Test
  void aTokenWhoseUserMayIsReviewedOnceAMinute() throws Exception {
    ReviewedTokens tokens = tokens();
    known(true);
    allowed(true);
    assertThat(code(tokens.refusal("Bearer one"))).isEqualTo(200);
    assertThat(server.takeRequest().getPath()).isEqualTo(TOKENS);
    assertThat(server.takeRequest().getUtf8Body())
        .contains("\"path\":\"/metrics\"", "\"verb\":\"get\"", "monitoring:prometheus");

    now = now.plusSeconds(59);
    assertThat(code(tokens.refusal("bearer one"))).isEqualTo(200);
    assertThat(server.getRequestCount()).isEqualTo(2);
    now = now.plusSeconds(1);
    known(false);
    assertThat(code(tokens.refusal("Bearer one"))).isEqualTo(401);
  }

  @Test
  void oneWhoseUserMayNotIsRefusedAndReviewedAgainSoon() {
    ReviewedTokens tokens = tokens();
    known(true);
    allowed(false);
    assertThat(code(tokens.refusal("Bearer one"))).isEqualTo(403);
    assertThat(code(tokens.refusal("Bearer one"))).isEqualTo(403);
    now = now.plusSeconds(10);
    known(true);
    allowed(true);
    assertThat(code(tokens.refusal("Bearer one"))).isEqualTo(200);
  }

  @Test
  void whoPresentsNoTokenAsksNothingOfTheApiServer() {
    ReviewedTokens tokens = tokens();
    assertThat(code(tokens.refusal(""))).isEqualTo(401);
    assertThat(code(tokens.refusal("Basic b25lOnR3bw=="))).isEqualTo(401);
    assertThat(code(tokens.refusal("Bearer " + "x".repeat(20_000)))).isEqualTo(401);
    assertThat(server.getRequestCount()).isZero();
  }

  @Test
  void whileTheApiServerRefusesNobodyMay() {
    server.expect().post().withPath(TOKENS).andReturn(403, "{}").once();
    Optional<Page> refusal = tokens().refusal("Bearer one");
    assertThat(code(refusal)).isEqualTo(503);
    assertThat(refusal.orElseThrow().retryAfter()).isPositive();
  }

  @Test
  void metricsAreServedByTlsToThoseWhoMay() throws Exception {
    X509Certificate certificate = TestCertificates.write(folder, "EC");
    try (Endpoint endpoint =
            Endpoint.protecting(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new ServingCertificate(folder),
                () -> "requests_total 3\n",
                tokens());
        HttpClient http =
            HttpClient.newBuilder().sslContext(TestCertificates.trusting(certificate)).build()) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(
              URI.create("https://127.0.0.1:%d/metrics".formatted(endpoint.port())));
      HttpResponse<String> refused =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.headers().firstValue("WWW-Authenticate")).contains("Bearer");
      known(true);
      allowed(true);
      assertThat(
              http.send(
                      request.header("Authorization", "Bearer one").build(),
                      HttpResponse.BodyHandlers.ofString())
                  .body())
          .isEqualTo("requests_total 3\n");
    }
  }
}
