package io.nodepool.http;

import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.UserInfo;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.nodepool.http.Endpoint.Page;
import io.nodepool.vocabulary.TextHash;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which clients may read a page: clients whose bearer token the API server knows
 * (TokenReview), and whose user may get the page (SubjectAccessReview), as for the pages of
 * Kubernetes' own components. Answers are remembered for a while, so that a scrape costs no
 * request. Safe for any thread.
 */
public final class ReviewedTokens implements Endpoint.Access {
  private static final Logger log = LoggerFactory.getLogger(ReviewedTokens.class);
  private static final Duration REMEMBERED = Duration.ofMinutes(1);

  /** A token that was refused may be granted its right soon. */
  private static final Duration REFUSED_FOR = Duration.ofSeconds(10);

  private static final int MOST_REMEMBERED = 256;

  /**
   * The most reviews at once: a client that sends wrong tokens must not overload the API server.
   */
  private static final int MOST_AT_ONCE = 2;

  private static final int LONGEST_TOKEN = 16_384;
  private static final int HASH_DIGITS = 64;

  /** The result of a review. */
  private enum Verdict {
    ALLOWED,
    UNKNOWN_TOKEN,
    FORBIDDEN
  }

  private record Reviewed(Verdict verdict, Instant until) {}

  private final KubernetesClient client;
  private final String path;
  private final InstantSource clock;
  private final Map<String, Reviewed> known = new ConcurrentHashMap<>();
  private final Semaphore reviews = new Semaphore(MOST_AT_ONCE);

  /**
   * Asks this API server.
   *
   * @param path the path of the page, such as {@code /metrics}
   * @param clock the clock by which answers are forgotten
   */
  public ReviewedTokens(KubernetesClient client, String path, InstantSource clock) {
    this.client = client;
    this.path = path;
    this.clock = clock;
  }

  @Override
  public Optional<Page> refusal(String authorization) {
    String token = BearerToken.presented(authorization);
    if (token.isEmpty() || token.length() > LONGEST_TOKEN) {
      return Optional.of(unknown());
    }
    String key = TextHash.of(token, HASH_DIGITS);
    Reviewed last = known.get(key);
    if (last == null || !clock.instant().isBefore(last.until())) {
      if (!reviews.tryAcquire()) {
        return Optional.of(Page.later(503, "too many tokens are being reviewed", 1));
      }
      try {
        last = remembered(key, review(token));
      } catch (KubernetesClientException e) {
        log.warn("A client that reads {} cannot be reviewed: {}", path, e.getMessage());
        return Optional.of(Page.later(503, "the API server cannot review the token", 5));
      } finally {
        reviews.release();
      }
    }
    return switch (last.verdict()) {
      case ALLOWED -> Optional.empty();
      case UNKNOWN_TOKEN -> Optional.of(unknown());
      case FORBIDDEN -> Optional.of(Page.of(403, "the user of the token may not get " + path));
    };
  }

  private static Page unknown() {
    return Page.of(401, "a bearer token is needed that the API server knows");
  }

  private Reviewed remembered(String key, Verdict verdict) {
    Instant now = clock.instant();
    if (known.size() >= MOST_REMEMBERED) {
      known.clear();
    }
    Duration time = verdict == Verdict.ALLOWED ? REMEMBERED : REFUSED_FOR;
    Reviewed next = new Reviewed(verdict, now.plus(time));
    known.put(key, next);
    return next;
  }

  private Verdict review(String token) {
    TokenReview review =
        client
            .resource(new TokenReviewBuilder().withNewSpec().withToken(token).endSpec().build())
            .create();
    if (review.getStatus() == null || !Boolean.TRUE.equals(review.getStatus().getAuthenticated())) {
      return Verdict.UNKNOWN_TOKEN;
    }
    return mayGet(review.getStatus().getUser()) ? Verdict.ALLOWED : Verdict.FORBIDDEN;
  }

  private boolean mayGet(UserInfo user) {
    SubjectAccessReview review =
        client
            .authorization()
            .v1()
            .subjectAccessReview()
            .create(
                new SubjectAccessReviewBuilder()
                    .withNewSpec()
                    .withUser(user.getUsername())
                    .withUid(user.getUid())
                    .withGroups(user.getGroups())
                    .withExtra(new HashMap<>(user.getExtra()))
                    .withNewNonResourceAttributes(path, "get")
                    .endSpec()
                    .build());
    return review.getStatus() != null && Boolean.TRUE.equals(review.getStatus().getAllowed());
  }
}
