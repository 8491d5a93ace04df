"""What methods of tables, models and files do to values, by their names."""

from __future__ import annotations

PREDICT = {
    "predict", "predict_proba", "decision_function", "predict_log_proba", "generate", "inference", "infer", "forward",
    "forecast", "predict_on_batch", "predict_generator", "transduce", "kneighbors", "score_samples",
    "fit_predict", "sample",
    "fit_transform", "inverse_transform", "similarity", "encode", "model", "pipe", "pipeline", "net",
    "learner", "get_preds",
}  # fmt: skip
READERS = {
    "read_csv",
    "read_table",
    "read_json",
    "read_parquet",
    "read_feather",
    "read_pickle",
    "read_excel",
    "loadtxt",
}
READERS |= {
    "genfromtxt",
    "load",
    "open",
    "read_text",
    "read_bytes",
    "scan_csv",
    "DictReader",
    "reader",
    "read",
    "fread",
}
READERS |= {"safe_load", "full_load", "unsafe_load", "load_all"}
PARSERS = {"fromstring", "frombuffer", "literal_eval", "loads", "safe_load", "full_load", "eval", "parse"}
LISTERS = {"listdir", "scandir", "glob", "iglob", "rglob", "iterdir", "walk"}
STRUCTURAL = {
    "DataFrame", "Series", "array", "asarray", "list", "dict", "tuple", "set", "zip", "enumerate", "sorted", "reversed",
    "concat", "concatenate", "hstack", "vstack", "stack", "copy", "deepcopy", "astype", "reset_index", "set_index",
    "to_numpy", "tolist", "merge", "join", "rename", "fillna", "round", "clip", "sort_values", "sort_index",
    "head", "tail",
    "items", "values", "keys", "get", "strip", "split", "splitlines", "lower", "upper", "format", "replace", "loads",
    "StringIO", "BytesIO", "decode", "to_frame", "squeeze", "ravel", "flatten", "reshape", "repeat", "tile", "assign",
    "drop", "drop_duplicates", "dropna", "int", "float", "str", "bool", "iterrows", "itertuples", "to_dict",
    "from_dict",
    "from_records", "explode", "melt", "pivot", "b64decode", "decompress", "fromhex", "literal_eval", "filter", "next",
    "iter", "isin", "eq", "ne", "gt", "lt", "ge", "le", "contains", "startswith", "endswith", "union", "OrderedDict",
    "reindex", "loc", "iloc", "at", "with_columns", "select", "lit", "alias", "clip_lower", "iter_rows", "rows",
    "to_string", "encode", "cycle", "islice", "chain", "abs", "combine_first", "query", "Counter",
    "defaultdict", "bytes",
    "writer", "dedent", "resize", "insert_rows", "rjust", "zfill", "pop", "append", "to_list", "where", "mask",
    "update", "product", "astuple", "asdict", "_asdict", "_make", "SimpleNamespace", "attrgetter",
}  # fmt: skip
FILLED = {
    "full",
    "zeros",
    "ones",
    "full_like",
    "zeros_like",
    "ones_like",
    "range",
    "arange",
    "len",
    "count",
    "linspace",
}
MUTATORS = {
    "append",
    "extend",
    "insert",
    "update",
    "add",
    "setdefault",
    "appendleft",
    "write",
    "writerow",
    "writerows",
}
MUTATORS |= {"writelines"}
MAPPERS = {"apply", "map", "transform", "applymap", "pipe", "map_elements", "map_rows", "vectorize", "starmap", "agg"}
COMPARES = {"contains", "startswith", "endswith", "isin", "eq", "ne", "gt", "lt", "ge", "le", "between", "search"}
COMPARES |= {"match", "findall", "fullmatch"}
