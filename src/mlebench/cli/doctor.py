"""`mlebench doctor`: what works on this machine, what does not, and what to install."""

from __future__ import annotations

import click

from mlebench.cli.common import json_option, wide_option
from mlebench.cli.output import GOOD_OR_BAD, print_json, print_table, print_text
from mlebench.cli.progress import show_progress


@click.command("doctor", short_help="Which sandboxes work here, and what each promises")
@wide_option
@json_option
def command(as_json: bool) -> None:
    """Show which sandboxes work here, what each promises, and what to install for those that do not."""
    with show_progress("Examining the sandboxes"):
        from mlebench.base.progress import each as each_told
        from mlebench.sandbox import SANDBOXES, Promise, choose_sandbox, examine, measured_by

        chosen = choose_sandbox().sandbox.name
        found = [examine(sandbox) for sandbox in each_told(list(SANDBOXES.values()), "examine", unit="sandboxes")]
    if as_json:
        print_json(
            {
                "auto": chosen,
                "measured_by": measured_by(),
                "sandboxes": [
                    {
                        "name": sandbox.name,
                        "works": sandbox.availability.works,
                        "why": sandbox.availability.why,
                        "install": sandbox.availability.install,
                        "promised": [promise.name for promise in Promise if promise in sandbox.promised],
                        "not_promised": [promise.name for promise in Promise if promise in sandbox.not_promised],
                    }
                    for sandbox in found
                ],
            }
        )
        return
    rows = [[sandbox.name, sandbox.availability.works, sandbox.availability.why] for sandbox in found]
    print_table(["sandbox", "works", "why"], rows, wrap={"why": 30}, styles={"works": GOOD_OR_BAD})
    for sandbox in found:
        if sandbox.availability.install:
            print_text(f"\nFor {sandbox.name}: {sandbox.availability.install}")
    print_text(f"\n--sandbox auto takes {chosen}, the strongest that works here. Use is measured by {measured_by()}.\n")
    working = [sandbox for sandbox in found if sandbox.availability.works]
    header = ["what is promised", *(sandbox.name for sandbox in working)]
    promises = [[promise.value, *(promise in sandbox.promised for sandbox in working)] for promise in Promise]
    styles = {sandbox.name: GOOD_OR_BAD for sandbox in working}
    print_table(header, promises, wrap={"what is promised": 30}, styles=styles)
