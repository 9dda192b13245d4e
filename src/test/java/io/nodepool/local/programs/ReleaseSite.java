package io.nodepool.local.programs;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server that publishes a control plane like the official sites, with injectable failures. */
final class ReleaseSite implements AutoCloseable {
  static final String KUBERNETES =
      "/release/" + ControlPlaneModules.kubernetesVersion() + "/bin/linux/amd64/";
  static final String ETCD =
      "/etcd-io/etcd/releases/download/" + ControlPlaneModules.etcdVersion() + "/";
  static final String ETCD_ARCHIVE =
      "etcd-" + ControlPlaneModules.etcdVersion() + "-linux-amd64.tar.gz";

  /** The response to one request. */
  @FunctionalInterface
  interface Answer {
    void to(HttpExchange exchange, byte[] content) throws Exception;
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, byte[]> files = new HashMap<>();
  private final Map<String, Deque<Answer>> next = new HashMap<>();

  /** The requests, each with its path and range. */
  final List<String> requests = new CopyOnWriteArrayList<>();

  /** Serves four programs, each a different script of some kilobytes. */
  ReleaseSite(Path folder) throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    for (String name : List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler")) {
      publish(name, script(name));
    }
    Path etcd = Files.createDirectories(folder.resolve("pack").resolve(folderOfEtcd()));
    Files.write(etcd.resolve("etcd"), script("etcd"));
    Files.writeString(etcd.resolve("README.md"), "not needed");
    Path archive = folder.resolve("etcd.tar.gz");
    run("tar", "-czf", archive.toString(), "-C", folder.resolve("pack").toString(), folderOfEtcd());
    byte[] packed = Files.readAllBytes(archive);
    files.put(ETCD + ETCD_ARCHIVE, packed);
    String sums =
        "%s  etcd-other.zip\n%s  %s\n".formatted("0".repeat(64), sha256(packed), ETCD_ARCHIVE);
    files.put(ETCD + "SHA256SUMS", sums.getBytes(StandardCharsets.US_ASCII));
    server.start();
  }

  /** A program's content. */
  static byte[] script(String name) {
    String text = "#!/bin/sh\necho " + name + "\n";
    return (text + "# padding\n".repeat(2000)).getBytes(StandardCharsets.US_ASCII);
  }

  /** Publishes a program of Kubernetes, with its checksum. */
  void publish(String name, byte[] content) throws Exception {
    files.put(KUBERNETES + name, content);
    publishChecksum(name, content);
  }

  /** Publishes the checksum of this content for a program, independent of its file. */
  void publishChecksum(String name, byte[] content) throws Exception {
    files.put(KUBERNETES + name + ".sha256", sha256(content).getBytes(StandardCharsets.US_ASCII));
  }

  void remove(String path) {
    files.remove(path);
  }

  /** Sets the response to the next request for a path only. */
  void once(String path, Answer answer) {
    next.computeIfAbsent(path, _ -> new ArrayDeque<>()).add(answer);
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String range = exchange.getRequestHeaders().getFirst("Range");
    boolean isHead = exchange.getRequestMethod().equals("HEAD");
    requests.add((isHead ? "HEAD " : "") + (range == null ? path : path + " " + range));
    byte[] content = files.get(path);
    try (exchange) {
      if (content == null || isHead) {
        exchange.sendResponseHeaders(content == null ? 404 : 200, -1);
        return;
      }
      Answer special;
      synchronized (next) {
        special = next.getOrDefault(path, new ArrayDeque<>()).poll();
      }
      (special == null ? (Answer) ReleaseSite::whole : special).to(exchange, content);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  /** The usual response: the whole file, or the requested range. */
  static void whole(HttpExchange exchange, byte[] content) throws IOException {
    String range = exchange.getRequestHeaders().getFirst("Range");
    int from = range == null ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
    if (from >= content.length) {
      exchange.sendResponseHeaders(416, -1);
      return;
    }
    if (range != null) {
      exchange
          .getResponseHeaders()
          .set(
              "Content-Range",
              "bytes %d-%d/%d".formatted(from, content.length - 1, content.length));
    }
    exchange.sendResponseHeaders(range == null ? 200 : 206, content.length - from);
    exchange.getResponseBody().write(content, from, content.length - from);
  }

  /** Announces the whole length, sends a part, and closes the connection. */
  static Answer cutAfter(int bytes) {
    return (exchange, content) -> {
      exchange.sendResponseHeaders(200, content.length);
      OutputStream out = exchange.getResponseBody();
      out.write(content, 0, bytes);
      out.flush();
    };
  }

  /** A response with a status only. */
  static Answer status(int status) {
    return (exchange, _) -> exchange.sendResponseHeaders(status, -1);
  }

  /** The first bytes of a content. */
  static byte[] half(byte[] content) {
    return Arrays.copyOf(content, content.length / 2);
  }

  static String sha256(byte[] content) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
  }

  private static String folderOfEtcd() {
    return "etcd-" + ControlPlaneModules.etcdVersion() + "-linux-amd64";
  }

  private static void run(String... command) throws Exception {
    if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
      throw new IOException("failed: " + List.of(command));
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
