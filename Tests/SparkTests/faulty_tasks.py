"""Tasks of a build on Spark that get lost, run twice or hang. Executors import this module."""

import os
import signal
import time

from treelinemap._spark_tasks import Tasks

import cluster
from waiting import LIMIT, wait_for

STAGES = ("read", "spread_rows", "answer", "add_up", "partition", "build")
#: Fast trials lose no executor in these stages, because Spark needs seconds to replace a lost executor.
SPARED = ("spread_rows", "answer", "add_up", "gather")
#: Stages that only a tree that grows by splitting has.
PLANNING = ("answer", "add_up")
#: Stages that only a build with many distinct texts has: more than a survey keeps.
GATHERING = ("gather", "unite")


class Lost(Tasks):
    """Halfway through the first task of each stage, SIGKILL ends its executor."""

    def fail(self):
        process = os.getppid()
        while not cluster.is_executor(process):
            process = cluster.parent(process)
        os.kill(process, signal.SIGKILL)
        wait_for(lambda: not cluster.is_executor(process), "the executor to end")
        os._exit(1)

    def lose(self, stage, values):
        for number, value in enumerate(values):
            yield value
            if number == 0 and self.is_first(stage):
                self.fail()

    def is_first(self, stage):
        try:
            os.close(os.open(f"{os.path.dirname(self.folder)}/marks/{stage}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True

    def read(self, batches):
        return Tasks.read(self, self.lose("read", batches))

    def spread_rows(self, count, sections):
        return Tasks.spread_rows(self, count, self.lose("spread_rows", sections))

    def gather(self, wanted, names):
        return Tasks.gather(self, wanted, self.lose("gather", names))

    def unite(self, wanted, names):
        return Tasks.unite(self, wanted, self.lose("unite", names))

    def answer(self, places, question, sections):
        return Tasks.answer(self, places, question, self.lose("answer", sections))

    def add_up(self, question, answers):
        return Tasks.add_up(self, question, self.lose("add_up", answers))

    def partition(self, places, plan, sections):
        return self.lose("partition", Tasks.partition(self, places, plan, sections))

    def build(self, plan, blocks):
        # The executor is lost after the first piece is written, so the repeated task finds this piece.
        return self.lose("build", Tasks.build(self, plan, blocks))


class LostInSmallBlocks(Lost):
    """Like `Lost`, but blocks of points begin and end within batches of values."""

    block_size = 1500


class Hanging(Lost):
    """The first task of each stage hangs, so that Spark starts a second attempt on the other executor."""

    def fail(self):
        time.sleep(LIMIT)
        raise TimeoutError(f"expected Spark to end a task that hangs for {LIMIT} s")


class Twice(Tasks):
    """Each task runs twice, as if a second attempt had begun while the first attempt wrote."""

    def read(self, batches):
        batches = list(batches)
        list(Tasks.read(self, batches))
        return Tasks.read(self, batches)

    def build(self, plan, blocks):
        blocks = list(blocks)
        list(Tasks.build(self, plan, blocks))
        return Tasks.build(self, plan, blocks)
