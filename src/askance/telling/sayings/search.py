"""What goes wrong with SearXNG and with the search engines."""

from __future__ import annotations

from askance.telling.words import term

SAYINGS = (
    term("Nothing answers at {address}, where SearXNG should be ({said})."),
    term(
        "Start SearXNG with `askance up` (it needs Docker or Podman), or let this "
        "program ask search engines itself: `askance config set search.in_process "
        "given`."
    ),
    term("SearXNG at {address} hung up before it had answered."),
    term("SearXNG at {address} was slow: it did not answer within {n} s."),
    term("It waits for its own engines; a larger search.timeout_s gives it more time."),
    term("The answer from {address} broke off, or is not HTTP: {problem}."),
    term("{address} answered more than {size}."),
    term("What answers at {address} is not SearXNG's JSON: {problem}."),
    term("Set search.url to the address of SearXNG itself."),
    term("search.url = {said} is not an address: {problem}."),
    term("SearXNG at {address} {said}."),
    term("refuses to answer in JSON, which is switched off in its settings"),
    term(
        "Let this program ask search engines itself: `askance config set search.in_process given`; "
        "or add these lines to its settings.yml and restart it:\nsearch:\n  formats: [html, json]"
    ),
    term("takes no more queries from here for now (HTTP 429): its limiter is on"),
    term("Switch it off in its settings.yml, then restart it:\nserver:\n  limiter: false"),
    term("refused the query (HTTP 400): {said}"),
    term("Look at search.language, search.categories and search.engines."),
    term("sent us on to {host} (HTTP {status}), where we do not follow"),
    term("another page"),
    term("failed (HTTP {status})"),
    term("Its log says why."),
    term("answered with HTTP {status}"),
    term("Nothing answers at {address}; this program asked the search engines itself."),
    term(
        "SearXNG at {address} does not answer in JSON; this program asked the search engines itself."
    ),
    term("The process that asks the search engines did not start, or broke off."),
    term("Install it anew: `pip install --force-reinstall askance ddgs`."),
    term("No search engine answered within {limit}."),
    term("No search engine answered through the proxy {address} within {limit}."),
    term("A larger search.timeout_s gives them more time."),
    term("None of the search engines can be reached ({said})."),
    term("None of the search engines can be reached through the proxy {address} ({said})."),
    term("Look at the network."),
    term("Look at search.proxy and at the network."),
    term("Without SearXNG none of the engines can be asked that the settings allow ({names})."),
    term("Set search.engines to one of {names}, or start SearXNG with `askance up`."),
    term("the search engines"),
    term("its engines"),
    term("the proxy {address}"),
    term("{service} at {address} does not answer within {n} s."),
    term("Nothing answers at {address}."),
    term("What answers at {address} is not {service}."),
    term(
        "What answers at {address} does not prove that it knows this program's token: another "
        "program listens there, or the token is not the one that it was started with."
    ),
    term("`askance up` renews it; `askance status` shows what listens where."),
    term("The token for {address} cannot be read from {file}."),
    term("the reader service"),
    term("the reader service at {host}"),
    term("the reader service, the proxy {address}"),
    term("the reader service at {host}, the proxy {address}"),
    term("SearXNG at {address}"),
    term("The reader service"),
    term("{said} is not an address: {problem}."),
    term("no reason given"),
    term("its process ended"),
    term("it redirects too often"),
)
