"""A Spark cluster on this machine. It has a driver and two executors, each in a separate process."""

import contextlib
import os
import pathlib
import re
import subprocess
import sys

from waiting import LIMIT, wait_for

#: Folders with modules that executors import. They are added to PYTHONPATH.
MODULES = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "Support")]
HOSTS = ("127.0.0.1", "127.0.0.2")
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@contextlib.contextmanager
def cluster(work, speculation=False):
    """Returns a session with two executors. The files of the executors are in the folder `work`.

    With speculation the two executors are on two hosts, represented by two loopback addresses. The reason is that Spark
    does not start a second attempt of a task on the same host, and treats all executors of its local cluster as one
    host.
    """
    paths = [*MODULES, *map(os.path.abspath, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))]
    executors_environment = {"PYTHONPATH": os.pathsep.join(paths)}
    if "TREELINE_LIBRARY" in os.environ:
        executors_environment["TREELINE_LIBRARY"] = os.path.abspath(os.environ["TREELINE_LIBRARY"])
    os.environ |= {"SPARK_LOCAL_IP": HOSTS[0], "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_DIRS": str(work)}
    with contextlib.ExitStack() as stack:
        # Executors write their logs to the current folder.
        stack.callback(os.chdir, os.getcwd())
        os.chdir(work)
        if speculation:
            master = stack.enter_context(standalone(work))
        else:
            master = "local-cluster[2,1,1024]"
        from pyspark.sql import SparkSession

        settings = {
            "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
            "spark.driver.bindAddress": HOSTS[0], "spark.driver.host": HOSTS[0],
            "spark.driver.memory": "1g", "spark.executor.memory": "1g", "spark.executor.cores": "1",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "65536", "spark.log.level": "OFF",
            "spark.deploy.maxExecutorRetries": "-1", "spark.speculation": str(speculation).lower(),
            "spark.speculation.interval": "200ms", "spark.speculation.multiplier": "2",
            "spark.speculation.quantile": "0.5",
            # A lost executor never answers, so waiting for it is useless.
            "spark.shuffle.io.retryWait": "100ms", "spark.locality.wait": "0",
            # A program that runs only for seconds does not need optimizations that pay off after hours.
            "spark.executor.extraJavaOptions": JAVA, "spark.driver.extraJavaOptions": JAVA,
        }  # fmt: skip
        settings |= {f"spark.executorEnv.{name}": value for name, value in executors_environment.items()}
        session = SparkSession.builder.master(master).config(map=settings).getOrCreate()
        try:
            # The executors only start when there is a first job.
            session.range(100, numPartitions=8).count()
            yield session
        finally:
            session.stop()


@contextlib.contextmanager
def standalone(work):
    """Starts a master, and a worker on each of two hosts. Returns the address of the master."""
    import pyspark

    home = os.path.dirname(pyspark.__file__)
    environment = os.environ | {"SPARK_HOME": home, "SPARK_NO_DAEMONIZE": "1"}
    processes = []

    def start(name, *arguments, told):
        """Starts a process, and waits until a line of its log matches `told`. Returns the match."""
        path = pathlib.Path(f"{work}/{name}{len(processes)}.log")
        with path.open("w") as log:
            command = [f"{home}/bin/spark-class", f"org.apache.spark.deploy.{name}", *arguments]
            processes.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
        return wait_for(lambda: re.search(told, path.read_text()), f"{told} in the log of {name}")

    try:
        address = start("master.Master", "--host", HOSTS[0], "--port", "0", "--webui-port", "0",
                        told=r"master at (spark://[\d.:]+)")[1]
        for host in HOSTS:
            start("worker.Worker", "--host", host, "--cores", "1", "--memory", "1g", "--webui-port", "0",
                  "-d", f"{work}/{host}", address, told="registered with master")
        yield address
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(LIMIT)


def executors():
    """Returns the process ids of the executors that this process or one of its workers has started."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and is_executor(int(entry)) and descends(int(entry), os.getpid()):
            found.append(int(entry))
    return found


def is_executor(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return False
    return words[0].endswith(b"java") and any(b"CoarseGrainedExecutorBackend" in word for word in words)


def parent(process):
    with open(f"/proc/{process}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def descends(process, ancestor):
    while process > 1:
        if process == ancestor:
            return True
        try:
            process = parent(process)
        except OSError:
            return False
    return False


def peak(process="self"):
    """Returns the peak memory of a process in MB."""
    with open(f"/proc/{process}/status") as file:
        line = next(line for line in file if line.startswith("VmHWM"))
    return int(line.split()[1]) >> 10
