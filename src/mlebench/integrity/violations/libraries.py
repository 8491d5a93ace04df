"""What calls of known libraries mean for the rules: tables, to which a library is added in one line."""

from __future__ import annotations

import re

# Clients of language models: a call of anything in them is a call of a model, but for what `LOCAL_PARTS` names.
MODEL_MODULES = frozenset(
    "openai anthropic cohere mistralai groq together replicate litellm ai21 vertexai zhipuai "
    "dashscope xai_sdk deepseek "
    "fireworks cerebras perplexity voyageai aleph_alpha_client google.generativeai google.genai "
    "google.ai.generativelanguage "
    "google.cloud.aiplatform azure.ai.inference azure.ai.openai langchain_openai langchain_anthropic "
    "langchain_google_genai "
    "langchain_google_vertexai langchain_mistralai langchain_groq langchain_cohere "
    "langchain_together langchain_fireworks "
    "langchain_aws langchain_deepseek llama_index.llms.openai llama_index.llms.anthropic llama_index.llms.gemini g4f "
    "openrouter portkey_ai aisuite instructor dspy marvin magentic simpleaichat openai_async poe_api_wrapper "
    "huggingface_hub.InferenceClient huggingface_hub.AsyncInferenceClient huggingface_hub.InferenceApi "
    "huggingface_hub.inference_api smolagents pydantic_ai ell mirascope revChatGPT bardapi claude_agent_sdk "
    "claude_code_sdk sambanova qianfan volcenginesdkarkruntime "
    # Services that predict without a language model.
    "googleapiclient.discovery google.cloud.language google.cloud.language_v1 google.cloud.vision "
    "google.cloud.translate google.cloud.translate_v2 google.cloud.automl google.cloud.speech google.cloud.documentai "
    "azure.ai.textanalytics azure.ai.vision azure.ai.translation azure.ai.formrecognizer azure.cognitiveservices "
    "ibm_watson clarifai clarifai_grpc deepl googletrans deep_translator assemblyai deepgram monkeylearn "
    "paralleldots perspective gradio_client ollama text_generation xinference_client".split()
)
MODEL_CLASSES = re.compile(
    r"^(?:langchain\w*|llama_index|haystack\w*|guidance|outlines|semantic_kernel|autogen\w*|crewai)(?:\.[\w()]+)*\."
    r"(?:ChatOpenAI|OpenAI|AzureOpenAI|AzureChatOpenAI|ChatAnthropic|Anthropic|ChatGoogle\w+|GoogleGenerativeAI|ChatCohere|"
    r"Cohere|ChatGroq|Groq|ChatMistralAI|MistralAI|BedrockLLM|ChatBedrock|Bedrock|ChatVertexAI|VertexAI|Gemini|"
    r"HuggingFaceEndpoint|HuggingFaceHub|ChatDeepSeek|ChatTogether|Together|Fireworks|ChatFireworks|OpenAIGenerator|"
    r"OpenAIChatGenerator|init_chat_model|Replicate|OpenAIEmbeddings|OpenAIChatCompletion)\b"
)
LOCAL_PARTS = re.compile(  # exceptions that these modules define, and parts that call nothing
    r"\.(?:\w*Error|types|Timeout|__version__|\w+Exception)\b"
)
NETWORK = re.compile(
    r"^(?:requests(?:_cache|_html|_futures)?|cloudscraper|httpx|aiohttp|urllib3?|urllib2|http\.client|httplib2?|wget|"
    r"gdown|pycurl|websocket|websockets|ftplib|telnetlib|paramiko|smtplib|tornado\.httpclient|treq|asks|"
    r"mechanize|grequests|curl_cffi|niquests|fsspec|smart_open|s3fs|gcsfs|boto3|ibm_boto3|xmlrpc|jsonrpclib)\b"
)
SOCKETS = re.compile(r"^(?:socket|ssl)\.|^(?:asyncio|anyio|trio)\.open_(?:connection|tcp_stream)$|\.open_connection$")
# Readers of files that take addresses too.
READERS = re.compile(
    r"(?:^|\.)(?:read_csv|read_table|read_json|read_parquet|read_excel|read_html|read_feather|read_pickle|read_xml|read_fwf|"
    r"scan_csv|scan_parquet|loadtxt|genfromtxt|fread|urlopen|urlretrieve|download_url_to_file|get_file|"
    r"download_and_extract_archive|download_url|download_file_from_google_drive|imread|load_img)$"
)
OPENERS = re.compile(
    r"(?:^|\.)(?:open|read_text|read_bytes|listdir|scandir|walk|glob|iglob|rglob|iterdir|load|copy|copyfile|copy2|copytree|"
    r"move|exists|isfile|is_file|isdir|is_dir|ZipFile|memmap|symlink|link|readlink|File|unpack_archive|connect|loads|stat|"
    r"Path|join|load_pickle|read|from_csv|chdir)$"
)
RUNS_COMMAND = re.compile(
    r"^(?:os\.(?:system|popen\d?|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?)|subprocess\.(?:run|call|check_call|check_output|Popen|"
    r"getoutput|getstatusoutput)|commands\.getoutput|pty\.spawn|asyncio\.create_subprocess_(?:shell|exec)|sh\.\w+|"
    r"get_ipython\(\)\.(?:system|getoutput|run_cell_magic|run_line_magic)|pexpect\.(?:run|spawn)|invoke\.run|plumbum\.\w+)$"
)
# Data from elsewhere; values say what it is.
OUTSIDE_DATA = re.compile(
    r"^(?:kagglehub\.(?:dataset|competition|notebook_output)\w*|kagglehub\.(?:load_dataset|dataset_load)|kaggle\.(?:api|cli|main|KaggleApi)\b.*|"
    r"kaggle\.api\.kaggle_api_extended\.KaggleApi.*|opendatasets\.download|"
    r"sklearn\.datasets\.fetch_\w+|seaborn\.load_dataset|tensorflow_datasets\.load|tensorflow_datasets\.builder|"
    r"(?:tensorflow\.|tf\.)?keras\.datasets\.\w+\.load_data|statsmodels\.api\.datasets\.get_rdataset|"
    r"openml\.(?:datasets|tasks)\.\w+|yfinance\.\w+|pandas_datareader\.\S+|wikipedia\.\w+|wikipediaapi\.\S+|"
    r"googlesearch\.\w+|duckduckgo_search\.\S+|ddgs\.\S+|selenium\.\S+|playwright\.\S+|scrapy\.\S+|newspaper\.\S+|"
    r"praw\.\S+|tweepy\.\S+|bing_image_downloader\.\S+|icrawler\.\S+|serpapi\.\S+|tavily\.\S+|quandl\.\S+|"
    r"meteostat\.\S+|pytrends\.\S+|ucimlrepo\.fetch_ucirepo|pmlb\.fetch_data|webbrowser\.open|roboflow\.\S+|fiftyone\.zoo\.load_zoo_dataset)$"
)
# Services of Amazon that predict.
PREDICTS_AT_AMAZON = (
    "bedrock",
    "sagemaker-runtime",
    "comprehend",
    "rekognition",
    "textract",
    "translate",
    "transcribe",
)
TORCH_DATASETS = re.compile(r"^(?:torchvision|torchaudio|torchtext|torch_geometric)\.datasets\.\w+$")
HUB_DATASETS = re.compile(r"^datasets\.(?:load_dataset|load_dataset_builder)$")
HUB_FILES = re.compile(r"^huggingface_hub\.(?:hf_hub_download|snapshot_download|HfApi\(\)\.\w+|hf_hub_url)$")
LOCAL_BUILDERS = frozenset("csv json parquet text imagefolder audiofolder pandas arrow xml webdataset".split())
# Calls whose texts are shown and go nowhere.
SAYS = re.compile(
    r"(?:^|\.)(?:print|pprint|debug|info|warning|warn|error|critical|exception|log|write|writelines|display|Markdown|HTML|"
    r"add_argument|title|set_title|xlabel|ylabel|text|annotate|append|join|format|echo|secho|startswith|endswith|replace|"
    r"split|sub|search|match|findall|compile|strip|get|setdefault|update|ArgumentParser|str|len|Exception|RuntimeError|"
    r"ValueError|add|extend|lower|tokenize|encode|count|fit|transform|fit_transform|index|DataFrame|Series|dict|list|set|"
    r"assertEqual|help|markdown|urlparse|urlsplit|quote|isinstance|partition|description|contains)$"
)
_KEYS = re.compile(
    r"(?:OPENAI|ANTHROPIC|GEMINI|GOOGLE_AI|GOOGLE_GENAI|COHERE|MISTRAL|GROQ|TOGETHER|OPENROUTER|DEEPSEEK|AZURE_OPENAI|"
    r"PERPLEXITY|FIREWORKS|REPLICATE|XAI|CLAUDE|LLM|GPT|HF_INFERENCE)\w*(?:KEY|TOKEN|URL|BASE|ENDPOINT)",
    re.IGNORECASE,
)


def names_model_key(text: str) -> bool:
    """Whether a text names a variable of the environment with which models are called."""
    return bool(_KEYS.search(text))


def is_model_call(name: str) -> bool:
    """Whether a call of this dotted name is one of a client of a language model."""
    if LOCAL_PARTS.search(name):
        return False
    bare = name.replace("()", "")
    parts = bare.split(".")
    if any(".".join(parts[:end]) in MODEL_MODULES for end in range(1, min(len(parts), 4) + 1)):
        return True
    return bool(MODEL_CLASSES.match(name))
