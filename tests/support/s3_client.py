# SPDX-License-Identifier: Apache-2.0
"""What one needs to know of an S3 bucket to test, signed by AWS Signature Version 4 with the standard library
only, so that it agrees with the worker by the specification and not by shared code.

usage: s3_client.py ENVIRONMENT make BUCKET | list BUCKET      ENVIRONMENT: the s3.env of scripts/s3_server.sh
"""
import datetime
import hashlib
import hmac
import pathlib
import sys
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree

NOTHING = hashlib.sha256(b"").hexdigest()


def read_environment(file):
    """The variables in a file of scripts/s3_server.sh."""
    return dict(line.split("=", 1) for line in pathlib.Path(file).read_text().split())


class S3Client:
    """Path-style requests without bodies. `environment`: AWS_ENDPOINT_URL and the AWS keys."""

    def __init__(self, environment):
        self.endpoint = environment["AWS_ENDPOINT_URL"]
        self.key, self.secret = environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"]

    def sign(self, method, path, query, now):
        host = urllib.parse.urlsplit(self.endpoint).netloc
        headers = {"host": host, "x-amz-content-sha256": NOTHING, "x-amz-date": f"{now:%Y%m%dT%H%M%SZ}"}
        names = ";".join(sorted(headers))
        lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
        canonical = "\n".join([method, path, query, lines, names, NOTHING])
        scope = f"{now:%Y%m%d}/us-east-1/s3/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], scope,
                          hashlib.sha256(canonical.encode()).hexdigest()])
        key = b"AWS4" + self.secret.encode()
        for part in scope.split("/"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        headers["authorization"] = (f"AWS4-HMAC-SHA256 Credential={self.key}/{scope}, "
                                    f"SignedHeaders={names}, Signature={signature}")
        return headers

    def request(self, method, path, query=""):
        """The body of a successful answer."""
        headers = self.sign(method, path, query, datetime.datetime.now(datetime.timezone.utc))
        url = f"{self.endpoint}{path}{'?' if query else ''}{query}"
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers, method=method)) as answer:
            return answer.read()

    def make_bucket(self, bucket):
        self.request("PUT", f"/{bucket}")

    def keys(self, bucket, prefix=""):
        """Those of all objects: a page has a thousand."""
        space = "{http://s3.amazonaws.com/doc/2006-03-01/}"
        names, token = set(), ""
        while True:
            query = f"list-type=2&prefix={urllib.parse.quote(prefix, safe='')}"
            if token:
                query = f"continuation-token={urllib.parse.quote(token, safe='')}&{query}"
            listing = xml.etree.ElementTree.fromstring(self.request("GET", f"/{bucket}", query))
            names |= {key.text for key in listing.iter(f"{space}Key")}
            token = listing.findtext(f"{space}NextContinuationToken")
            if not token:
                return names


def opens_without_credentials(url):
    """The content behind a URL; None when the server refuses it."""
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.read()
    except urllib.error.HTTPError:
        return None


def main(environment, action, bucket):
    client = S3Client(read_environment(environment))
    if action == "make":
        client.make_bucket(bucket)
    else:
        print("\n".join(sorted(client.keys(bucket))))


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[2] not in ("make", "list"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
