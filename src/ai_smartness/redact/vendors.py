"""How keys of services look that have no mark of their own: beside the service's name."""

__all__ = ["VENDORS"]

_UUID = r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"

VENDORS: "tuple[tuple[str, str], ...]" = (
    # A service's name in what is assigned to, and how its keys look that have no mark of their own.
    ("heroku", _UUID),
    ("snyk", _UUID),
    ("sumologic", r"su[A-Za-z0-9]{12}|[A-Za-z0-9]{64}"),
    ("sumo_", r"su[A-Za-z0-9]{12}|[A-Za-z0-9]{64}"),
    ("facebook", r"[0-9a-f]{32}"),
    ("sourcegraph", r"[0-9A-Fa-f]{40}"),
    ("meraki", r"[0-9a-f]{40}"),
    ("okta", r"00[A-Za-z0-9_=-]{40}"),
    ("dropbox", r"[a-z0-9]{15}"),
    ("messagebird", r"[A-Za-z0-9]{25}|" + _UUID),
    ("discord", r"[A-Za-z0-9_-]{32}"),
    ("etsy", r"[a-z0-9]{24}"),
    ("cohere", r"[A-Za-z0-9]{40}"),
    ("datadog", r"[0-9a-f]{32}|[0-9a-f]{40}"),
    ("cloudflare", r"[A-Za-z0-9_-]{37}|[A-Za-z0-9_-]{40}"),
    ("atlassian", r"[A-Za-z0-9]{24}"),
    ("jira", r"[A-Za-z0-9]{24}"),
    ("newrelic", r"[0-9a-f]{40}"),
    ("twilio", r"[0-9a-f]{32}"),
    ("linkedin", r"[a-z0-9]{14,16}"),
    ("softlayer", r"[a-z0-9]{64}"),
    ("sidekiq", r"[a-f0-9]{8}:[a-f0-9]{8}"),
    ("bundle_enterprise__contribsys__com", r"[a-f0-9]{8}:[a-f0-9]{8}"),
    ("cloudant", r"[0-9a-f]{64}"),
    ("sonar", r"[A-Za-z0-9=_-]{40,44}"),
    ("sentry", r"[0-9a-f]{64}"),
    ("algolia", r"[a-z0-9]{32}"),
    ("circleci", r"[0-9a-f]{40}"),
    ("travis", r"[A-Za-z0-9_]{22}"),
    ("fastly", r"[A-Za-z0-9_=-]{32}"),
    ("mailgun", r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}"),
    ("vault", r"s\.[A-Za-z0-9]{24}"),
    ("wandb", r"[0-9a-f]{40}"),
    ("linode", r"[0-9a-f]{64}"),
    ("ngrok", r"[A-Za-z0-9]{27}_[A-Za-z0-9]{21}"),
    ("postmark", _UUID),
    ("trello", r"[0-9a-f]{32}|[0-9a-f]{64}"),
    ("zendesk", r"[a-z0-9]{40}"),
    ("artifactory", r"(?:AKC|AP[\dABCDEF])[A-Za-z0-9]{10,75}|[A-Za-z0-9]{73}"),
)
