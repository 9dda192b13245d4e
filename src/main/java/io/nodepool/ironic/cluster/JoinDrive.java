package io.nodepool.ironic.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Secret;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.configuration.ConfigurationContents;
import io.nodepool.ironic.EngineRequest;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.ApiSerialization;
import io.nodepool.kubernetes.client.Reply;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The config drive with which a machine joins: the user data of a template, with a credential for
 * one tenancy of one Host. The credential is the token of a ServiceAccount of that tenancy. It
 * expires, and it ends with the account once the Node has joined.
 *
 * @param namespace of the Secrets with templates
 * @param joining the namespace of the ServiceAccounts; nothing else may be in it
 * @param server the address at which machines reach the API server
 * @param authority the certificate of its authority, as PEM
 */
record JoinDrive(
    ApiRequests api, String namespace, String joining, String server, String authority) {
  /** The key of a Secret that holds the template. */
  static final String TEMPLATE = "user-data";

  /** The delivery may take 60 minutes, the registration 15. */
  private static final int VALID_SECONDS = 2 * 60 * 60;

  private static final Pattern VARIABLE = Pattern.compile("\\$\\{nodepool\\.([a-zA-Z]+)}");
  private static final JsonNodeFactory MAKE = JsonNodeFactory.instance;

  /** The name of the ServiceAccount of a tenancy. */
  static String account(Host host) {
    return "join-%s-%d".formatted(host.id().name(), host.tenancy());
  }

  /** The user name of a machine before it has a certificate. */
  String user(Host host) {
    return "system:serviceaccount:%s:%s".formatted(joining, account(host));
  }

  /** The config drive for a request; empty if it needs none. */
  Answer<ObjectNode> drive(Host host, EngineRequest request) {
    if (!(request instanceof EngineRequest.Deploy deploy)) {
      return new Answer.Done<>(MAKE.objectNode());
    }
    ObjectNode drive = MAKE.objectNode();
    drive
        .putObject("meta_data")
        .put("name", host.id().name())
        .put("hostname", host.id().name())
        .put("uuid", host.id().uid());
    String template = deploy.source().template();
    return template.isEmpty()
        ? new Answer.Done<>(drive)
        : userData(host, deploy.configuration(), template)
            .map(text -> drive.put("user_data", text));
  }

  private Answer<String> userData(Host host, String configuration, String template) {
    String path = "/api/v1/namespaces/%s/secrets/%s".formatted(namespace, template);
    Reply found = api.get(path);
    if (!(found instanceof Reply.Ok ok)) {
      return new Answer.Unavailable<>(
          "the template in Secret %s/%s cannot be read: %s"
              .formatted(namespace, template, found.why()));
    }
    Map<String, String> data = api.parse(ok, Secret.class).getData();
    String encoded = data == null ? null : data.get(TEMPLATE);
    if (encoded == null) {
      return new Answer.Denied<>(
          "Secret %s/%s has no key %s with the template of the user data"
              .formatted(namespace, template, TEMPLATE));
    }
    String text = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    return token(host).map(token -> rendered(text, values(host, configuration, token)));
  }

  private Map<String, String> values(Host host, String configuration, String token) {
    Map<String, String> values = new TreeMap<>();
    values.put("host", host.id().name());
    values.put("hostUid", host.id().uid());
    values.put("tenancy", Integer.toString(host.tenancy()));
    values.put("pool", host.assignment().map(held -> held.pool().name()).orElse(""));
    values.put("configuration", configuration);
    values.put("server", server);
    // A certificate has several lines, which would break the template that it is put into.
    values.put(
        "authority",
        Base64.getEncoder().encodeToString(authority.getBytes(StandardCharsets.UTF_8)));
    values.put("token", token);
    Optional<ConfigurationContents> contents = ConfigurationContents.of(configuration);
    values.put("image", contents.map(ConfigurationContents::image).orElse(""));
    values.put("kernel", contents.map(ConfigurationContents::kernel).orElse(""));
    values.put("gpuDriver", contents.map(ConfigurationContents::gpuDriver).orElse(""));
    values.put("kubernetes", contents.map(ConfigurationContents::kubernetes).orElse(""));
    return values;
  }

  /** The text with the values; variables that are not the fleet's stay. */
  static String rendered(String template, Map<String, String> values) {
    return VARIABLE
        .matcher(template)
        .replaceAll(
            found -> Matcher.quoteReplacement(values.getOrDefault(found.group(1), found.group())));
  }

  private Answer<String> token(Host host) {
    ObjectNode account = MAKE.objectNode().put("apiVersion", "v1").put("kind", "ServiceAccount");
    ObjectNode metadata = account.putObject("metadata").put("name", account(host));
    metadata
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", "fleet.nodepool.io/v1alpha1")
        .put("kind", "Host")
        .put("name", host.id().name())
        .put("uid", host.id().uid());
    account.put("automountServiceAccountToken", false);
    Reply made = api.post(accounts(), account.toString());
    if (!(made instanceof Reply.Ok) && !made.isTaken()) {
      return made.failure();
    }
    ObjectNode request =
        MAKE.objectNode().put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenRequest");
    request.putObject("spec").put("expirationSeconds", VALID_SECONDS);
    Reply reply = api.post(accounts() + "/" + account(host) + "/token", request.toString());
    if (!(reply instanceof Reply.Ok(String body))) {
      return reply.failure();
    }
    JsonNode status = ApiSerialization.shared().unmarshal(body, JsonNode.class).path("status");
    return new Answer.Done<>(status.path("token").asText());
  }

  private String accounts() {
    return ApiPaths.namespace(joining) + "/serviceaccounts";
  }

  /** Ends the credential of the last tenancy, if there is one. */
  Answer<String> ended(Host host) {
    if (host.tenancy() == 0) {
      return new Answer.Done<>("");
    }
    Reply reply = api.delete(accounts() + "/" + account(host), "{}");
    return reply instanceof Reply.Ok || reply.isNotFound()
        ? new Answer.Done<>("")
        : reply.failure();
  }
}
