"""What servers say of a prompt that is too long: the words of their error messages, and the numbers in them."""

from __future__ import annotations

CONTEXT = 8192
"""What was reckoned with; it stands where a message names no limit."""

# By server: the message, the tokens of the prompt (0 for none), those of the context.
OVERFLOWS: dict[str, tuple[str, int, int]] = {
    "OpenAI": (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9100 tokens. Please reduce the length of the messages.",
        9100,
        8192,
    ),
    "OpenAI requested": (
        "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).",
        5000,
        4097,
    ),
    "vLLM input": (
        "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages.",
        5000,
        4096,
    ),
    "vLLM requested": (
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4200 in the messages, 800 in the completion). Please reduce the length.",
        5000,
        4096,
    ),
    "vLLM max_tokens too large": (
        "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 3000 input tokens (2000 > 4096 - 3000).",
        3000,
        4096,
    ),
    "vLLM decoder": (
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.",
        5000,
        4096,
    ),
    "llama.cpp new": (
        "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        5000,
        4096,
    ),
    "llama.cpp old": (
        "the request exceeds the available context size. try increasing the context size or enable context shift",
        0,
        CONTEXT,
    ),
    "llama.cpp mid": ("Context size has been exceeded.", 0, CONTEXT),
    "llama.cpp batch": (
        "input is too large to process. increase the physical batch size",
        0,
        CONTEXT,
    ),
    "LM Studio keep": (
        "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input",
        5000,
        4096,
    ),
    "LM Studio n_keep": ("Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)", 15028, 7424),
    "LM Studio keep2": (
        "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input",
        0,
        CONTEXT,
    ),
    "LM Studio reached": (
        "Reached context length of 4096 tokens with this model, but this model does not currently support mid-generation context overflow because llama_memory_can_shift is 0. Try reloading with a larger context length or shortening the prompt/chat.",
        0,
        4096,
    ),
    "LM Studio MLX": (
        "Context length exceeded. Prompt has 5000 tokens but the model's context is 4096.",
        5000,
        4096,
    ),
    "Ollama": ("the input length exceeds the context length", 0, CONTEXT),
    "Ollama 2": ("input length exceeds maximum context length", 0, CONTEXT),
    "Ollama mlx": ("prompt too long; exceeded max context length by 120 tokens", 0, CONTEXT),
    "TGI": (
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 1000 `max_new_tokens`",
        5000,
        4096,
    ),
    "SGLang": (
        "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
        5000,
        4096,
    ),
    "SGLang total": (
        "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 6000 tokens: 5000 tokens from the input messages and 1000 tokens for the completion.",
        6000,
        4096,
    ),
    "TabbyAPI": ("Prompt length 5000 is greater than max_seq_len 4096", 5000, 4096),
    "TabbyAPI 2": ("Request length 6000 is greater than max_seq_len 4096", 6000, 4096),
    "llama-cpp-python": ("Requested tokens (5000) exceed context window of 4096", 5000, 4096),
    "mistral.rs": (
        "Prompt sequence length is greater than 4096, perhaps consider using `truncate_sequence`?",
        0,
        4096,
    ),
    "Lemonade/FLM": ("prompt length exceeds max length", 0, CONTEXT),
    "Lemonade OGA": (
        "Prompt tokens 5000 cannot be greater than the model's max prompt length of 3072",
        5000,
        3072,
    ),
    "litellm": (
        "litellm.ContextWindowExceededError: BadRequestError: the prompt is too long",
        0,
        CONTEXT,
    ),
    "Anthropic proxy": ("prompt is too long: 205000 tokens > 200000 maximum", 205000, 200000),
    "Gemini proxy": (
        "The input token count (5000) exceeds the maximum number of tokens allowed (4096).",
        5000,
        4096,
    ),
    "Groq": ("Please reduce the length of the messages or completion.", 0, CONTEXT),
    "Mistral": (
        "Prompt contains 5000 tokens and 0 draft tokens, too large for model with 4096 maximum context length",
        5000,
        4096,
    ),
    "TRT-LLM": (
        "Prompt length (5000) exceeds maximum input length (4096). Set log level to info and check TRTGptModel logs for how maximum input length is set",
        5000,
        4096,
    ),
    "OpenVINO": ("Number of prompt tokens: 5000 exceeds model max length: 4096", 5000, 4096),
    "KoboldCpp": ("Prompt too long for context size", 0, CONTEXT),
    "Exllama": ("context overflow: 5000 > 4096", 5000, 4096),
}
# Refusals and limits of other kinds, in words that are near to those.
OTHERS: tuple[str, ...] = (
    "The schema exceeds the context-free grammar limit",
    "You exceeded your current quota, please check the context of your plan",
    "context deadline exceeded",
    'Post "http://127.0.0.1:41234/completion": context canceled',
    "Rate limit reached: the request exceeds the maximum number of tokens per minute",
    "max_tokens must be greater than 0",
    "The request was cancelled",
    "'response_format.type' must be 'text'",
    "System role not supported",
    "Unsupported parameter: 'max_tokens' is not supported with this model.",
    "Invalid API Key",
)
