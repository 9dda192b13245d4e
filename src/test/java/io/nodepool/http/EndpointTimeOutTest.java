package io.nodepool.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client that does not finish its request, against a process of its own. */
@Tag("slow")
class EndpointTimeOutTest {
  private static final int LONGEST_MILLIS = 60_000;

  @Test
  void aRequestThatIsNotSentInTimeIsClosed() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                EndpointProcess.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader printed = process.inputReader()) {
      int port = Integer.parseInt(printed.readLine());
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.setSoTimeout(LONGEST_MILLIS);
        socket.getOutputStream().write("GET /healthz HT".getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        assertThat(read(socket)).isEqualTo(-1);
      }
    } finally {
      process.getOutputStream().close();
      process.waitFor();
    }
  }

  /** The next byte; -1 if the server closed the connection. */
  private static int read(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read();
    } catch (SocketException _) {
      return -1;
    }
  }
}
