package io.nodepool.ironic.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.http.TestCertificates;
import io.nodepool.ironic.EngineRequest;
import io.nodepool.ironic.IronicNode;
import io.nodepool.ironic.ProvisionState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests to Ironic, against a server that answers as version 39.0.0 was seen to. */
class IronicClientTest {
  private static final String NODE =
      """
      {"uuid": "u-1", "name": "metal-01", "resource_class": "turin-gp", "traits": ["CUSTOM_A", "HW_B"], "provision_state": "deploy failed",
       "power_state": "power on", "target_power_state": null, "instance_uuid": "i-1", "last_error": "no image",
       "maintenance": true, "maintenance_reason": "why", "fault": "power failure", "retired": false,
       "reservation": "here", "conductor": null, "new_field": {"a": 1},
       "extra": {"rack": "r1", "slot": 7, "nodepool": {"host": "metal-01", "tenancy": 3, "configuration": "c", "boot": "b/1", "before": "t"}},
       "driver_internal_info": {"last_power_state_change": "t"}}
      """;

  /** An answer. */
  private record Canned(int code, String body) {}

  private final Queue<Canned> answers = new ArrayDeque<>();
  private final List<String> requests = new ArrayList<>();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          requests.add(
              "%s %s %s %s %s"
                  .formatted(
                      exchange.getRequestMethod(),
                      exchange.getRequestURI(),
                      exchange.getRequestHeaders().getFirst("X-OpenStack-Ironic-API-Version"),
                      exchange.getRequestHeaders().getFirst("Authorization"),
                      body));
          Canned answer = answers.remove();
          if (answer.code() == 0) {
            exchange.close();
            return;
          }
          byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(answer.code(), bytes.length == 0 ? -1 : bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private IronicClient client() {
    URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    return new IronicClient(address, IronicAuth.basic("user", "word"), Optional.empty());
  }

  private Answer<?> send(EngineRequest request) {
    try (IronicClient client = client()) {
      return client.send("u-1", request, JsonNodeFactory.instance.objectNode());
    }
  }

  @Test
  void aNodeIsReadWithWhatIsAbsentAsEmptyText() {
    answers.add(new Canned(200, NODE));
    try (IronicClient client = client()) {
      assertThat(client.read("u-1", Instant.EPOCH))
          .isInstanceOfSatisfying(
              Answer.Done.class,
              done -> {
                IronicNode node = (IronicNode) done.object();
                assertThat(node.state()).isEqualTo(ProvisionState.DEPLOY_FAILED);
                assertThat(node.kind().traits()).containsExactly("CUSTOM_A", "HW_B");
                assertThat(node.power()).isEqualTo(new IronicNode.Power("power on", "", "t"));
                assertThat(node.obstacles())
                    .isEqualTo(
                        new IronicNode.Obstacles(true, "power failure", "why", false, true, false));
                assertThat(node.note())
                    .isEqualTo(new IronicNode.Note("metal-01", 3, "c", "b/1", "t"));
                assertThat(node.extra()).containsEntry("rack", "r1").containsEntry("slot", "7");
              });
    }
    assertThat(requests).containsExactly("GET /v1/nodes/u-1 1.110 Basic dXNlcjp3b3Jk ");
  }

  @ParameterizedTest
  @CsvSource({
    "200, '{\"history\": [{\"severity\": \"ERROR\", \"event\": \"old\"}, {\"severity\": \"ERROR\", \"event\": \"no image\"}, {\"severity\": \"INFO\", \"event\": \"off\"}]}', no image",
    "200, '{\"history\": []}', nothing in its history",
    "404, '', its history cannot be read",
  })
  void whyAMachineFailedIsInItsHistory(int code, String body, String why) {
    answers.add(new Canned(200, NODE.replace("\"no image\"", "null")));
    answers.add(new Canned(code, body));
    try (IronicClient client = client()) {
      assertThat(client.read("u-1", Instant.EPOCH).map(client::explained))
          .isInstanceOfSatisfying(
              Answer.Done.class,
              done -> assertThat(((IronicNode) done.object()).lastError()).isEqualTo(why));
    }
    assertThat(requests.get(1)).startsWith("GET /v1/nodes/u-1/history?detail=true ");
  }

  @Test
  void allPagesOfAListAreRead() {
    answers.add(
        new Canned(200, "{\"nodes\": [%s], \"next\": \"http://elsewhere/\"}".formatted(NODE)));
    answers.add(new Canned(200, "{\"nodes\": [%s]}".formatted(NODE.replace("u-1", "u-2"))));
    try (IronicClient client = client()) {
      assertThat(client.list(Instant.EPOCH))
          .isInstanceOfSatisfying(
              Answer.Done.class, done -> assertThat((List<?>) done.object()).hasSize(2));
    }
    assertThat(requests).hasSize(2);
    assertThat(requests.get(1)).contains("marker=u-1");
  }

  @Test
  void aClaimIsOneRequest() {
    answers.add(new Canned(200, NODE));
    send(
        new EngineRequest.ClaimNode(
            "i-2",
            new FleetRelease.Image.Source("http://images/a.iso", "", ""),
            new IronicNode.Note("metal-01", 4, "c", "", "")));
    assertThat(requests).hasSize(1);
    assertThat(requests.getFirst())
        .startsWith("PATCH /v1/nodes/u-1 ")
        .contains("\"/instance_uuid\",\"value\":\"i-2\"")
        .contains("{\"boot_iso\":\"http://images/a.iso\"}")
        .contains("\"/extra/nodepool\"");
  }

  @Test
  void aNodeIsUndeployedTakenOutAndCleanedByItsProvisionState() {
    List<EngineRequest> asked =
        List.of(
            new EngineRequest.Undeploy(), new EngineRequest.Manage(), new EngineRequest.Provide());
    asked.forEach(request -> {
      answers.add(new Canned(202, ""));
      send(request);
    });
    assertThat(requests)
        .allMatch(each -> each.startsWith("PUT /v1/nodes/u-1/states/provision "))
        .extracting(each -> each.substring(each.indexOf("{")))
        .containsExactly(
            "{\"target\":\"deleted\"}", "{\"target\":\"manage\"}", "{\"target\":\"provide\"}");
  }

  @Test
  void anImageOfADiskHasItsChecksum() {
    answers.add(new Canned(200, NODE));
    send(
        new EngineRequest.ClaimNode(
            "i-2",
            new FleetRelease.Image.Source("http://images/a.qcow2", "sum", ""),
            IronicNode.Note.NONE));
    assertThat(requests.getFirst())
        .contains("{\"image_source\":\"http://images/a.qcow2\",\"image_checksum\":\"sum\"}");
  }

  @ParameterizedTest
  @CsvSource({
    "202, Done",
    "400, Denied",
    "401, Unavailable",
    "403, Denied",
    "404, Missing",
    "406, Denied",
    "409, Refused",
    "500, Unknown",
    "503, Unavailable",
    "0,   Unknown",
  })
  void whatAnAnswerMeans(int code, String meaning) {
    answers.add(new Canned(code, ""));
    // A client may send a request again whose connection was closed.
    answers.add(new Canned(code, ""));
    assertThat(send(new EngineRequest.Undeploy()).getClass().getSimpleName()).isEqualTo(meaning);
  }

  @Test
  void theMessageOfALockIsRead() {
    answers.add(
        new Canned(
            409,
            "{\"error_message\": \"{\\\"faultcode\\\": \\\"Client\\\", \\\"faultstring\\\": \\\"Node u-1 is locked by host here, please retry after the current operation is completed.\\\", \\\"debuginfo\\\": null}\"}"));
    assertThat(send(new EngineRequest.SetPower(EngineRequest.Target.OFF)))
        .isEqualTo(
            new Answer.Refused<>(
                "Ironic, HTTP 409: Node u-1 is locked by host here, please retry after the current operation is completed."));
  }

  @Test
  void whatIsNoJsonIsNoAnswer() {
    answers.add(new Canned(200, "<html>"));
    assertThat(send(new EngineRequest.Unclaim())).isInstanceOf(Answer.Unknown.class);
  }

  @Test
  void aServerThatDoesNotListenTookNothing() {
    int port = server.getAddress().getPort();
    server.stop(0);
    try (IronicClient client =
        new IronicClient(
            URI.create("http://127.0.0.1:" + port), IronicAuth.none(), Optional.empty())) {
      assertThat(client.list(Instant.EPOCH)).isInstanceOf(Answer.Unavailable.class);
    }
  }

  @Test
  void whoeverIsNotTrustedIsNotSpokenTo(@TempDir Path folder) throws IOException {
    X509Certificate certificate = TestCertificates.write(folder, "EC");
    HttpsServer secure =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    secure.setHttpsConfigurator(new HttpsConfigurator(TestCertificates.serving(folder)));
    secure.createContext(
        "/",
        exchange -> {
          requests.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
          exchange.sendResponseHeaders(200, 2);
          exchange.getResponseBody().write("{}".getBytes(StandardCharsets.UTF_8));
          exchange.close();
        });
    secure.start();
    URI address = URI.create("https://127.0.0.1:" + secure.getAddress().getPort());
    IronicAuth auth = IronicAuth.basic("user", "word");
    try (IronicClient strange = new IronicClient(address, auth, Optional.empty());
        IronicClient trusting =
            new IronicClient(address, auth, Optional.of(TestCertificates.trusting(certificate)))) {
      assertThat(strange.list(Instant.EPOCH)).isInstanceOf(Answer.Unavailable.class);
      assertThat(requests).as("the password was not sent").isEmpty();
      assertThat(trusting.list(Instant.EPOCH)).isInstanceOf(Answer.Done.class);
    } finally {
      secure.stop(0);
    }
  }

  @Test
  void aKeystoneThatGivesNoTokenIsNoAnswerAndIronicIsNotAsked() throws IOException {
    HttpServer keystone =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    keystone.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(401, -1);
          exchange.close();
        });
    keystone.start();
    String address = "http://127.0.0.1:%d/v3".formatted(keystone.getAddress().getPort());
    try (IronicClient client =
        new IronicClient(
            URI.create("http://127.0.0.1:" + server.getAddress().getPort()),
            new IronicAuth.Keystone(URI.create(address), "id", "secret"),
            Optional.empty())) {
      assertThat(client.list(Instant.EPOCH))
          .isInstanceOfSatisfying(
              Answer.Failed.class, failed -> assertThat(failed.why()).contains("HTTP 401"));
    } finally {
      keystone.stop(0);
    }
    assertThat(requests).isEmpty();
  }

  @Test
  void aTokenOfKeystoneIsAskedForAgainOnceItIsRefused() throws IOException {
    List<String> tokens = new ArrayList<>();
    HttpServer keystone =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    keystone.createContext(
        "/v3/auth/tokens",
        exchange -> {
          tokens.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          exchange.getResponseHeaders().set("X-Subject-Token", "token-" + tokens.size());
          exchange.sendResponseHeaders(201, -1);
          exchange.close();
        });
    keystone.start();
    answers.add(new Canned(401, ""));
    answers.add(new Canned(200, NODE));
    IronicAuth auth =
        new IronicAuth.Keystone(
            URI.create("http://127.0.0.1:%d/v3".formatted(keystone.getAddress().getPort())),
            "id",
            "secret");
    try (IronicClient client =
        new IronicClient(
            URI.create("http://127.0.0.1:" + server.getAddress().getPort()),
            auth,
            Optional.empty())) {
      assertThat(client.read("u-1", Instant.EPOCH)).isInstanceOf(Answer.Unavailable.class);
      assertThat(client.read("u-1", Instant.EPOCH)).isInstanceOf(Answer.Done.class);
    } finally {
      keystone.stop(0);
    }
    assertThat(tokens).hasSize(2);
    assertThat(tokens.getFirst()).contains("application_credential").contains("secret");
  }
}
