package io.nodepool.local.programs;

import java.io.IOException;
import java.net.Authenticator;
import java.net.InetSocketAddress;
import java.net.PasswordAuthentication;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The proxy of the user's environment: {@code HTTPS_PROXY}, {@code HTTP_PROXY} or {@code
 * ALL_PROXY}, with the exceptions of {@code NO_PROXY}; lower-case names take precedence. Java's own
 * properties ({@code https.proxyHost} and the others) take precedence over all of them.
 */
final class EnvironmentProxy extends ProxySelector {
  private final Map<String, String> environment;
  private final ProxySelector java;

  /**
   * @param environment the environment variables
   * @param java the selector of Java's properties, which takes precedence
   */
  EnvironmentProxy(Map<String, String> environment, ProxySelector java) {
    this.environment = environment;
    this.java = java;
  }

  @Override
  public List<Proxy> select(URI uri) {
    List<Proxy> ofJava = java.select(uri);
    if (ofJava.stream().anyMatch(proxy -> proxy.type() != Proxy.Type.DIRECT)) {
      return ofJava;
    }
    return proxy(uri)
        .map(proxy ->
            List.of(
                new Proxy(
                    Proxy.Type.HTTP,
                    InetSocketAddress.createUnresolved(proxy.getHost(), port(proxy)))))
        .orElse(List.of(Proxy.NO_PROXY));
  }

  @Override
  public void connectFailed(URI uri, SocketAddress address, IOException failure) {
    java.connectFailed(uri, address, failure);
  }

  /** Authenticates at the proxy with the user in its address. */
  Authenticator authenticator() {
    return new Authenticator() {
      @Override
      protected @Nullable PasswordAuthentication getPasswordAuthentication() {
        return getRequestorType() == RequestorType.PROXY
            ? named("https").or(() -> named("http")).flatMap(EnvironmentProxy::user).orElse(null)
            : null;
      }
    };
  }

  /** The error in the address of the proxy for a scheme, in words. */
  static Optional<String> mistake(Map<String, String> environment, String scheme) {
    return variable(environment, scheme)
        .filter(name -> parse(environment.getOrDefault(name, "")).isEmpty())
        .map(name ->
            "%s is not the URL of an HTTP proxy: \"%s\"; example: http://proxy.example.com:3128."
                .formatted(name, environment.get(name)));
  }

  private Optional<URI> proxy(URI target) {
    return isExempt(target) ? Optional.empty() : named(target.getScheme());
  }

  private Optional<URI> named(String scheme) {
    return variable(environment, scheme).flatMap(name -> parse(environment.getOrDefault(name, "")));
  }

  /** The first variable that names a proxy for a scheme. */
  private static Optional<String> variable(Map<String, String> environment, String scheme) {
    return Stream.of(scheme + "_proxy", "all_proxy")
        .flatMap(name -> Stream.of(name, name.toUpperCase(Locale.ROOT)))
        .filter(name -> !environment.getOrDefault(name, "").isBlank())
        .findFirst();
  }

  private boolean isExempt(URI target) {
    String host = target.getHost().toLowerCase(Locale.ROOT);
    String exceptions =
        environment.getOrDefault("no_proxy", environment.getOrDefault("NO_PROXY", ""));
    return host.equals("localhost")
        || host.startsWith("127.")
        || host.equals("[::1]")
        || Stream.of(exceptions.split(","))
            .map(entry -> entry.strip().toLowerCase(Locale.ROOT))
            .anyMatch(entry -> covers(entry, host));
  }

  /** Whether an entry matches this host or one of its parent domains. */
  private static boolean covers(String entry, String host) {
    String name = entry.startsWith("*.") ? entry.substring(2) : entry;
    name = name.startsWith(".") ? name.substring(1) : name;
    return entry.equals("*")
        || (!name.isEmpty() && (host.equals(name) || host.endsWith("." + name)));
  }

  private static Optional<URI> parse(String value) {
    return ServerUrl.parse(value.strip(), "http");
  }

  private static int port(URI proxy) {
    int standard = proxy.getScheme().equals("https") ? 443 : 80;
    return proxy.getPort() == -1 ? standard : proxy.getPort();
  }

  private static Optional<PasswordAuthentication> user(URI proxy) {
    return Optional.ofNullable(proxy.getRawUserInfo())
        .map(info -> info.split(":", 2))
        .map(parts ->
            new PasswordAuthentication(
                decoded(parts[0]), decoded(parts.length == 2 ? parts[1] : "").toCharArray()));
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
