"""Settings of search, of what turns text into vectors, and of the index."""

from app.config.setting import Setting, fraction, switch, whole

RECIPES = ("words", "vector", "weighted", "rrf", "balanced", "tri", "boosted", "learned")

SEARCH = (
    Setting("search.recipe", "choice", "learned", "How words and meaning are weighed.", choices=RECIPES),
    whole("search.limit", 50, 5, 500, "Results shown at once."),
    whole("search.depth", 200, 20, 4096, "Candidates that words and meaning each give to a recipe, except 'learned'."),
    fraction("search.vector_weight", 0.7, 0, 1, "Share of meaning in the recipe 'weighted'."),
    fraction(
        "search.lexical_weight",
        0.3,
        0,
        1,
        "Share of words in the recipe 'weighted'.",
        old_names=("search.words_weight",),
    ),
    whole("search.rrf_k", 60, 1, 10_000, "Constant of the recipe 'rrf': the larger, the less the first places count."),
    whole("search.tri_recent", 10, 0, 1000, "Latest messages that the recipe 'tri' takes."),
    fraction("search.tri_importance", 0.8, 0, 1, "Importance from which the recipe 'tri' takes a message as salient."),
    whole("search.tri_salient", 5, 0, 1000, "Salient messages that the recipe 'tri' takes at most."),
    fraction(
        "search.tri_similarity", 0.65, 0, 1, "Similarity above which the recipe 'tri' takes a message as relevant."
    ),
    whole("search.tri_relevant", 5, 0, 1000, "Relevant messages that the recipe 'tri' takes at most."),
    Setting(
        "search.reranker",
        "str",
        "",
        "Model of fastembed that adds its judgement to the order of the first 50 results; empty for none. A"
        " cross-encoder reads them again at each search, a late interaction model reads all texts once in the"
        " background.",
        restart=True,
    ),
    Setting(
        "search.reranker_folder", "str", "", "Folder of that model's files; empty for its own cache.", restart=True
    ),
)

EMBEDDING = (
    Setting(
        "embedding.model",
        "str",
        "static",
        "What turns text into vectors: 'static' (built in), 'hashed' (for tests), 'fastembed:<model name>', or a remote"
        " service: 'openai:', 'voyage:', 'cohere:' or 'openai-compatible:' with a model name. What is searched for is"
        " sent to a remote service too.",
        restart=True,
        critical=True,
    ),
    Setting(
        "embedding.model_folder",
        "str",
        "",
        "Folder of an offline fastembed model; empty for its own cache.",
        restart=True,
        old_names=("embedding.folder",),
    ),
    whole("embedding.batch", 256, 1, 4096, "Texts turned into vectors at once.", restart=True),
    whole(
        "embedding.dimensions",
        0,
        0,
        8192,
        "Length of the vectors a remote model is asked for; 0 for its own.",
        restart=True,
    ),
    Setting(
        "embedding.base_url",
        "str",
        "",
        "Address of an 'openai-compatible' embedding service.",
        restart=True,
        critical=True,
        pattern=r"(https?://[^\s@?#]+)?",
        form="an address that begins with https:// or http:// and holds no password or question mark",
    ),
    Setting(
        "embedding.api_key_env",
        "str",
        "",
        "Environment variable that holds the key of a remote embedding service, in capital letters; never the key"
        " itself. Empty for the key in the system's keyring.",
        restart=True,
        # What has small letters may well be a key.
        pattern=r"([A-Z_][A-Z0-9_]{0,99})?",
        form="the name of an environment variable in capital letters",
    ),
    switch(
        "embedding.send_private",
        False,
        "Send conversations and private notes too to a remote embedding service; else they are found by words only.",
        restart=True,
        critical=True,
    ),
    switch(
        "embedding.allow_download", False, "Fetch a fastembed model from the network when it is not on this machine."
    ),
)

INDEX = (switch("index.vectors", True, "Make vectors in the background, for search by meaning.", restart=True),)
