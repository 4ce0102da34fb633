"""Whose the models of AlpacaEval's leaderboard are: a table written by hand.

An entry belongs to whoever made what is served: a fine-tune to those who tuned it and not to the
lab of the base model, a mixture or a filter (Aligner, PairRM, best of n) to those who built it
around the models of others. Entries that the leaderboard's own makers added to test their judge
("concise", "verbose") are variants of the model's lab: the same model, prompted otherwise. Each was
checked against the name and the link in the package's own settings of that model; where these name
no organisation, the name of the method or of the publisher stands.
"""

LABS: dict[str, tuple[str, ...]] = {
    "01.AI": ("yi-large-preview", "Yi-34B-Chat"),
    "Sea AI Lab": ("NullModel",),
    "Airoboros": ("airoboros-65b", "airoboros-33b"),
    "Alibaba Qwen": (
        "Qwen1.5-110B-Chat", "Qwen2-72B-Instruct", "Qwen1.5-72B-Chat", "Qwen1.5-14B-Chat",
        "Qwen1.5-7B-Chat", "Qwen-14B-Chat", "Qwen1.5-1.8B-Chat",
    ),
    "Allen AI": ("tulu-2-dpo-70b", "tulu-2-dpo-13b", "tulu-2-dpo-7b"),
    "Anthropic": (
        "claude-3-5-sonnet-20240620", "claude-3-opus-20240229", "claude-3-sonnet-20240229",
        "claude-2.1_verbose", "claude-2", "claude", "claude-instant-1.2", "claude-2.1",
        "claude-2.1_concise",
    ),
    "BAAI Infinity-Instruct": (
        "Infinity-Instruct-7M-Gen-Llama3_1-70B", "Infinity-Instruct-7M-Gen-mistral-7B",
        "Infinity-Instruct-3M-0625-Llama3-70B", "Infinity-Instruct-7M-Gen-Llama3_1-8B",
        "Infinity-Instruct-3M-0613-Llama3-70B", "Infinity-Instruct-3M-0625-Mistral-7B",
        "Infinity-Instruct-3M-0625-Llama3-8B", "Infinity-Instruct-3M-0613-Mistral-7B",
        "Infinity-Instruct-3M-0625-Qwen2-7B", "Infinity-Instruct-3M-0625-Yi-1.5-9B",
    ),
    "BAAI LM-Cocktail": ("LMCocktail-10.7B-v1",),
    "Baichuan": ("baichuan-13b-chat",),
    "Baize": ("baize-v2-13b", "baize-v2-7b"),
    "BlendaX.AI": ("blendaxai-gm-l6-vo31", "blendaxai-gm-l3-v35"),
    "Boson AI": ("higgs-llama-3-70b-v2",),
    "CausalLM": ("causallm-14b",),
    "Claude2-Alpaca": ("claude2-alpaca-13b",),
    "Cohere": ("cohere",),
    "Conifer": ("Conifer-7B-DPO",),
    "Contextual AI": ("Contextual-KTO-Mistral-PairRM",),
    "Cornell REBEL": ("REBEL-Llama-3-8B-Instruct-Armo", "REBEL-Llama-3-8B-Instruct"),
    "CUT": ("cut-13b",),
    "Databricks": ("dbrx-instruct",),
    "DeepSeek": ("deepseek-llm-67b-chat",),
    "Dolphin": ("dolphin-2.2.1-mistral-7b",),
    "Ein": ("Ein-70B-v0.1",),
    "ExPO": (
        "Llama-3-Instruct-8B-SimPO-ExPO", "SPPO-Mistral7B-PairRM-ExPO", "internlm2-chat-20b-ExPO",
        "Starling-LM-7B-beta-ExPO", "tulu-2-dpo-70b-ExPO", "internlm2-chat-7b-ExPO",
        "Starling-LM-7B-alpha-ExPO", "tulu-2-dpo-13b-ExPO", "zephyr-7b-beta-ExPO",
        "zephyr-7b-alpha-ExPO", "tulu-2-dpo-7b-ExPO",
    ),
    "EVO": ("evo-v2-7b", "evo-7b"),
    "Falcon (TII)": ("falcon-40b-instruct", "falcon-7b-instruct"),
    "FsfairX": ("FsfairX-Zephyr-Chat-v0.1",),
    "FuseAI": (
        "FuseChat-Gemma-2-9B-Instruct", "FuseChat-Llama-3.1-8B-Instruct",
        "FuseChat-Qwen-2.5-7B-Instruct", "FuseChat-Llama-3.2-3B-Instruct",
        "FuseChat-Llama-3.2-1B-Instruct",
    ),
    "General Preference (GPM)": (
        "GPO-Llama-3-8B-Instruct-GPM-2B", "SPPO-Llama-3-8B-Instruct-GPM-2B",
    ),
    "Ghost X": ("ghost-8b-beta-disl-0x5", "ghost-7b-alpha"),
    "Google": ("gemini-pro", "gemma-7b-it", "gemma-2b-it"),
    "Hugging Face H4": ("zephyr-7b-beta", "zephyr-7b-alpha"),
    "IBM": ("merlinite-7B-AOT",),
    "InternLM": ("internlm2-chat-20b-ppo",),
    "Jina AI": ("jina-chat",),
    "KAIST ORPO": ("mistral-orpo-beta",),
    "LMSYS Vicuna": (
        "vicuna-33b-v1.3", "vicuna-13b-v1.5-togetherai", "vicuna-13b-v1.3", "vicuna-13b-v1.5",
        "vicuna-13b", "vicuna-7b-v1.5", "vicuna-7b-v1.3", "vicuna-7b",
    ),
    "Meta": (
        "Meta-Llama-3.1-405B-Instruct-Turbo", "Meta-Llama-3.1-70B-Instruct-Turbo",
        "Meta-Llama-3-70B-Instruct", "Meta-Llama-3-8B-Instruct",
        "Meta-Llama-3.1-8B-Instruct-Turbo", "humpback-llama2-70b", "llama-2-70b-chat-hf",
        "humpback-llama-65b", "llama-2-13b-chat-hf", "llama-2-7b-chat-hf",
    ),
    "Microsoft": ("phi-2",),
    "MiniChat": ("minichat-1.5-3b", "minichat-3b"),
    "Mistral AI": (
        "mistral-large-2402", "Mixtral-8x22B-Instruct-v0.1", "mistral-medium",
        "Mixtral-8x7B-Instruct-v0.1", "Mixtral-8x7B-Instruct-v0.1_verbose",
        "Mixtral-8x7B-Instruct-v0.1_concise", "Mistral-7B-Instruct-v0.3",
        "Mistral-7B-Instruct-v0.2",
    ),
    "Nanbeige": ("Nanbeige-Plus-Chat-v0.1", "Nanbeige2-16B-Chat", "Nanbeige2-8B-Chat"),
    "NEFTune": ("llama-2-chat-7b-evol70k-neft",),
    "Nexusflow and Berkeley Starling": ("Starling-LM-7B-alpha",),
    "Nous Research": ("nous-hermes-13b",),
    "OpenAccess AI Collective": ("minotaur-13b",),
    "OpenAI": (
        "gpt-4o-2024-05-13", "gpt-4-turbo-2024-04-09", "gpt4_1106_preview_verbose",
        "gpt-4o-mini-2024-07-18", "gpt4_1106_preview", "gpt4_1106_preview_concise", "gpt4",
        "gpt4_0314", "gpt4_0613_verbose", "gpt4_0613", "gpt-3.5-turbo-16k-0613",
        "gpt-3.5-turbo-0613", "gpt-3.5-turbo-1106_verbose", "gpt4_0613_concise",
        "gpt-3.5-turbo-1106", "gpt-3.5-turbo-0301", "gpt35_turbo_instruct",
        "gpt-3.5-turbo-1106_concise", "text_davinci_001",
    ),
    "OpenAssistant": (
        "oasst-sft-llama-33b", "oasst-rlhf-llama-33b", "oasst-sft-pythia-12b",
        "pythia-12b-mix-sft",
    ),
    "OpenBuddy": (
        "openbuddy-llama2-70b-v10.1", "openbuddy-llama-65b-v8", "openbuddy-llama-30b-v7.1",
        "openbuddy-llama2-13b-v11.1", "openbuddy-falcon-40b-v9", "openbuddy-falcon-7b-v6",
    ),
    "OpenChat": (
        "openchat-v3.1-13b", "openchat-v2-w-13b", "openchat-v2-13b", "openchat-13b",
        "opencoderplus-15b", "openchat8192-13b",
    ),
    "OpenHermes": ("OpenHermes-2.5-Mistral-7B",),
    "OpenPipe": ("openpipe-moa-gpt-4-turbo-v1",),
    "PairRM": (
        "pairrm-Yi-34B-Chat", "pairrm-tulu-2-70b", "pairrm-tulu-2-13b", "pairrm-zephyr-7b-beta",
    ),
    "PBM Nova": ("Llama3-PBM-Nova-70B",),
    "Peking University Aligner": (
        "aligner-2b_gpt-4-turbo-2024-04-09", "aligner-2b_claude-3-opus-20240229",
        "aligner-2b_qwen1.5-72b-chat",
    ),
    "PlatoLM": ("platolm-7b",),
    "Princeton SimPO": (
        "gemma-2-9b-it-SimPO", "gemma-2-9b-it-DPO", "Llama-3-Instruct-8B-SimPO",
    ),
    "Princeton SkillMix": ("Llama-3-8B-Instruct-SkillMix",),
    "QLoRA Guanaco": ("guanaco-65b", "guanaco-33b", "guanaco-13b", "guanaco-7b"),
    "RainbowPO": ("Llama-3-Instruct-8B-RainbowPO",),
    "ReMax": ("Mistral-7B-ReMax-v0.1",),
    "Reflection-Tuning": ("recycled-wizardlm-7b-v2.0", "recycled-wizardlm-7b-v1.0"),
    "SambaNova": ("Samba-CoE-v0.2-best-of-16", "Samba-CoE-v0.2", "Samba-CoE-v0.1"),
    "Self-MoA": ("SelfMoA_gemma-2-9b-it-WPO-HB", "SelfMoA_gemma-2-9b-it-SimPO"),
    "Shopee": ("Shopee-SlimMoA-v1",),
    "Snorkel AI": ("Snorkel-Mistral-PairRM-DPO-best-of-16", "Snorkel-Mistral-PairRM-DPO"),
    "Stanford Alpaca": (
        "alpaca-farm-ppo-sim-gpt4-20k", "alpaca-7b_verbose", "alpaca-farm-ppo-human", "alpaca-7b",
        "alpaca-7b_concise", "gpt4_gamed",
    ),
    "Storm": ("Storm-7B-best-of-64", "Storm-7B"),
    "TempNet": (
        "TempNet-LLaMA2-Chat-70B-v0.1", "TempNet-LLaMA2-Chat-13B-v0.1",
        "TempNet-LLaMA2-Chat-7B-v0.1",
    ),
    "TOA": ("TOA",),
    "Together AI": ("Together-MoA", "Together-MoA-Lite"),
    "Tsinghua ChatGLM": ("chatglm2-6b",),
    "Tsinghua UltraLM": (
        "ultralm-13b-v2.0-best-of-16", "ultralm-13b-best-of-16", "ultralm-13b-v2.0", "ultralm-13b",
    ),
    "UCLA SPPO": (
        "SPPO-Gemma-2-9B-It-PairRM", "SPPO-Llama-3-Instruct-8B-PairRM", "SPPO-Mistral7B-PairRM",
    ),
    "UIUC phi-2 tunes": ("phi-2-dpo", "phi-2-sft"),
    "WizardLM": ("wizardlm-70b", "wizardlm-13b-v1.2", "wizardlm-13b-v1.1", "wizardlm-13b"),
    "WPO": ("gemma-2-9b-it-WPO-HB", "Llama-3-Instruct-8B-WPO-HB-v2"),
    "Xwin-LM": ("xwinlm-70b-v0.1", "xwinlm-13b-v0.1", "xwinlm-7b-v0.1"),
    "DEITA": ("deita-7b-v1.0",),
}  # fmt: skip

#: The same weights, served by two: what an exact copy looks like in the table.
SERVED_TWICE = ("vicuna-13b-v1.5", "vicuna-13b-v1.5-togetherai")


def lab_of() -> dict[str, str]:
    """The lab of every model.

    Examples
    --------
    >>> lab_of()["claude-2"], sum(lab == "OpenAI" for lab in lab_of().values())
    ('Anthropic', 19)
    """
    return {model: lab for lab, models in LABS.items() for model in models}
