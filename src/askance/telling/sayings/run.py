"""What a run says of itself: its warnings, its doubts and why it ended."""

from __future__ import annotations

from askance.telling.words import term

SAYINGS = (
    term("The question is empty."),
    term("Ask something."),
    term("There is no text."),
    term("Select or paste one."),
    term("No language model is set up."),
    term("Run `askance doctor`."),
    term("The language model wrote no answer."),
    term("The model wrote no answer."),
    term("The answer is missing: {problem}"),
    term("The answer was cut {cut}."),
    term("at its length limit"),
    term("because the model repeated itself"),
    term("at the run's time limit"),
    term("because the model failed: {problem}"),
    term("What the model wrote could not be matched to any source; a larger one would do better."),
    term("Sources disagree: {told}."),
    term("No sentence of the answer could be matched to a source without doubt."),
    term("{model} is not a reasoning model: it answers without thinking first."),
    term(
        "The search was ended after {n} s less the time for writing; the answer "
        "rests on what was found by then."
    ),
    term("The model gave no plan: {problem}"),
    term("it took longer than {n} s."),
    term("The model gave no usable plan; the question was searched as it stands."),
    term("A verdict on the evidence is missing: {problem}"),
    term("The verdict does not follow its schema."),
    term("The plan does not follow its schema."),
    term("The model gave no reply that could be read."),
    term("it asks for more in the same breath"),
    term("there is no evidence"),
    term("the evidence does not mention {names}"),
    term("no snippet states it in full"),
    term("no source speaks of what the question asks"),
    term("Further searching brought nothing new; it was ended early."),
    term("There was nothing left to search for; it was ended early."),
    term("After {n} rounds the evidence may still be incomplete."),
    term("The limit of {n} model tokens was reached."),
    term("{n} snippets did not fit into the model's context."),
    term("{n} passages did not fit into the model's context."),
    term("The oldest {n} turns of the conversation did not fit into the model's context."),
    term(
        "The question is too long: about {needed} tokens, and the model's context "
        "leaves room for {available}."
    ),
    term("Shorten it, or raise llm.num_ctx if the model allows more."),
    term("The prompt has {needed} tokens; the context of {model} holds {available}."),
    term("The prompt is too long; the context of {model} holds {available}."),
    term("Raise llm.num_ctx, or lower evidence.first_tokens and evidence.later_tokens."),
    term("I could not find anything about this on the web."),
    term("I searched for {queries}."),
    term("These passages fit the question best:"),
    term("No language model could be reached."),
    term("The language model gave no usable answer."),
    term("No page could be read; the answer rests on the search engine's snippets."),
    term("{done} of {n} pages could not be read."),
    term("The searches brought no results."),
    term("No search engine answered: {told}. Try again later."),
    term("A search failed: {problem}"),
    term("What came of this question cannot be read any more."),
    term("{done} of {n} steps cannot be read any more."),
    term("Askance made a mistake: {problem}."),
    term("The terminal or the desktop's journal has the details."),
    term("this program"),
)
