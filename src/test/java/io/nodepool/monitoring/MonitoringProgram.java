package io.nodepool.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A program of Prometheus' project that serves on loopback, at a port that it chooses itself. */
public final class MonitoringProgram implements AutoCloseable {
  private static final Path PROGRAMS = Path.of("target", "monitoring");
  private static final Pattern LISTENING =
      Pattern.compile("msg=\"Listening on\"(?: component=\\w+)? address=(\\S+)");
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Ends the program when its standard input ends: also when the process of the test dies. */
  private static final String GUARDIAN =
      "\"$@\" </dev/null & program=$!; cat >/dev/null; kill -9 $program; wait $program";

  private final Process guardian;
  private final Path log;
  private final HttpClient http = HttpClient.newHttpClient();
  private final URI served;

  private MonitoringProgram(Process guardian, Path log) {
    this.guardian = guardian;
    this.log = log;
    try {
      this.served = await().atMost(SOON).until(this::address, Optional::isPresent).orElseThrow();
      await().atMost(SOON).until(() -> get("/-/ready").statusCode() == 200);
    } catch (RuntimeException | Error e) {
      close();
      throw new AssertionError(log(), e);
    }
  }

  /**
   * Starts a program, and waits until it is ready.
   *
   * @param folder where its log is written
   */
  public static MonitoringProgram start(String name, Path folder, String... options)
      throws IOException {
    Path program = PROGRAMS.resolve(name);
    assertThat(program).as("bash .ci/monitoring builds the program").isExecutable();
    Path log = folder.resolve(name + ".log");
    List<String> command = new ArrayList<>(List.of("sh", "-c", GUARDIAN, "sh", program.toString()));
    command.addAll(List.of(options));
    return new MonitoringProgram(
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start(),
        log);
  }

  private Optional<URI> address() throws IOException {
    Matcher matcher = LISTENING.matcher(Files.readString(log));
    return matcher.find()
        ? Optional.of(URI.create("http://%s/".formatted(matcher.group(1))))
        : Optional.empty();
  }

  /** Where it serves. */
  public URI served() {
    return served;
  }

  /** An answer as JSON. */
  public JsonNode json(String path) {
    try {
      return JSON.readTree(get(path).body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An answer. */
  public HttpResponse<String> get(String path) {
    return send(request(path).build());
  }

  /** A request that is not built yet. */
  public HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(served.resolve(path)).timeout(SOON);
  }

  /** Sends a request. */
  public HttpResponse<String> send(HttpRequest request) {
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** What it has said so far. */
  public String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    http.close();
    try {
      guardian.getOutputStream().close();
      assertThat(guardian.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
