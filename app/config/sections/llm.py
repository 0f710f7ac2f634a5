"""Settings of the language model, which is optional."""

from app.config.setting import Setting, fraction, switch, whole

LLM = (
    Setting(
        "llm.provider",
        "choice",
        "none",
        "Who answers where a language model helps: nobody, or a service that speaks OpenAI's protocol.",
        choices=("none", "openai-compatible"),
        critical=True,
    ),
    Setting(
        "llm.base_url",
        "str",
        "",
        "Address of the service, such as http://localhost:11434/v1 for Ollama.",
        pattern=r"(https?://[^\s@?#\\]+)?",
        form="an address that begins with https:// or http:// and holds no password or question mark",
        critical=True,
    ),
    Setting("llm.model", "str", "", "Name of the model as the service calls it."),
    Setting("llm.fast_model", "str", "", "Name of a quicker model for small work; the other one when empty."),
    Setting(
        "llm.api_key_env",
        "str",
        "",
        "Environment variable that holds the key, in capital letters; never the key itself. Empty for the key in the"
        " system's keyring.",
        # What has small letters may well be a key.
        pattern=r"([A-Z_][A-Z0-9_]{0,99})?",
        form="the name of an environment variable in capital letters",
    ),
    switch("llm.send_private", False, "Send private texts to a service that is not on this computer.", critical=True),
    fraction("llm.timeout", 60.0, 1, 600, "Seconds that one answer may take."),
    whole("llm.attempts", 3, 1, 10, "Attempts for one answer, where the service is busy or out of reach."),
    whole("llm.max_output_tokens", 1024, 64, 32_768, "Tokens that one answer may have."),
    fraction("llm.input_price", 0.0, 0, 10_000, "Price of a million tokens that the model reads, in your currency."),
    fraction("llm.output_price", 0.0, 0, 10_000, "Price of a million tokens that the model writes, in your currency."),
    fraction(
        "llm.monthly_cap", 0.0, 0, 1_000_000, "Cost in a calendar month beyond which nothing is asked; 0 for no limit."
    ),
)
