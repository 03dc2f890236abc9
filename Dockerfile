# syntax=docker/dockerfile:1.7
# The production image: router, worker, gateway and the client commands. The container's command selects one.
#
#   docker build -t sluice:0.1.0 .
#   docker run --rm sluice:0.1.0 --help
#
# The image with the simulator and the embedded backends, for machines without a GPU:
#
#   docker build --target standalone -t sluice-standalone:0.1.0 .

FROM eclipse-temurin:25-jdk AS build
WORKDIR /src

# The build files are copied first: while they do not change, this layer keeps the downloaded libraries,
# and a change of the sources does not download them again.
COPY mvnw pom.xml ./
COPY .mvn .mvn
COPY config/pom.xml config/
COPY common/pom.xml common/
COPY fleet/pom.xml fleet/
COPY tracing/pom.xml tracing/
COPY simulator/pom.xml simulator/
COPY verify/pom.xml verify/
COPY producer/pom.xml producer/
COPY cli/pom.xml cli/
COPY router/pom.xml router/
COPY worker/pom.xml worker/
COPY gateway/pom.xml gateway/
COPY services/pom.xml services/
COPY standalone/pom.xml standalone/
COPY bench/pom.xml bench/
RUN ./mvnw -B -ntp -q dependency:go-offline -DexcludeGroupIds=io.sluice

COPY . .
# Tests, static analysis, formatting and versions are checked before a release, not in the image's build.
RUN ./mvnw -B -ntp -q -T 1C -Dmaven.test.skip=true -Dlint=false -Dspotless.check.skip=true -Denforcer.skip=true -pl "!bench" package \
 && for image in services standalone; do \
      mkdir -p "/out/$image/libraries" "/out/$image/sluice" \
      && mv "$image"/target/lib/sluice-*.jar "$image/target/sluice-$image"-*.jar "/out/$image/sluice/" \
      && mv "$image"/target/lib/*.jar "/out/$image/libraries/" \
      || exit 1; \
    done

FROM eclipse-temurin:25-jre AS runtime

# A fixed user id, so that Kubernetes can verify runAsNonRoot, and volumes can be owned by it.
RUN groupadd --system --gid 10001 sluice \
 && useradd --system --uid 10001 --gid sluice --home-dir /var/lib/sluice --create-home \
      --shell /usr/sbin/nologin sluice

COPY LICENSE /opt/sluice/LICENSE

COPY --chmod=755 ops/container/sluice-health /usr/local/bin/sluice-health

# The heap size follows the container's memory limit and leaves room for direct buffers (Netty, Kafka),
# class data and thread stacks. A JVM that is out of memory exits: its leases expire, and other workers
# continue its requests. The initial heap has room for the objects of the ahead-of-time cache; in a container of 512 MiB
# the JVM's default has not, and it would not start. The last two flags silence start-up warnings of Netty and Kafka.
ENV JAVA_TOOL_OPTIONS="-XX:MaxRAMPercentage=50 -XX:InitialHeapSize=32m -XX:+UseCompactObjectHeaders -XX:+ExitOnOutOfMemoryError --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"

# A container's own loopback address cannot be published, so the ports open on all of its addresses. The
# gateway's does so only with --host, because it then needs API keys.
ENV SLUICE_ROUTER_HOST=0.0.0.0 SLUICE_WORKER_HOST=0.0.0.0

USER 10001:10001
WORKDIR /var/lib/sluice

# Libraries change rarely and Sluice's own jars with every build, so that a rebuild replaces only small layers.
# Sluice's jars come first on the class path because one of their classes replaces one of Kafka's.
FROM runtime AS standalone
COPY --from=build /out/standalone/libraries/ /opt/sluice/lib/
COPY --from=build /out/standalone/sluice/ /opt/sluice/app/
ENTRYPOINT ["java", "-cp", "/opt/sluice/app/*:/opt/sluice/lib/*", "io.sluice.standalone.Main"]
CMD ["--help"]

# Records the JVM's ahead-of-time cache: the services answer some requests, over a Kafka, a Redis and a simulated
# engine of another process. The JVM uses the cache only with the same jars in the same order, which the file of options
# fixes. Without the second compiler nothing is recorded that makes it compile more while a service starts.
FROM runtime AS warm
USER root
COPY --from=build /out/standalone/ /standalone/
COPY --from=build /out/services/libraries/ /opt/sluice/lib/
COPY --from=build /out/services/sluice/ /opt/sluice/app/
RUN cd /opt/sluice && jars=$(ls "$PWD"/app/*.jar "$PWD"/lib/*.jar | paste -sd:) \
 && java -cp "/standalone/sluice/*:/standalone/libraries/*" io.sluice.standalone.Main warm-up-pool -- \
      java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:AOTCacheOutput="$PWD/services.aot" \
      -cp "$jars" io.sluice.services.Main warm-up \
 && printf '%s\n' -XX:AOTCache="$PWD/services.aot" -Xlog:aot=error '-Xlog:aot+codecache*=off' "-cp $jars" >jvm-options

# The last stage is the default target.
FROM runtime AS services
COPY --from=build /out/services/libraries/ /opt/sluice/lib/
COPY --from=build /out/services/sluice/ /opt/sluice/app/
COPY --from=warm /opt/sluice/services.aot /opt/sluice/jvm-options /opt/sluice/
ENTRYPOINT ["java", "@/opt/sluice/jvm-options", "io.sluice.services.Main"]
CMD ["--help"]
