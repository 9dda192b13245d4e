package io.nodepool.local;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The tests of this class run on the real local control plane: a {@link LocalCluster} and an
 * administrator's {@link io.fabric8.kubernetes.client.KubernetesClient} may be parameters of its
 * constructor and methods. One cluster serves all classes of a test run, so a test uses unique
 * names and removes objects that affect other tests.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("local-cluster")
@ExtendWith(LocalClusterExtension.class)
public @interface WithLocalCluster {}
