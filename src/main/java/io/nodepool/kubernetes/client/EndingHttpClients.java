package io.nodepool.kubernetes.client;

import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientImpl;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * HTTP clients whose threads end when they are closed. Otherwise the thread that waits for the
 * network goes on, and the JVM of a command waits 300 ms for it at its end.
 */
final class EndingHttpClients extends Clients.CheaplyEncrypting {
  private final List<HttpClient> built = new CopyOnWriteArrayList<>();

  @Override
  protected HttpClient.Builder createNewHttpClientBuilder() {
    return new Recording(super.createNewHttpClientBuilder(), built);
  }

  @Override
  protected void closeHttpClient(JdkHttpClientImpl client) {
    super.closeHttpClient(client);
    built.forEach(HttpClient::shutdownNow);
  }

  /** Records the client that is built, which is not accessible later. */
  private record Recording(HttpClient.Builder builder, List<HttpClient> built)
      implements HttpClient.Builder {
    @Override
    public HttpClient.Builder cookieHandler(CookieHandler handler) {
      builder.cookieHandler(handler);
      return this;
    }

    @Override
    public HttpClient.Builder connectTimeout(Duration timeout) {
      builder.connectTimeout(timeout);
      return this;
    }

    @Override
    public HttpClient.Builder sslContext(SSLContext context) {
      builder.sslContext(context);
      return this;
    }

    @Override
    public HttpClient.Builder sslParameters(SSLParameters parameters) {
      builder.sslParameters(parameters);
      return this;
    }

    @Override
    public HttpClient.Builder executor(Executor executor) {
      builder.executor(executor);
      return this;
    }

    @Override
    public HttpClient.Builder followRedirects(HttpClient.Redirect policy) {
      builder.followRedirects(policy);
      return this;
    }

    @Override
    public HttpClient.Builder version(HttpClient.Version version) {
      builder.version(version);
      return this;
    }

    @Override
    public HttpClient.Builder priority(int priority) {
      builder.priority(priority);
      return this;
    }

    @Override
    public HttpClient.Builder proxy(ProxySelector selector) {
      builder.proxy(selector);
      return this;
    }

    @Override
    public HttpClient.Builder authenticator(Authenticator authenticator) {
      builder.authenticator(authenticator);
      return this;
    }

    @Override
    public HttpClient.Builder localAddress(InetAddress address) {
      builder.localAddress(address);
      return this;
    }

    @Override
    public HttpClient build() {
      HttpClient client = builder.build();
      built.add(client);
      return client;
    }
  }
}
