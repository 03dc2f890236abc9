#!/bin/bash
exec java -Xmx256m -XX:TieredStopAtLevel=1 -cp '/opt/kafka/config:/opt/kafka/libs/*:/opt/sluice/lib/*' \
  org.apache.kafka.tools.BrokerApiVersionsCommand "$@"
