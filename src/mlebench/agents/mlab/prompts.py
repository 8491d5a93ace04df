"""The texts that the model is given."""

from __future__ import annotations

FIELDS = {
    "Reflection": "What does the observation mean? If there is an error, what caused it and how to debug?",
    "Research Plan and Status": "The full high level research plan, with current status and confirmed results of each "
    "step briefly annotated. It must only include progress that has been made by previous steps. If there is any "
    "update, enclose the new update text in double asterisks **like this**.",
    "Fact Check": "List all objective statements in the updates to Research Plan and Status one by one and point out "
    "whether it is guessed versus directly confirmed by the previous observation directly above.",
    "Thought": "What you are currently doing, what actions to perform and why.",
    "Action": "the action to take, should be one of the names of the tools",
    "Action Input": "the input to the action as a valid JSON string",
}

ACTIONS = {
    "List Files": ("Lists the files and folders in a folder.", {"dir_path": "a folder; . is the working folder"}),
    "Copy File": ("Copies a file.", {"source": "the file", "destination": "the new file"}),
    "Undo Edit Script": ("Undoes the last edit of a script.", {"script_name": "the script"}),
    "Execute Script": ("Executes a Python script and shows what it prints.", {"script_name": "the script"}),
    "Understand File": (
        "Reads a whole file, piece by piece, and tells what you look for. It does not change anything.",
        {"file_name": "the file", "things_to_look_for": "a detailed description of what to look for"},
    ),
    "Inspect Script Lines": (
        "Shows a part of a script, of at most 100 lines.",
        {"script_name": "the script", "start_line_number": "the first line", "end_line_number": "the last line"},
    ),
    "Edit Script (AI)": (
        "Has an AI assistant edit a script, or write one that does not exist yet. The assistant knows nothing but "
        "the script and your instructions, so these must be complete.",
        {"script_name": "the script", "edit_instruction": "what to change", "save_name": "the name of the result"},
    ),
    "Validate Submission": (
        "Checks a submission and hands it in if it is valid and better than what was handed in before.",
        {
            "submission_path": "the CSV file",
            "validation_score": "its score by the task's metric on data that the model was not trained on",
            "lower_is_better": "true or false",
        },
    ),
    "Final Answer": ("Ends the work.", {"final_answer": "a description of the solution"}),
}


def opening(task: str, code: str, data: str) -> str:
    """What comes before everything else: the tools, the task, the form of an answer."""
    tools = "\n".join(
        f"- {name}:\n  {purpose}\n  Usage:\n  Action: {name}\n  Action Input: {_example(inputs)}"
        for name, (purpose, inputs) in ACTIONS.items()
    )
    form = "\n".join(f"{name}: {meaning}" for name, meaning in FIELDS.items())
    return (
        f"You are a helpful research assistant. You have access to the following tools:\n{tools}\n\n"
        f"Research Problem: {task}\n\n"
        f"The working folder is {code}; scripts run there. The data is in {data} and cannot be changed. Hand in early, "
        "and again when the score on held-out data is better. Do not ask for help; there is nobody to answer.\n\n"
        f"Always respond in this format exactly:\n{form}\nObservation:\nthe result of the action\n"
    )


def _example(inputs: dict[str, str]) -> str:
    return "{" + ", ".join(f'"{name}": [{meaning}]' for name, meaning in inputs.items()) + "}"


def edit(script: str, name: str, instruction: str) -> str:
    """The order to the assistant that edits a script."""
    return (
        f"Given this Python script {name}:\n```python\n{script}\n```\nEdit the script by following the instruction:\n"
        f"{instruction}\nProvide the full code after the edit, and nothing else, in one block that starts with "
        "```python and ends with ```."
    )


def understand(piece: str, name: str, wanted: str, place: str) -> str:
    """The order to read a piece of a file."""
    return (
        f"Given this (partial) file {name}, {place}:\n```\n{piece}\n```\nHere is a detailed description on what to "
        f"look for and what should be returned: {wanted}\nThe description should be short and also refer to critical "
        "lines in the file relevant to what is being looked for. Only describe what is objectively confirmed by the "
        "file content. Do not include guessed numbers. If you cannot find the answer to certain parts of the request, "
        'you should say "In this segment, I cannot find ...".'
    )


def summary(action: str, piece: str, before: str) -> str:
    """The order to shorten an observation."""
    earlier = f"What was seen before this part:\n{before}\n" if before else ""
    return (
        f"Given your action:\n{action}\nand a part of its observation:\n```\n{piece}\n```\n{earlier}"
        "Summarize the observation concisely. Include all numbers, errors and file names that matter, and nothing "
        "that is not in it."
    )
