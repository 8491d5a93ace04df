#!/usr/bin/env bash
# Says whether a CSV file is a valid submission, and if not, what is wrong with it. It gives no score.
#   bash validate_submission.sh FILE
# Prints the server's answer, one line of JSON. Exit code 0: valid, 1: not valid, 2: it could not be checked.
exec python3 - "$@" <<'PYTHON'
import json
import os
import sys
import urllib.error
import urllib.request

if len(sys.argv) != 2:
    sys.exit("usage: validate_submission.sh FILE")
try:
    with open(sys.argv[1], "rb") as file:
        content = file.read()
except OSError as error:
    print(json.dumps({"error": "The file cannot be read.", "details": str(error)}))
    sys.exit(2)
boundary = "submission-" + os.urandom(16).hex()
head = '--{}\r\nContent-Disposition: form-data; name="file"; filename="submission.csv"\r\n\r\n'.format(boundary)
request = urllib.request.Request(
    os.environ.get("VALIDATION_URL", "http://localhost:5000").rstrip("/") + "/validate",
    data=head.encode() + content + "\r\n--{}--\r\n".format(boundary).encode(),
    headers={"Content-Type": "multipart/form-data; boundary=" + boundary},
)
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    with direct.open(request, timeout=3600) as answer:
        found = json.loads(answer.read().decode("utf-8"))
except urllib.error.HTTPError as error:
    print(error.read().decode("utf-8", "replace").strip())
    sys.exit(2)
except (OSError, ValueError) as error:
    print(json.dumps({"error": "The server that checks submissions cannot be reached.", "details": str(error)}))
    sys.exit(2)
print(json.dumps(found, ensure_ascii=False))
sys.exit(0 if found.get("is_valid") else 1)
PYTHON
