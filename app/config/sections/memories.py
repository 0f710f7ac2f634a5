"""Settings of durable memories: how they are written, captured from conversations and given to agents."""

from app.config.setting import Setting, fraction, switch, whole

MEMORIES = (
    fraction(
        "memories.duplicate_similarity", 0.75, 0, 1, "Share of words in common from which two facts count as the same."
    ),
    fraction("memories.conflict_confidence", 0.3, 0, 1, "Confidence left to a fact that a newer one contradicts."),
    fraction(
        "memories.candidate_similarity", 0.3, 0, 1, "Share of words in common from which a model judges two memories."
    ),
    fraction("memories.reconcile_seconds", 10.0, 0.1, 600, "Seconds that a model may take to judge a new memory."),
    fraction("memories.decay_rate", 0.1, 0, 10, "Share of its confidence a new fact loses in a day without use."),
)

CONTEXT = (
    whole(
        "context.total_tokens",
        6000,
        1,
        200_000,
        "Tokens of an agent's context, unless it asks for others.",
    ),
    whole("context.max_facts", 10, 0, 200, "Facts of other conversations in an agent's context."),
    whole("context.max_tokens", 2000, 1, 200_000, "Tokens that these facts take at most."),
    whole("context.recent_messages", 10, 0, 1000, "Latest messages in an agent's context."),
    whole("context.recent_max_tokens", 1500, 1, 200_000, "Tokens that the latest messages take at most."),
    whole("context.salient_messages", 5, 0, 1000, "Important messages in an agent's context."),
    fraction("context.salient_importance", 0.8, 0, 1, "Importance from which a message counts as important."),
    whole("context.salient_max_tokens", 600, 1, 200_000, "Tokens that important messages take at most."),
    whole("context.relevant_messages", 5, 0, 1000, "Relevant messages in an agent's context."),
    fraction("context.relevant_similarity", 0.65, 0, 1, "Similarity above which a message is relevant."),
    whole("context.relevant_max_tokens", 1000, 1, 200_000, "Tokens that relevant messages take at most."),
    switch("context.reflection", True, "Give agents the latest weekly reflection."),
    whole("context.reflection_max_tokens", 600, 1, 200_000, "Tokens that the weekly reflection takes at most."),
    whole(
        "context.recent_sessions", 5, 0, 100, "Summaries of recent conversations in a fully trusted agent's context."
    ),
    whole("context.sessions_max_tokens", 600, 1, 200_000, "Tokens that these summaries take at most."),
    switch("context.index", True, "Give agents an index of the memories they may see."),
    whole("context.index_limit", 15, 1, 1000, "Lines of the memory index."),
    whole("context.index_max_tokens", 1000, 1, 200_000, "Tokens that the memory index takes at most."),
    whole(
        "context.index_recent_days", 3, 1, 30, "Days whose memories the index names after those that match the prompt."
    ),
)

CAPTURE = (
    switch(
        "capture.enabled",
        True,
        "Take memories from conversations after each turn, where there is a language model.",
        critical=True,
    ),
    whole("capture.min_turn_messages", 4, 1, 1000, "Messages that a turn must have for that."),
    switch(
        "capture.watch",
        False,
        "Follow the transcripts that coding agents keep on this computer; conversations from then on are taken in.",
        critical=True,
    ),
    fraction("capture.watch_seconds", 1.0, 0.2, 3600, "Seconds between two looks at the transcripts."),
    Setting(
        "capture.notes_folder",
        "str",
        "",
        "Folder of Markdown notes, such as an Obsidian vault, whose edits are taken in within seconds.",
        critical=True,
    ),
    Setting(
        "capture.notes_folder_mode",
        "choice",
        "read",
        "What is done with that folder: 'read' takes its edits in and never writes to it; 'both' also writes edits, new"
        " notes and deletions back, and keeps a note that is edited on both sides twice.",
        choices=("read", "both"),
        critical=True,
    ),
    Setting(
        "capture.clients",
        "str",
        "claude-code, codex, gemini, cursor",
        "Clients whose transcripts are followed, separated by commas.",
        critical=True,
    ),
    switch(
        "capture.secrets",
        False,
        "Store keys and passwords in transcripts and agents' writes as they are; otherwise a mark replaces them.",
        critical=True,
    ),
)

NER = (
    switch("ner.accurate", True, "Use a language model or spaCy to find names, if available."),
    Setting("ner.spacy_pipeline", "str", "", "Name or folder of the spaCy pipeline; empty for the best installed one."),
    whole("ner.batch", 200, 1, 1000, "Texts searched for names in one step at most.", restart=True),
)
