package io.nodepool.kubernetes.client;

import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientImpl;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.http.HttpClient;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * HTTP clients whose threads end when they are closed. Otherwise the thread that waits for the
 * network continues, and the JVM of a command waits 300 ms for this thread before it exits.
 */
final class EndingHttpClients extends Clients.CheaplyEncrypting {
  private final List<HttpClient> built = new CopyOnWriteArrayList<>();

  /** A builder that records the client that it builds, which is not accessible later. */
  @Override
  protected HttpClient.Builder createNewHttpClientBuilder() {
    HttpClient.Builder builder = super.createNewHttpClientBuilder();
    return (HttpClient.Builder)
        Proxy.newProxyInstance(
            EndingHttpClients.class.getClassLoader(),
            new Class<?>[] {HttpClient.Builder.class},
            (proxy, method, arguments) -> {
              Object result = invoke(builder, method, arguments);
              if (result instanceof HttpClient client) {
                built.add(client);
              }
              return result instanceof HttpClient.Builder ? proxy : result;
            });
  }

  private static Object invoke(HttpClient.Builder builder, Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(builder, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  @Override
  protected void closeHttpClient(JdkHttpClientImpl client) {
    super.closeHttpClient(client);
    built.forEach(HttpClient::shutdownNow);
  }
}
