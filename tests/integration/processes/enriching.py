"""Process that runs the enrichment job with a scripted model and reports each request, to be killed.

Run as ``python -m tests.integration.processes.enriching VAULT``.
"""

import json
import sys
from pathlib import Path

from app.host import Host
from app.llm.model import ChatRequest
from tests.helpers.engine import engine_of
from tests.helpers.models.scripted_model import ScriptedModel


def answer(request: ChatRequest) -> str:
    """Tell the parent of a request, at once, and name ada."""
    print("searched", flush=True)  # noqa: T201
    return json.dumps({"names": [{"text": "ada", "type": "person"}]}) if request.messages else ""


def main() -> None:
    """Run the job until killed."""
    host = Host(Path(sys.argv[1]), serve=False, overrides={"embedding.model": "hashed", "ner.spacy_pipeline": "none"})
    host.start()
    engine_of(host).entities.enrichment.strategy.model._model = ScriptedModel(answer)
    host.ask("vault.settle", names=True)
    host.ask("upkeep.run", job="enrichment")
    host.stop()


if __name__ == "__main__":
    main()
