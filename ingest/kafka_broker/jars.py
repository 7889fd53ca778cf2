"""The broker's jars: fetched by Maven the first time (43 MB, about 10 s), kept in the user's cache folder."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ingest.kafka_broker import KAFKA_VERSION
from models.errors import TerminalError, TransientError

POM = Path(__file__).with_name("pom.xml")
FETCH_TIMEOUT = 600  # seconds


def java() -> str:
    """The `java` to run: of JAVA_HOME, else of the PATH. `TerminalError` where there is none."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if not found:
        raise TerminalError("Kafka needs Java 17 or newer, and there is no `java`. Install a JDK, or set JAVA_HOME.")
    return found


def jars_folder() -> Path:
    """The folder with the broker's jars, fetched if it is not there.

    Raises `TerminalError` where Maven is missing, `TransientError` where it fails (mostly: no network).
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "flywheel"
    folder = cache / f"kafka-{KAFKA_VERSION}"
    if folder.is_dir():
        return folder
    maven = shutil.which("mvn")
    if not maven:
        raise TerminalError(
            f"Kafka's jars are not in {folder}, and there is no `mvn` to fetch them. Install Maven, or set "
            "KAFKA_BOOTSTRAP_SERVERS to a broker that runs."
        )
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        fetched = Path(scratch) / "jars"
        # Maven leaves its report beside the pom, so it works on a copy.
        pom = shutil.copy(POM, scratch)
        command = [maven, "-q", "-B", "-f", str(pom), "dependency:copy-dependencies"]
        options = [f"-DoutputDirectory={fetched}", "-DincludeScope=runtime"]
        try:
            result = subprocess.run(
                [*command, *options], capture_output=True, text=True, timeout=FETCH_TIMEOUT, check=False
            )
        except subprocess.TimeoutExpired:
            raise TransientError(f"Maven took more than {FETCH_TIMEOUT} s to fetch Kafka's jars. Try again.") from None
        if result.returncode:
            reason = next((line for line in result.stdout.splitlines() if "ERROR" in line), result.stderr.strip())
            raise TransientError(f"Maven could not fetch Kafka's jars: {reason[:300]} Check the network, try again.")
        try:
            fetched.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another start was faster
                raise
    return folder
