# syntax=docker/dockerfile:1.7
# One image for every service; the command names the one to run: router, worker, simulator, ...
#
#   docker build -t sluice:0.1.0 .
#   docker run --rm sluice:0.1.0 --help

FROM eclipse-temurin:25-jdk AS build
WORKDIR /src

# The build files alone come first: as long as they stay the same, this layer keeps the downloaded
# libraries and a change of source does not fetch them again.
COPY mvnw pom.xml ./
COPY .mvn .mvn
COPY common/pom.xml common/
COPY fleet/pom.xml fleet/
COPY simulator/pom.xml simulator/
COPY verify/pom.xml verify/
COPY producer/pom.xml producer/
COPY cli/pom.xml cli/
COPY router/pom.xml router/
COPY worker/pom.xml worker/
COPY standalone/pom.xml standalone/
COPY bench/pom.xml bench/
RUN ./mvnw -B -ntp -q dependency:go-offline -DexcludeGroupIds=io.sluice

COPY . .
RUN ./mvnw -B -ntp -DskipTests -pl "!bench" package \
 && mkdir -p /out/libraries /out/sluice \
 && mv standalone/target/lib/sluice-*.jar /out/sluice/ \
 && mv standalone/target/lib/*.jar /out/libraries/ \
 && cp standalone/target/sluice-standalone-*.jar /out/sluice/

FROM eclipse-temurin:25-jre

# A fixed number, so that Kubernetes can verify runAsNonRoot and volumes can be given to it.
RUN groupadd --system --gid 10001 sluice \
 && useradd --system --uid 10001 --gid sluice --home-dir /var/lib/sluice --create-home \
      --shell /usr/sbin/nologin sluice

# The JRE image has no curl; bash can speak enough HTTP for a health check.
COPY --chmod=755 <<'SCRIPT' /usr/local/bin/sluice-health
#!/bin/bash
# sluice-health PORT: exit 0 when GET /health on this container's PORT answers 200.
exec 3<>"/dev/tcp/127.0.0.1/${1:?usage: sluice-health PORT}" || exit 1
printf 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
read -r -t 5 _ status _ <&3 && [ "$status" = 200 ]
SCRIPT

# Libraries change rarely, our own jars with every build: a rebuild ships the small layer only. Ours are
# first in the class path: one of their classes takes the place of one of Kafka's.
COPY --from=build /out/libraries/ /opt/sluice/lib/
COPY --from=build /out/sluice/ /opt/sluice/app/
COPY LICENSE /opt/sluice/LICENSE

# The heap follows the container's memory limit and leaves room for direct buffers (Netty, Kafka),
# class data and thread stacks. A JVM out of memory ends instead of limping on: its leases expire and
# the work is done elsewhere. The last two flags silence start-up warnings of Netty and Kafka.
ENV JAVA_TOOL_OPTIONS="-XX:MaxRAMPercentage=50 -XX:+ExitOnOutOfMemoryError --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"

USER 10001:10001
WORKDIR /var/lib/sluice
ENTRYPOINT ["java", "-cp", "/opt/sluice/app/*:/opt/sluice/lib/*", "io.sluice.standalone.Main"]
CMD ["--help"]
