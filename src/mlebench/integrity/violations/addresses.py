"""What an address on the Internet means for the rules: a model, data from outside the task, or something allowed."""

from __future__ import annotations

import re
from enum import StrEnum
from urllib.parse import urlsplit


class Destination(StrEnum):
    """What is at an address."""

    MODEL = "model"  # a language model behind an API
    OUTSIDE = "outside"  # anything else that is not part of the task
    WEIGHTS = "weights"  # pretrained weights, which are allowed
    PACKAGES = "packages"  # packages, which are allowed
    LOCAL = "local"  # this machine, such as the validation server
    TELEMETRY = "telemetry"  # libraries call home


_MODEL_HOSTS = re.compile(
    r"(?:^|\.)(?:api\.openai\.com|oai\.azure\.com|openai\.azure\.com|chatgpt\.com|chat\.openai\.com|api\.anthropic\.com|"
    r"claude\.ai|generativelanguage\.googleapis\.com|gemini\.google\.com|[\w-]*aiplatform\.googleapis\.com|"
    r"api\.cohere\.(?:ai|com)|api\.mistral\.ai|api\.groq\.com|api\.together\.(?:xyz|ai)|openrouter\.ai|"
    r"api-inference\.huggingface\.co|router\.huggingface\.co|endpoints\.huggingface\.cloud|api\.deepseek\.com|"
    r"bedrock-runtime[\w.-]*amazonaws\.com|api\.x\.ai|api\.perplexity\.ai|dashscope[\w-]*\.aliyuncs\.com|"
    r"open\.bigmodel\.cn|api\.moonshot\.(?:cn|ai)|api\.replicate\.com|api\.fireworks\.ai|api\.ai21\.com|"
    r"api\.anyscale\.com|api\.endpoints\.anyscale\.com|api\.cerebras\.ai|integrate\.api\.nvidia\.com|"
    r"models\.inference\.ai\.azure\.com|api\.deepinfra\.com|api\.hyperbolic\.xyz|api\.studio\.nebius\.ai|"
    r"api\.sambanova\.ai|api\.minimax\.chat|ark\.cn-beijing\.volces\.com|api\.siliconflow\.cn|api\.voyageai\.com|"
    r"api\.poe\.com|gateway\.ai\.cloudflare\.com|api\.aleph-alpha\.com|api\.writer\.com|inference\.ai|"
    r"(?:commentanalyzer|language|vision|translation|translate|speech|automl|documentai|videointelligence)\.googleapis\.com|"
    r"cognitiveservices\.azure\.com|api\.cognitive\.microsoft(?:translator)?\.com|api\.clarifai\.com|api(?:-free)?\.deepl\.com|"
    r"api\.assemblyai\.com|api\.deepgram\.com|watson\.cloud\.ibm\.com|"
    r"(?:comprehend|rekognition|textract|translate|runtime\.sagemaker)\.[\w-]+\.amazonaws\.com)$",
    re.IGNORECASE,
)
_MODEL_PATHS = re.compile(
    r"/chat/completions\b|/v\d+/(?:completions|messages|responses)\b|:generateContent\b|:streamGenerateContent\b|"
    r"/api/(?:generate|chat)\b|/openai/deployments/|/v1/engines/|/v1/embeddings\b|/v2/(?:chat|generate)\b",
    re.IGNORECASE,
)
_LOCAL = re.compile(
    r"^(?:localhost|localhost\.localdomain|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|"
    r"10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|169\.254\.\d+\.\d+|[\w-]+)$",
    re.IGNORECASE,
)
_PACKAGE_HOSTS = re.compile(
    r"(?:^|\.)(?:pypi\.org|pythonhosted\.org|anaconda\.(?:org|com)|conda\.io|debian\.org|ubuntu\.com|npmjs\.org|"
    r"cran\.r-project\.org|cran\.rstudio\.com|cloud\.r-project\.org|crates\.io|rubygems\.org|nodesource\.com|"
    r"repo\.continuum\.io|developer\.download\.nvidia\.com|pypi\.nvidia\.com|data\.pyg\.org|astral\.sh|"
    r"bootstrap\.pypa\.io|tuna\.tsinghua\.edu\.cn|mirrors\.aliyun\.com)$",
    re.IGNORECASE,
)
_WEIGHT_HOSTS = re.compile(
    r"(?:^|\.)(?:download\.pytorch\.org|huggingface\.co|hf\.co|hf-mirror\.com|cdn-lfs[\w-]*\.(?:huggingface|hf)\.co|"
    r"tfhub\.dev|dl\.fbaipublicfiles\.com|openaipublic\.(?:blob\.core\.windows\.net|azureedge\.net)|"
    r"nlp\.stanford\.edu|conceptnet\.s3\.amazonaws\.com|models\.silero\.ai|download\.openmmlab\.com|"
    r"paddle-imagenet-models-name\.bj\.bcebos\.com|keras\.io|ultralytics\.com|sbert\.net|modelscope\.cn|ngc\.nvidia\.com)$",
    re.IGNORECASE,
)
_WEIGHT_PATHS = re.compile(
    r"\.(?:pth|pt|ckpt|safetensors|onnx|h5|hdf5|keras|pb|tflite|caffemodel|weights|gguf|bin|params|npz|model|magnitude)"
    r"(?:\.(?:tar|gz|zip))?(?:\?.*)?$|/resolve/|glove\.|/glove|word2vec|fasttext|crawl-300d|wiki-news|"
    r"(?:weights|pretrained|checkpoint)[\w./-]*$|storage\.googleapis\.com/(?:tensorflow|keras|bert|mobilenet|efficientnet)|"
    r"nltk_data|spacy-models|/vit_models/|/bert_models/|universal-sentence-encoder",
    re.IGNORECASE,
)
_TELEMETRY_HOSTS = re.compile(
    r"(?:^|\.)(?:sentry\.io|wandb\.(?:ai|com)|posthog\.com|segment\.(?:io|com)|events\.data\.microsoft\.com|"
    r"google-analytics\.com|mixpanel\.com|statsig\.com|statsigapi\.net|datadoghq\.com|comet\.(?:ml|com)|neptune\.ai|"
    r"scarf\.sh|usage-stats\.ray\.io|amplitude\.com|telemetry[\w.-]*|launchdarkly\.com|mlflow\.org|clear\.ml|"
    r"huggingface\.co|github\.com|raw\.githubusercontent\.com|api\.github\.com|ipinfo\.io|pypi\.org)$",
    re.IGNORECASE,
)
_KAGGLE = re.compile(r"(?:^|\.)(?:kaggle\.com|kaggleusercontent\.com|kaggle\.io)$", re.IGNORECASE)
_ADDRESS = re.compile(r"\b(?:https?|ftp|wss?|s3|gs)://[^\s'\"<>|;&)\]}\\`]+", re.IGNORECASE)


def addresses_in(text: str) -> list[str]:
    """The addresses that a text names.

    >>> addresses_in("curl -s https://api.openai.com/v1/models | head")
    ['https://api.openai.com/v1/models']
    """
    return _ADDRESS.findall(text)


def is_weights(path: str) -> bool:
    """Whether a path or an address names pretrained weights.

    >>> is_weights("models/resnet50.pth"), is_weights("labels.csv")
    (True, False)
    """
    return bool(_WEIGHT_PATHS.search(path))


def is_model_host(host: str) -> bool:
    """Whether a language model answers at a host."""
    return bool(_MODEL_HOSTS.search(host.strip().rstrip(".")))


def is_kaggle_host(host: str) -> bool:
    """Whether a host is one of Kaggle."""
    return bool(_KAGGLE.search(host.strip().rstrip(".")))


def is_telemetry_host(host: str) -> bool:
    """Whether libraries call home at a host."""
    return bool(_TELEMETRY_HOSTS.search(host.strip().rstrip(".")))


def destination(address: str) -> Destination | None:
    """What is at an address, which may lack its scheme; None for what is none.

    >>> destination("https://api.openai.com/v1/chat/completions").value
    'model'
    >>> destination("http://localhost:5000/validate").value
    'local'
    """
    address = address.strip()
    if "://" not in address:
        address = (
            f"//{address}" if re.match(r"^[\w.-]+\.[a-z]{2,}(?::\d+)?(?:/|$)", address, re.IGNORECASE) else address
        )
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return None
    if parts.scheme in ("file", "data") or not host:
        return None
    if not host.isascii() or "$" in host or "{" in host:  # a part of it is known only when the program runs
        known = re.sub(r"^.*[^\w.-]", "", host)
        if not re.search(r"^\.?[\w-]+\.[a-z]{2,}$|^\.(?:[\w-]+\.)+[a-z]{2,}$", known):
            return Destination.MODEL if _MODEL_PATHS.search(parts.path) else None
        host = known.lstrip(".")
    if parts.scheme in ("s3", "gs"):
        return Destination.WEIGHTS if _WEIGHT_PATHS.search(address) else Destination.OUTSIDE
    if is_model_host(host) or _MODEL_PATHS.search(parts.path):
        return Destination.MODEL
    if _LOCAL.match(host):
        return Destination.LOCAL
    if _KAGGLE.search(host):
        return Destination.OUTSIDE
    if _PACKAGE_HOSTS.search(host) or re.search(r"\.(?:whl|deb)(?:$|[?#])", parts.path):
        return Destination.PACKAGES
    if _WEIGHT_HOSTS.search(host):
        return Destination.OUTSIDE if "/datasets/" in parts.path else Destination.WEIGHTS
    if _WEIGHT_PATHS.search(f"{host}{parts.path}"):
        return Destination.WEIGHTS
    if _TELEMETRY_HOSTS.search(host) and host not in ("github.com", "raw.githubusercontent.com", "api.github.com"):
        return Destination.TELEMETRY
    return Destination.OUTSIDE
