"""Fixtures of the notebook tests: JupyterLab with notebooks, pages that trees write, and a browser that can only reach
this machine."""

import json
import os
import pathlib
import subprocess
import sys
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Browser"))

from browser import TOLERATED, browser, complaints, new_context  # noqa: E402, F401
from suite import note, pytest_sessionstart, pytest_terminal_summary  # noqa: E402, F401
from waiting import LIMIT, reserved_port, wait_for  # noqa: E402

PICTURES = pathlib.Path(os.environ.get("TREELINE_PICTURES", ROOT / ".build-notebook/pictures"))

WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 480, "height": 900}

# A few thousand places along a golden spiral, each with a kind and a size. They are the same on every machine.
PLACES = """
import numpy as np, treelinemap
i = np.arange(4000)
spread, turn = np.sqrt(i / 4000), i * 2.399963
kinds = np.array(["hotel", "hotel", "inn", "camp", "boat"])[(i * 31 + i // 7) % 5]
tree = treelinemap.build(10 + 22 * spread * np.cos(turn), 48 + 9 * spread * np.sin(turn),
                      columns={"name": [f"Place {n}" for n in i], "kind": kinds, "size": (i * 37) % 500}, supporting="spacing")
"""

@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """Starts a JupyterLab that ends with the tests. Returns its address and the folder of its notebooks."""
    folder = tmp_path_factory.mktemp("lab")
    places = {
        name: str(folder / name)
        for name in (
            "JUPYTER_CONFIG_DIR",
            "JUPYTER_DATA_DIR",
            "JUPYTER_RUNTIME_DIR",
            "IPYTHONDIR",
            "JUPYTERLAB_WORKSPACES_DIR",
            "JUPYTERLAB_SETTINGS_DIR",
        )
    }
    # Stops JupyterLab from asking for news and updates.
    settings = folder / "JUPYTERLAB_SETTINGS_DIR/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"fetchNews": "false", "checkForUpdates": false}')
    with reserved_port() as port, (folder / "lab.log").open("w") as log:
        options = [
            "--no-browser",
            "--ip=127.0.0.1",
            f"--port={port}",
            "--ServerApp.port_retries=0",
            "--IdentityProvider.token=",
            "--ServerApp.password=",
            "--allow-root",
            f"--ServerApp.root_dir={folder}",
            "--LabApp.expose_app_in_browser=True",
        ]
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options], env={**os.environ, **places}, stdout=log, stderr=log
        )
        address = f"http://127.0.0.1:{port}"

        def answers():
            assert process.poll() is None, (folder / "lab.log").read_text()[-2000:]
            return urllib.request.urlopen(f"{address}/api", timeout=LIMIT).status == 200

        try:
            wait_for(answers, "JupyterLab to start", ignoring=OSError)
            yield address, folder
        finally:
            process.terminate()
            process.wait(LIMIT)


class Notebook:
    """A notebook that is open in a browser."""

    def __init__(self, page):
        self.page = page

    def run(self, code):
        """Runs code in the kernel, and returns its output or the error in which it ends."""
        return self.page.evaluate(
            """async code => {
          const kernel = (globalThis.notebook ?? jupyterapp.shell.currentWidget).sessionContext.session.kernel;
          const future = kernel.requestExecute({ code, store_history: false });
          let text = "";
          future.onIOPub = ({ header, content }) => {
            if (header.msg_type === "stream") text += content.text;
            if (header.msg_type === "error") text += `${content.ename}: ${content.evalue}`;
          };
          await future.done;
          return text.trim();
        }""",
            code,
        )

    def told(self, code):
        """Returns the value of an expression that the kernel evaluates."""
        return json.loads(self.run(f"import json; print(json.dumps({code}))"))

    def theme(self, name):
        """Sets the theme of JupyterLab to light or dark."""
        theme = f"JupyterLab {name}"
        self.page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
        is_light = "true" if name == "Light" else "false"
        # JupyterLab removes its splash screen 200 ms after a change. If the theme changes again before, JupyterLab
        # removes the splash screen twice, which is an error of the page.
        self.page.wait_for_function(
            f"() => document.body.dataset.jpThemeLight === '{is_light}' && !document.querySelector('#jupyterlab-splash')"
        )

    def leave(self):
        """Opens another tab of JupyterLab in front of this notebook."""
        self.page.evaluate("() => globalThis.notebook = jupyterapp.shell.currentWidget")
        self.page.evaluate("() => jupyterapp.commands.execute('launcher:create')")
        self.page.wait_for_function("() => notebook.node.clientWidth === 0")

    def come_back(self):
        self.page.evaluate("() => jupyterapp.shell.activateById(notebook.id)")
        self.page.wait_for_function("() => notebook.node.clientWidth > 0")

    def hosts(self):
        return self.page.locator("[data-lm-suppress-shortcuts]")

    def rest(self, at=0):
        """Waits until a map is at rest and shows the answer for its view. Returns a handle of its viewer."""
        self.page.wait_for_function(
            """at => { const viewer = [...document.querySelectorAll("[data-lm-suppress-shortcuts]")][at]?.viewer;
          return viewer?.map?.loaded() && viewer.isAtRest && !viewer.tree.scene.isMoving }""",
            arg=at,
        )
        return self.hosts().nth(at).evaluate_handle("host => host.viewer")


@pytest.fixture
def open_notebook(complaints, new_context, lab):
    """Returns a function that opens a notebook and runs its cells. The notebook must report no error, and must load
    nothing from other machines."""
    address, folder = lab

    def open_notebook(*cells, viewport=WIDE, **options):
        name = f"notebook-{len(list(folder.glob('*.ipynb')))}.ipynb"
        content = {
            "cells": [
                {
                    "cell_type": "code",
                    "source": cell,
                    "metadata": {},
                    "outputs": [],
                    "execution_count": None,
                    "id": f"c{at}",
                }
                for at, cell in enumerate(cells)
            ],
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        (folder / name).write_text(json.dumps(content))
        context = new_context(viewport=viewport, **options)
        context.route(
            lambda url: not url.startswith((address, "blob:", "data:")),
            lambda route: (complaints.append(f"asked for {route.request.url}"), route.abort()),
        )
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{address}/lab/tree/{name}?reset")
        page.wait_for_function(
            '''() => { const session = globalThis.jupyterapp?.shell.currentWidget?.sessionContext?.session;
              return session?.kernel?.connectionStatus === 'connected' }'''
        )
        # The sidebar is closed, so that the notebook fills the window as far as possible.
        page.evaluate("() => jupyterapp.shell.collapseLeft?.()")
        page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
        return Notebook(page)

    return open_notebook


#: Script that keeps the messages above a map in `viewer.said`.
LISTEN = """viewer => {
  viewer.said = [];
  const show = viewer.notice.show.bind(viewer.notice);
  viewer.notice.show = (kind, text, ...rest) => { viewer.said.push(text); show(kind, text, ...rest) };
}"""

#: Script that returns state which depends on the size of the map, and on whether there is a map.
STATE = """viewer => ({ size: viewer.stage.size, zoom: viewer.map.getZoom(), canvas: viewer.overlay.canvas.width,
  ids: viewer.tree.scene.ids, notice: viewer.notice.kind, said: viewer.said })"""


@pytest.fixture
def open_page(complaints, new_context):
    """Returns a function that opens a page from disk. The page must report no error, and must load only itself."""

    def open_page(path, fragment="", viewport=WIDE, settle=True, **options):
        context = new_context(viewport=viewport, **options)
        address = path.resolve().as_uri()
        page = context.new_page()
        page.on(
            "request",
            lambda request: request.url.startswith((address, "blob:", "data:")) or complaints.append(request.url),
        )
        listen(page, complaints)
        page.goto(f"{address}{fragment}")
        if settle:
            rest(page)
        return page

    return open_page


def listen(page, complaints):
    """Collects complaints in the console of a page."""
    page.on(
        "console",
        lambda message: (
            message.type in ("error", "warning")
            and TOLERATED not in message.text
            and complaints.append(message.text)
        ),
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))


def rest(page):
    page.wait_for_function(
        """() => globalThis.viewer?.map?.loaded() && viewer.isAtRest
      && !viewer.tree.scene.isMoving"""
    )


def picture(page, name):
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png")
