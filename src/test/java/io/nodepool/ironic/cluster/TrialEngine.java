package io.nodepool.ironic.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The Ironic of a trial as its owner has it: hack/ironic/engine, and requests by hand. */
final class TrialEngine implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIME_OUT = Duration.ofSeconds(60);

  /** Ironic's address. */
  static final String ADDRESS = "http://127.0.0.1:" + number("IRONIC_PORT", 16385);

  /** The emulator of BMCs. */
  static final URI EMULATOR = URI.create("http://127.0.0.1:" + number("EMULATOR_PORT", 18000));

  /** The server of the images. */
  static final String IMAGES = "http://127.0.0.1:" + number("IMAGES_PORT", 18080);

  private final Path folder;
  private final HttpClient http = HttpClient.newHttpClient();

  TrialEngine(Path folder) {
    this.folder = folder;
  }

  /** The number that an environment variable has. */
  static int number(String variable, int otherwise) {
    return Integer.parseInt(System.getenv().getOrDefault(variable, Integer.toString(otherwise)));
  }

  /** The UUID of each system, by name. */
  Map<String, String> systems() throws IOException {
    Map<String, String> systems = new TreeMap<>();
    JSON.readTree(folder.resolve("systems.json").toFile())
        .forEach(each -> systems.put(each.path("name").asText(), each.path("uuid").asText()));
    return systems;
  }

  /** All nodes by name; empty while Ironic does not answer. */
  Map<String, JsonNode> nodes() {
    Map<String, JsonNode> nodes = new TreeMap<>();
    try {
      send("GET", "/nodes?fields=name,provision_state,instance_info", "")
          .path("nodes")
          .forEach(node -> nodes.put(node.path("name").asText(), node));
    } catch (IOException e) {
      nodes.clear();
    }
    return nodes;
  }

  /** Lets the next deployment of a node fail: its BMC cannot load the image from there. */
  void breakDeployment(String name) throws IOException {
    send(
        "PATCH",
        "/nodes/" + name,
        "[{\"op\":\"add\",\"path\":\"/driver_info/external_http_url\",\"value\":\"http://127.0.0.1:1\"}]");
  }

  /** Undoes that. */
  void mendDeployment(String name) throws IOException {
    send(
        "PATCH",
        "/nodes/" + name,
        "[{\"op\":\"remove\",\"path\":\"/driver_info/external_http_url\"}]");
  }

  /** Puts a node into maintenance, or ends that. */
  void maintenance(String name, boolean begins) throws IOException {
    String path = "/nodes/%s/maintenance".formatted(name);
    if (begins) {
      send("PUT", path, "{\"reason\": \"a new disk\"}");
    } else {
      send("DELETE", path, "");
    }
  }

  /** The BMC of a system no longer answers, or does again. */
  void bmc(String name, boolean answers) throws IOException {
    script("bmc", folder.toString(), name, answers ? "alive" : "dead");
  }

  /** Kills Ironic, whatever it does at the moment. */
  void kill() throws IOException {
    script("kill", folder.toString(), "ironic");
  }

  /** Starts Ironic again, and waits until it answers. */
  void start() throws IOException {
    script("ironic", folder.toString());
  }

  private static void script(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("hack/ironic/engine"));
    command.addAll(List.of(arguments));
    run(command, Map.of());
  }

  /** Runs a program to its end, and returns how it ended. */
  static int run(List<String> command, Map<String, String> environment) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder.environment().putAll(environment);
    return builder.start().onExit().join().exitValue();
  }

  private JsonNode send(String method, String path, String body) throws IOException {
    String proof =
        Base64.getEncoder().encodeToString("nodepool:trial".getBytes(StandardCharsets.UTF_8));
    try {
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(URI.create(ADDRESS + "/v1" + path))
                  .timeout(TIME_OUT)
                  .header("X-OpenStack-Ironic-API-Version", IronicClient.MICROVERSION)
                  .header("Content-Type", "application/json")
                  .header("Authorization", "Basic " + proof)
                  .method(method, HttpRequest.BodyPublishers.ofString(body))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() >= 400) {
        throw new IOException(
            "%s %s: %d %s".formatted(method, path, answer.statusCode(), answer.body()));
      }
      return answer.body().isEmpty() ? JSON.nullNode() : JSON.readTree(answer.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** How many requests Ironic's API has taken so far. */
  long requests() throws IOException {
    try (var lines = Files.lines(folder.resolve("ironic.log"), StandardCharsets.ISO_8859_1)) {
      return lines.filter(line -> line.contains("ironic.api") && line.contains(" /v1/")).count();
    }
  }

  /** The resident memory, in MB, of a program that runs in the folder, with all its processes. */
  long memory(String program) throws IOException {
    Path pid = folder.resolve(program + ".pid");
    return Files.exists(pid) ? memory(Long.parseLong(Files.readString(pid).strip())) : 0;
  }

  private static long memory(long pid) throws IOException {
    long pages =
        Files.readAllLines(Path.of("/proc/%d/status".formatted(pid))).stream()
            .filter(line -> line.startsWith("VmRSS:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
            .sum();
    long below = 0;
    for (ProcessHandle child :
        ProcessHandle.of(pid).stream().flatMap(ProcessHandle::children).toList()) {
      below += memory(child.pid());
    }
    return pages / 1024 + below;
  }

  @Override
  public void close() {
    http.close();
  }
}
