"""One real Apache Kafka broker on this machine, for tests and for a person who wants to try Kafka. Not for production.

It comes as jars from Maven and needs a JDK, no containers. Its files are in a temporary folder and go when it stops.
"""

KAFKA_VERSION = "4.1.1"  # pom.xml says the same; a test compares them
