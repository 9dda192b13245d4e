package io.nodepool.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificates for servers on loopback, made with the JDK's keytool. */
public final class TestCertificates {
  private static final String PASSWORD = "changeit";
  private static final String ALIAS = "server";

  private TestCertificates() {}

  /**
   * Writes {@code tls.crt} and {@code tls.key}, each put in the place of the one that is there.
   *
   * @param algorithm RSA or EC
   * @return the certificate
   */
  public static X509Certificate write(Path directory, String algorithm) {
    try {
      Path scratch = Files.createTempDirectory("certificate");
      Path file = scratch.resolve("store.p12");
      generate(file, algorithm);
      KeyStore store = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(file)) {
        store.load(in, PASSWORD.toCharArray());
      }
      X509Certificate certificate = (X509Certificate) store.getCertificate(ALIAS);
      replace(directory.resolve("tls.crt"), pem("CERTIFICATE", certificate.getEncoded()));
      replace(
          directory.resolve("tls.key"),
          pem("PRIVATE KEY", store.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()));
      Files.delete(file);
      Files.delete(scratch);
      return certificate;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void generate(Path file, String algorithm)
      throws IOException, InterruptedException {
    List<String> command =
        Stream.concat(
                Stream.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()),
                ("-genkeypair -alias %s -keyalg %s -dname CN=localhost -ext san=ip:127.0.0.1"
                        + " -validity 2 -storetype PKCS12 -storepass %s -keystore")
                    .formatted(ALIAS, algorithm, PASSWORD)
                    .transform(words -> Stream.of(words.split(" "))))
            .collect(Collectors.toList());
    command.add(file.toString());
    Process process = new ProcessBuilder(command).inheritIO().start();
    if (process.waitFor() != 0) {
      throw new IOException("keytool failed");
    }
  }

  private static void replace(Path file, String text) throws IOException {
    Path next = Files.writeString(file.resolveSibling("next"), text);
    Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private static String pem(String type, byte[] bytes) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(type, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes), type);
  }

  /** A server's context with the certificate in a directory. */
  public static SSLContext serving(Path directory) throws IOException {
    return new ServingCertificate(directory).context();
  }

  /** A client's context that trusts these certificates only. */
  public static SSLContext trusting(X509Certificate... certificates) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      for (X509Certificate each : certificates) {
        store.setCertificateEntry(each.getSerialNumber().toString(), each);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
