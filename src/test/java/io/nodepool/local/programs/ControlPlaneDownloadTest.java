package io.nodepool.local.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Downloads from a local server; no result depends on real time. */
@Tag("slow")
class ControlPlaneDownloadTest {
  private static final String SERVER = ReleaseSite.KUBERNETES + "kube-apiserver";
  private static final int LENGTH = ReleaseSite.script("kube-apiserver").length;
  private static final int PIECE = LENGTH / 7;

  private final Map<String, String> environment = new HashMap<>();
  private final List<String> lines = new ArrayList<>();
  private final List<Duration> pauses = new ArrayList<>();

  /** Set by a server that stops sending. */
  private final AtomicBoolean silent = new AtomicBoolean();

  /** The displayed progress of the API server's file. */
  private final BlockingQueue<Integer> shown = new LinkedBlockingQueue<>();

  @TempDir private Path folder;
  private ReleaseSite site;
  private PinnedChecksums pinned = PinnedChecksums.read("# none\n");

  @BeforeEach
  void publish() throws Exception {
    site = new ReleaseSite(folder);
  }

  @AfterEach
  void closeSite() {
    site.close();
  }

  @Test
  void theFourProgramsComeFromTheAddressesOfTheReleases() throws Exception {
    download();

    assertComplete();
    assertThat(site.requests)
        .containsExactly(
            ReleaseSite.ETCD + "SHA256SUMS",
            SERVER + ".sha256",
            ReleaseSite.KUBERNETES + "kube-controller-manager.sha256",
            ReleaseSite.KUBERNETES + "kube-scheduler.sha256",
            ReleaseSite.ETCD + ReleaseSite.ETCD_ARCHIVE,
            SERVER,
            ReleaseSite.KUBERNETES + "kube-controller-manager",
            ReleaseSite.KUBERNETES + "kube-scheduler");
    assertThat(lines.getFirst())
        .isEqualTo(
            "Downloading the Kubernetes %s control plane, once."
                .formatted(ControlPlaneModules.kubernetesVersion()));
    assertThat(lines.getLast())
        .isEqualTo("The control plane is downloaded and its checksums are verified: 0 MB in 0 s.");
    assertThat(pauses).isEmpty();
  }

  private static String pin(byte[] content) throws Exception {
    return "%s  %s/linux-amd64/kube-apiserver\n"
        .formatted(ReleaseSite.sha256(content), ControlPlaneModules.kubernetesVersion());
  }

  @Test
  void aPinnedFileNeedsNoPublishedChecksum() throws Exception {
    pinned = PinnedChecksums.read(pin(ReleaseSite.script("kube-apiserver")));
    site.remove(SERVER + ".sha256");

    download();

    assertComplete();
    assertThat(site.requests).doesNotContain(SERVER + ".sha256");
  }

  @Test
  void aSiteWithoutAPinnedFileIsAskedOnce() throws Exception {
    pinned = PinnedChecksums.read(pin(ReleaseSite.script("kube-apiserver")));
    site.remove(SERVER);

    assertThatExceptionOfType(Download.Unavailable.class)
        .isThrownBy(this::download)
        .withMessageContaining(SERVER + " answered 404");
    assertThat(pauses).isEmpty();
    assertThat(requestsFor(SERVER)).isEmpty();
  }

  @Test
  void aSiteThatReplacesAPinnedFileAndItsChecksumIsRefused() throws Exception {
    pinned = PinnedChecksums.read(pin(ReleaseSite.script("kube-apiserver")));
    site.publish("kube-apiserver", ReleaseSite.script("something else"));

    assertThatExceptionOfType(LocalClusterException.class).isThrownBy(this::download);
    assertThat(programs().resolve("kube-apiserver")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"amd64", "aarch64"})
  void thePackagedListHasEveryFileOfTheVersionsInUse(String processor) {
    List<ControlPlaneReleases.Published> files =
        ControlPlaneReleases.of(Optional.empty(), "Linux", processor).orElseThrow().files();
    assertThat(files)
        .hasSize(ControlPlaneProgram.values().length)
        .allMatch(file -> PinnedChecksums.packaged().of(file).isPresent());
  }

  @Test
  void aLineThatIsNoChecksumIsRefused() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> PinnedChecksums.read("abc  v1.34.4/linux-amd64/kube-apiserver"));
  }

  @Test
  void anInterruptedFileIsContinuedWhereItEnded() throws Exception {
    site.once(SERVER, ReleaseSite.cutAfter(LENGTH / 2));

    download();

    assertComplete();
    assertThat(requestsFor(SERVER)).hasSize(2);
    assertThat(requestsFor(SERVER).getLast()).matches(SERVER + " bytes=[1-9][0-9]*-");
    assertThat(pauses).containsExactly(Duration.ofSeconds(1));
  }

  @Test
  void anotherStartContinuesAPartialFile() throws Exception {
    site.once(SERVER, ReleaseSite.cutAfter(LENGTH / 2));
    site.once(SERVER, ReleaseSite.status(404));
    assertThatExceptionOfType(Download.Unavailable.class)
        .isThrownBy(this::download)
        .withMessage("%s answered 404", site.uri() + SERVER);
    site.requests.clear();

    download();

    assertComplete();
    assertThat(requestsFor(ReleaseSite.ETCD + ReleaseSite.ETCD_ARCHIVE)).isEmpty();
    assertThat(requestsFor(SERVER)).singleElement().asString().contains(" bytes=");
  }

  @Test
  void withoutRangeSupportTheFileIsDownloadedAgain() throws Exception {
    site.once(SERVER, ReleaseSite.cutAfter(LENGTH / 2));
    site.once(
        SERVER,
        (exchange, content) -> {
          exchange.sendResponseHeaders(200, content.length);
          exchange.getResponseBody().write(content);
        });

    download();

    assertComplete();
  }

  @Test
  void aCompleteFileIsOnlyVerified() throws Exception {
    byte[] content = ReleaseSite.script("kube-apiserver");
    Files.createDirectories(parts());
    Files.write(
        parts().resolve("kube-apiserver-" + ReleaseSite.sha256(content) + ".part"), content);

    download();

    assertComplete();
  }

  @Test
  void aWrongChecksumIsAnErrorAndNothingOfTheFileStays() throws Exception {
    byte[] promised = "something else".getBytes(StandardCharsets.US_ASCII);
    site.publishChecksum("kube-apiserver", promised);

    assertThatExceptionOfType(LocalClusterException.class)
        .isThrownBy(this::download)
        .withMessage(
            "The SHA-256 of %s is %s, but the published one is %s; the file was removed."
                + " Start again; if the error persists, do not trust the server.",
            site.uri() + SERVER,
            ReleaseSite.sha256(ReleaseSite.script("kube-apiserver")),
            ReleaseSite.sha256(promised));
    assertThat(namesIn(parts())).allMatch(name -> name.startsWith("etcd-"));
    assertThat(programs()).isEmptyDirectory();

    site.publishChecksum("kube-apiserver", ReleaseSite.script("kube-apiserver"));
    download();
    assertComplete();
  }

  @Test
  void aMissingFileIsFoundBeforeAnyDownload() {
    site.remove(ReleaseSite.KUBERNETES + "kube-scheduler.sha256");

    assertThatExceptionOfType(Download.Unavailable.class)
        .isThrownBy(this::download)
        .withMessageEndingWith("kube-scheduler.sha256 answered 404");
    assertThat(site.requests).hasSize(4);
    assertThat(lines).isEmpty();
    assertThat(pauses).isEmpty();
  }

  @Test
  void aPageInsteadOfAChecksumIsRejected() {
    site.once(
        SERVER + ".sha256",
        (exchange, _) -> {
          byte[] page = "<html>Log in to the network</html>".getBytes(StandardCharsets.US_ASCII);
          exchange.sendResponseHeaders(200, page.length);
          exchange.getResponseBody().write(page);
        });

    assertThatExceptionOfType(Download.Unavailable.class)
        .isThrownBy(this::download)
        .withMessageContaining("has no SHA-256 for kube-apiserver");
  }

  @Test
  void aFailingServerIsRetriedAtGrowingIntervalsAndThenTheDownloadFails() {
    for (int i = 0; i < 6; i++) {
      site.once(SERVER, ReleaseSite.status(503));
    }

    assertThatExceptionOfType(Download.Unavailable.class)
        .isThrownBy(this::download)
        .withMessageEndingWith("kube-apiserver answered 503 after 6 tries");
    assertThat(pauses).extracting(Duration::toSeconds).containsExactly(1L, 2L, 4L, 8L, 16L);
  }

  @Test
  void aSlowServerIsWaitedForAndItsProgressIsShown() throws Exception {
    site.once(
        SERVER,
        (exchange, content) -> {
          exchange.sendResponseHeaders(200, content.length);
          for (int sent = 0; sent < LENGTH; sent += PIECE) {
            int piece = Math.min(PIECE, LENGTH - sent);
            exchange.getResponseBody().write(content, sent, piece);
            exchange.getResponseBody().flush();
            // The next piece is sent once this one was shown.
            int percent = 100 * (sent + piece) / LENGTH;
            while (shown.take() < percent) {}
          }
        });

    download();

    assertComplete();
    String what = "kube-apiserver %s (2 of 4): ".formatted(ControlPlaneModules.kubernetesVersion());
    for (int piece = 1; piece * PIECE < LENGTH; piece++) {
      assertThat(lines).contains(what + 100 * piece * PIECE / LENGTH + " % of 0 MB");
    }
    assertThat(pauses).isEmpty();
  }

  @Test
  void aSilentConnectionIsClosedAndTheFileContinued() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    site.once(
        SERVER,
        (exchange, content) -> {
          exchange.sendResponseHeaders(200, content.length);
          exchange.getResponseBody().write(content, 0, LENGTH / 2);
          exchange.getResponseBody().flush();
          silent.set(true);
          end.await();
        });

    download();
    end.countDown();

    assertComplete();
    assertThat(requestsFor(SERVER)).hasSize(2);
  }

  @Test
  void aConnectionThatBreaksWithoutProgressIsReportedInWords() {
    for (int i = 0; i < 6; i++) {
      site.once(SERVER, ReleaseSite.cutAfter(0));
    }

    assertThatExceptionOfType(Download.Unavailable.class)
        .isThrownBy(this::download)
        .withMessage(
            "the connection to 127.0.0.1 failed: fixed content-length: %d, bytes received: 0 after 6 tries",
            LENGTH);
  }

  @Test
  void aRedirectIsFollowed() throws Exception {
    site.once(
        SERVER,
        (exchange, _) -> {
          exchange.getResponseHeaders().set("Location", site.uri() + SERVER + "?elsewhere");
          exchange.sendResponseHeaders(302, -1);
        });

    download();

    assertComplete();
  }

  @Test
  void aProxyIsUsedWithItsUser() throws Exception {
    String[] asked = {""};
    site.once(
        SERVER,
        (exchange, _) -> {
          exchange.getResponseHeaders().set("Proxy-Authenticate", "Basic realm=\"proxy\"");
          exchange.sendResponseHeaders(407, -1);
        });
    site.once(
        SERVER,
        (exchange, content) -> {
          asked[0] = exchange.getRequestHeaders().getFirst("Proxy-Authorization");
          ReleaseSite.whole(exchange, content);
        });
    environment.put("HTTP_PROXY", site.uri().toString().replace("//", "//me:p%40ss@"));

    download(URI.create("http://mirror.invalid"));

    assertComplete();
    String user = Base64.getEncoder().encodeToString("me:p@ss".getBytes(StandardCharsets.US_ASCII));
    assertThat(asked[0]).isEqualTo("Basic " + user);
  }

  @Test
  void aRefusedConnectionIsNotRetried() {
    assertThatExceptionOfType(Download.Unavailable.class)
        .isThrownBy(() -> download(URI.create("http://127.0.0.1:1")))
        .withMessage("127.0.0.1 cannot be reached: connection refused");
    assertThat(pauses).isEmpty();
  }

  private void download() throws Exception {
    download(site.uri());
  }

  private void download(URI source) throws Exception {
    Files.createDirectories(programs());
    new ControlPlaneDownload(
            new ControlPlaneReleases(source, source, "linux-amd64"),
            pinned,
            parts(),
            environment,
            progress(),
            () -> Instant.EPOCH,
            new Waiting())
        .fill(Files.createDirectories(folder.resolve("work")), programs());
  }

  private Progress progress() {
    return new Progress() {
      @Override
      public void say(String line) {
        lines.add(line);
      }

      @Override
      public void at(int percent, String line) {
        lines.add(line);
        if (line.startsWith("kube-apiserver")) {
          shown.add(percent);
        }
      }
    };
  }

  /** Time passes only for waits that end without a result. */
  private final class Waiting implements Transfer.Waiting {
    @Override
    public <T> @Nullable T next(BlockingQueue<T> queue, Duration limit)
        throws InterruptedException {
      while (true) {
        T next = queue.poll(10, TimeUnit.MILLISECONDS);
        if (next != null || silent.compareAndSet(true, false)) {
          return next;
        }
      }
    }

    @Override
    public Future<?> timer(Duration time) {
      pauses.add(time);
      return CompletableFuture.completedFuture(time);
    }
  }

  private List<String> requestsFor(String path) {
    return site.requests.stream()
        .filter(request -> request.equals(path) || request.startsWith(path + " "))
        .toList();
  }

  private Path parts() {
    return folder.resolve("download");
  }

  private Path programs() {
    return folder.resolve("programs");
  }

  private void assertComplete() {
    assertThat(ControlPlaneBinaries.missingIn(programs())).isEmpty();
    for (String name : ControlPlaneProgram.fileNames()) {
      assertThat(programs().resolve(name)).hasBinaryContent(ReleaseSite.script(name));
    }
    assertThat(parts()).doesNotExist();
  }

  private static List<String> namesIn(Path directory) throws Exception {
    try (var entries = Files.list(directory)) {
      return entries.map(entry -> entry.toFile().getName()).toList();
    }
  }
}
