package io.nodepool.ironic.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;

/** How the fleet authenticates to Ironic. */
interface IronicAuth {
  /** The headers of a request; may ask for a token first. */
  Map<String, String> header(HttpClient http) throws IOException, InterruptedException;

  /** Ironic did not accept the headers. */
  default void refused() {}

  /** No authentication, for an Ironic that listens only on this machine. */
  static IronicAuth none() {
    return _ -> Map.of();
  }

  /** A name and a password in each request: Ironic's {@code http_basic}. */
  static IronicAuth basic(String user, String password) {
    String both = user + ":" + password;
    String header =
        "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
    return _ -> Map.of("Authorization", header);
  }

  /** A token of Keystone for an application credential, requested again once it is refused. */
  final class Keystone implements IronicAuth {
    private static final Duration TIME_OUT = Duration.ofSeconds(30);

    private final URI tokens;
    private final String id;
    private final String secret;
    private String token = "";

    /**
     * @param keystone its address, such as {@code https://keystone.example:5000/v3}
     */
    Keystone(URI keystone, String id, String secret) {
      this.tokens = URI.create(keystone.toString().replaceAll("/+$", "") + "/auth/tokens");
      this.id = id;
      this.secret = secret;
    }

    @Override
    public synchronized Map<String, String> header(HttpClient http)
        throws IOException, InterruptedException {
      if (token.isEmpty()) {
        token = ask(http);
      }
      return Map.of("X-Auth-Token", token);
    }

    private String ask(HttpClient http) throws IOException, InterruptedException {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      ObjectNode identity = body.putObject("auth").putObject("identity");
      identity.putArray("methods").add("application_credential");
      identity.putObject("application_credential").put("id", id).put("secret", secret);
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(tokens)
                  .timeout(TIME_OUT)
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                  .build(),
              IronicClient.bounded());
      return answer
          .headers()
          .firstValue("X-Subject-Token")
          .filter(_ -> answer.statusCode() == 201)
          .orElseThrow(() ->
              new IOException("Keystone gives no token: HTTP %d".formatted(answer.statusCode())));
    }

    @Override
    public synchronized void refused() {
      token = "";
    }
  }
}
