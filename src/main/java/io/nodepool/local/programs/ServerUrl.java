package io.nodepool.local.programs;

import java.net.URI;
import java.util.List;
import java.util.Optional;

/** URLs of servers. */
public final class ServerUrl {
  private ServerUrl() {}

  /**
   * The URL of a server that speaks HTTP, with TLS or without; empty if the text is not such a URL.
   */
  public static Optional<URI> parse(String text) {
    try {
      return Optional.of(URI.create(text))
          .filter(uri -> uri.getHost() != null)
          .filter(uri -> List.of("http", "https").contains(uri.getScheme()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** The URL of a server, with a default scheme. */
  public static Optional<URI> parse(String text, String scheme) {
    return parse(text.contains("://") ? text : scheme + "://" + text);
  }
}
