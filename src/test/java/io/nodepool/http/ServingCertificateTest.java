package io.nodepool.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server whose certificate is replaced while it runs. */
class ServingCertificateTest {
  @TempDir private Path folder;

  private static Endpoint serve(Path folder) throws IOException {
    return Endpoint.receiving(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        Optional.of(new ServingCertificate(folder)),
        "/post",
        (authorization, length, body) ->
            Endpoint.Page.of(200, new String(body.readAllBytes(), StandardCharsets.UTF_8)));
  }

  /** The certificate that the server presents on a new connection. */
  private static Certificate presented(Endpoint endpoint, X509Certificate... trusted)
      throws Exception {
    try (HttpClient http =
        HttpClient.newBuilder().sslContext(TestCertificates.trusting(trusted)).build()) {
      HttpResponse<String> response =
          http.send(
              HttpRequest.newBuilder(
                      URI.create("https://127.0.0.1:%d/post".formatted(endpoint.port())))
                  .POST(HttpRequest.BodyPublishers.ofString("hello"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(response.body()).isEqualTo("hello\n");
      return response.sslSession().orElseThrow().getPeerCertificates()[0];
    }
  }

  @Test
  void newConnectionsGetTheCertificateThatIsThere() throws Exception {
    X509Certificate first = TestCertificates.write(folder, "RSA");
    try (Endpoint endpoint = serve(folder)) {
      assertThat(presented(endpoint, first)).isEqualTo(first);

      X509Certificate second = TestCertificates.write(folder, "EC");
      assertThat(presented(endpoint, first, second)).isEqualTo(second);

      Files.writeString(folder.resolve("tls.crt"), "half a certif");
      assertThat(presented(endpoint, first, second))
          .as("the last one while what is there cannot be used")
          .isEqualTo(second);
    }
  }

  @Test
  void aDirectoryWithoutACertificateIsRefused() throws Exception {
    Files.writeString(folder.resolve("tls.crt"), "nothing");
    Files.writeString(folder.resolve("tls.key"), "nothing");

    assertThatThrownBy(() -> new ServingCertificate(folder))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            folder
                + " must contain a certificate in tls.crt and its private key in tls.key, both in PEM format");
  }
}
