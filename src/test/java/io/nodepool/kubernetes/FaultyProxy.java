package io.nodepool.kubernetes;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.nodepool.kubernetes.client.RequestCounts;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.local.LocalCluster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between a client and the API server with faults chosen by a seed: it answers with a
 * conflict, a rejection, an error or not at all, before or after the request has taken effect, and
 * it cuts watches. It serves plain HTTP/1.1 on loopback, one request on each connection.
 */
public final class FaultyProxy implements AutoCloseable {
  /**
   * The outcome of a request. A rejection for load always means that the request was not processed.
   */
  private enum Fate {
    CONFLICT_BEFORE(409, "Conflict", false),
    TOO_MANY_BEFORE(429, "Too Many Requests", false),
    ERROR_BEFORE(500, "Internal Server Error", false),
    SILENCE_BEFORE(0, "", false),
    ERROR_AFTER(500, "Internal Server Error", true),
    SILENCE_AFTER(0, "", true);

    private final int code;
    private final String words;
    private final boolean after;

    Fate(int code, String words, boolean after) {
      this.code = code;
      this.words = words;
      this.after = after;
    }
  }

  /**
   * The rate of faults.
   *
   * @param share the share of requests with a fault, from 0 to 1
   * @param longestWatch the maximum duration of a watch; empty if none is cut
   */
  public record Faults(double share, Optional<Duration> longestWatch, long seed) {
    public static final Faults NONE = new Faults(0, Optional.empty(), 0);
  }

  /** Longer than a client waits for the answer to a write. */
  private static final Duration SILENCE = Duration.ofSeconds(5);

  private final LocalCluster cluster;
  private final Faults faults;
  private final URI upstream;
  private final SSLContext tls;
  private final ServerSocket listener;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledExecutorService cutter = Executors.newSingleThreadScheduledExecutor();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Set<Socket> watches = ConcurrentHashMap.newKeySet();
  private final Set<Socket> halfOpen = ConcurrentHashMap.newKeySet();
  private final ConcurrentHashMap<String, LongAdder> requests = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Fate, LongAdder> fates = new ConcurrentHashMap<>();

  /** Guarded by this. */
  private final SplittableRandom random;

  /** A proxy that serves at once. */
  public FaultyProxy(LocalCluster cluster, Faults faults) throws IOException {
    this.cluster = cluster;
    this.faults = faults;
    this.random = new SplittableRandom(faults.seed());
    this.upstream = URI.create(cluster.url());
    this.tls = trusting(cluster.caPem());
    this.listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    var _ = threads.submit(this::accept);
  }

  private static SSLContext trusting(String caPem) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(caPem.getBytes(StandardCharsets.US_ASCII)))) {
        store.setCertificateEntry("ca-" + number++, certificate);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("the cluster's certificate cannot be trusted", e);
    }
  }

  /** The configuration of an administrator's client that uses this proxy. */
  public Config config() {
    return new ConfigBuilder(Config.fromKubeconfig(cluster.kubeconfig()))
        .withMasterUrl("http://127.0.0.1:%d/".formatted(listener.getLocalPort()))
        .build();
  }

  /** The requests received so far. */
  RequestCounts requests() {
    TreeMap<String, Long> counts = new TreeMap<>();
    requests.forEach((kind, count) -> counts.put(kind, count.sum()));
    return new RequestCounts(counts);
  }

  /** The number of faults, for the message of a failing test. */
  public String faultsInWords() {
    return "seed %d, %s".formatted(faults.seed(), fates);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        open.add(client);
        var _ = threads.submit(() -> serve(client));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      Request request = Request.read(client.getInputStream());
      if (request == null) {
        return;
      }
      requests.computeIfAbsent(request.kind(), _ -> new LongAdder()).increment();
      Optional<Fate> fate = fate(request);
      if (fate.isPresent()) {
        fates.computeIfAbsent(fate.get(), _ -> new LongAdder()).increment();
        disturb(client, request, fate.get());
      } else {
        forward(client, request);
      }
    } catch (IOException e) {
      // Expected: connections are cut on purpose.
    } finally {
      open.remove(client);
    }
  }

  private synchronized Optional<Fate> fate(Request request) {
    if (random.nextDouble() >= faults.share()) {
      return Optional.empty();
    }
    Fate fate = Fate.values()[random.nextInt(Fate.values().length)];
    return Optional.of(request.isWatch() && fate.after ? Fate.ERROR_BEFORE : fate);
  }

  private void disturb(Socket client, Request request, Fate fate) throws IOException {
    if (fate.after) {
      try (Socket server = connect()) {
        request.write(server.getOutputStream());
        server.getInputStream().transferTo(OutputStream.nullOutputStream());
      }
    }
    if (fate.code == 0) {
      client.setSoTimeout((int) SILENCE.toMillis());
      // Ends when the client or this proxy times out.
      client.getInputStream().transferTo(OutputStream.nullOutputStream());
      return;
    }
    String body =
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"by the proxy: %s\",\"code\":%d}"
            .formatted(fate.words, fate.code);
    String head =
        "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nRetry-After: 1\r\nConnection: close\r\n\r\n"
            .formatted(fate.code, fate.words, body.length());
    client.getOutputStream().write((head + body).getBytes(StandardCharsets.US_ASCII));
    client.getOutputStream().flush();
  }

  private void forward(Socket client, Request request) throws IOException {
    try (Socket server = connect()) {
      if (request.isWatch()) {
        cutLater(client, server);
        // Data from the client on a WebSocket, such as its close frame.
        var _ = threads.submit(() -> pump(client, server));
      }
      request.write(server.getOutputStream());
      if (request.isWatch()) {
        watches.add(client);
        transfer(server.getInputStream(), client);
      } else {
        server.getInputStream().transferTo(client.getOutputStream());
      }
    } finally {
      watches.remove(client);
      halfOpen.remove(client);
    }
  }

  /**
   * Transfers data; once the connection is half-open, data is dropped and the end is not forwarded.
   */
  private void transfer(InputStream from, Socket to) throws IOException {
    byte[] piece = new byte[8192];
    for (int read = from.read(piece); read >= 0; read = from.read(piece)) {
      if (!halfOpen.contains(to)) {
        to.getOutputStream().write(piece, 0, read);
      }
    }
    if (halfOpen.contains(to)) {
      to.getInputStream().transferTo(OutputStream.nullOutputStream());
    }
  }

  /**
   * Drops the server's side of every open watch, as a gateway that lost its connections does: no
   * more data arrives, not even an end. Later watches are unaffected.
   *
   * @return the number of these watches
   */
  public int loseOpenWatches() {
    Set<Socket> lost = Set.copyOf(watches);
    halfOpen.addAll(lost);
    return lost.size();
  }

  private static void pump(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException e) {
      // One of the sockets is closed.
    }
  }

  private synchronized void cutLater(Socket client, Socket server) {
    faults
        .longestWatch()
        .ifPresent(longest -> {
          long after = 1 + random.nextLong(longest.toMillis());
          var _ =
              cutter.schedule(
                  () -> {
                    closeQuietly(client);
                    closeQuietly(server);
                  },
                  after,
                  TimeUnit.MILLISECONDS);
        });
  }

  private Socket connect() throws IOException {
    Socket server = tls.getSocketFactory().createSocket(upstream.getHost(), upstream.getPort());
    open.add(server);
    return server;
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // Already closed.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    cutter.shutdownNow();
    open.forEach(FaultyProxy::closeQuietly);
    threads.shutdown();
  }

  /**
   * A request as received, changed to close its connection.
   *
   * @param body its bytes, one character each
   */
  private record Request(String method, URI uri, List<String> headers, String body) {
    static @Nullable Request read(InputStream in) throws IOException {
      String first = line(in);
      if (first.isEmpty()) {
        return null;
      }
      List<String> headers = new ArrayList<>();
      int length = 0;
      for (String header = line(in); !header.isEmpty(); header = line(in)) {
        String lower = header.toLowerCase(Locale.ROOT);
        if (lower.startsWith("transfer-encoding:")) {
          throw new IllegalStateException("a chunked body is not supported");
        }
        if (lower.startsWith("content-length:")) {
          length = Integer.parseInt(header.substring("content-length:".length()).strip());
        }
        headers.add(header);
      }
      String[] words = first.split(" ", 3);
      return new Request(
          words[0],
          URI.create(words[1]),
          headers,
          new String(in.readNBytes(length), StandardCharsets.ISO_8859_1));
    }

    private static String line(InputStream in) throws IOException {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
        if (next != '\r') {
          line.write(next);
        }
      }
      return line.toString(StandardCharsets.US_ASCII);
    }

    boolean isWatch() {
      return kind().startsWith("watch ");
    }

    private boolean isUpgrade() {
      return headers.stream()
          .anyMatch(header -> header.toLowerCase(Locale.ROOT).startsWith("upgrade:"));
    }

    String kind() {
      return RequestMeter.verb(method, uri, header("content-type"))
          + " "
          + RequestMeter.resource(uri);
    }

    private String header(String name) {
      return headers.stream()
          .filter(header -> header.toLowerCase(Locale.ROOT).startsWith(name + ":"))
          .findFirst()
          .orElse("");
    }

    void write(OutputStream out) throws IOException {
      StringBuilder head = new StringBuilder("%s %s HTTP/1.1\r\n".formatted(method, uri));
      for (String header : headers) {
        if (isUpgrade() || !header.toLowerCase(Locale.ROOT).startsWith("connection:")) {
          head.append(header).append("\r\n");
        }
      }
      head.append(isUpgrade() ? "\r\n" : "Connection: close\r\n\r\n");
      out.write(head.toString().getBytes(StandardCharsets.US_ASCII));
      out.write(body.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
    }
  }
}
