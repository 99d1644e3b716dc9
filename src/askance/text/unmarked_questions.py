"""Whether a sentence asks although no question mark ends it: "so which mountain is the highest in Slovenia"."""

from __future__ import annotations

import re

# What stands before a question: "and now", "my question is", "Frage:".
_LEADS = (
    "so|and|but|now|also|ok|okay|well|anyway|my question is|the question is|question|"
    "also|und|nun|aber|jetzt|meine frage ist|die frage ist|meine frage|frage|"
    "alors|donc|et|ma question est|question|pues|entonces|y|mi pregunta es|pregunta|"
    "allora|quindi|e|la mia domanda è|domanda|então|minha pergunta é|pergunta|dus|en|mijn vraag is|vraag|"
    "så|och|og|min fråga är|fråga|spørsmål|spørgsmål|więc|a|moje pytanie|pytanie|"
    "итак|и|но|вопрос|мой вопрос|kysymys|soru|întrebare|kérdés|dotaz|otázka"
)
_REQUESTS = (
    "please tell me|tell me|please find out|find out|please look up|look up|please explain|explain|explain to me|"
    "let me know|i want to know|i need to know|i would like to know|i'd like to know|i wonder|i was wondering|"
    "i am wondering|i'm wondering|do you know|does anyone know|does anybody know|"
    "can you tell me|could you tell me|can anyone tell me|can you explain|could you explain|"
    "sag mir|sagt mir|sagen sie mir|sag mir bitte|sagt mir bitte|bitte sag mir|bitte sagen sie mir|"
    "ich möchte wissen|ich will wissen|ich würde gern wissen|weiß jemand|weißt du|wissen sie|"
    "kann mir jemand sagen|kannst du mir sagen|können sie mir sagen|"
    "dis-moi|dites-moi|je voudrais savoir|je veux savoir|j'aimerais savoir|sais-tu|savez-vous|"
    "pouvez-vous me dire|peux-tu me dire|dime|dígame|quiero saber|quisiera saber|me gustaría saber|"
    "sabe alguien|alguien sabe|puedes decirme|podría decirme|dimmi|mi dica|vorrei sapere|voglio sapere|"
    "qualcuno sa|diz-me|diga-me|me diga|quero saber|gostaria de saber|alguém sabe|"
    "vertel me|ik wil weten|ik wil graag weten|weet iemand|berätta|säg mig|jag undrar|vet någon|"
    "fortæl mig|sig mig|jeg vil gerne vide|ved nogen|fortell meg|si meg|jeg lurer på|vet noen|"
    "powiedz mi|chcę wiedzieć|chciałbym wiedzieć|chciałabym wiedzieć|czy ktoś wie|"
    "скажите|скажите пожалуйста|подскажите|подскажи|скажи|расскажите|объясните|хочу знать|кто-нибудь знает|"
    "haluan tietää|tietääkö joku|kertokaa|spuneți-mi|vreau să știu|söyleyin|bilmek istiyorum"
)
_ASKING = (
    "what|what's|who|who's|whom|whose|which|where|where's|when|why|how|"
    "was|wer|wem|wen|wessen|welche[rsnm]?|wo|wohin|woher|wann|warum|wieso|weshalb|wie|wieviele?|"
    "quels?|quelles?|qui|quand|où|pourquoi|comment|combien|qué|quién|quiénes|cuál|cuáles|cuándo|dónde|cómo|"
    "cuánt[oa]s?|chi|qual[ei]?|quando|dove|perché|quant[oaie]|quem|quais|onde|quantos|quantas|"
    "wat|welke?|waar|wanneer|waarom|hoe|hoeveel|vad|vem|vilken|vilket|vilka|var|när|varför|hur|"
    "hvad|hvem|hvilken|hvilket|hvilke|hvor|hvornår|hvorfor|hvordan|hva|når|"
    "kto|jaki|jaka|jakie|który|która|które|gdzie|kiedy|dlaczego|jak|ile|"
    "co|kdo|který|která|které|kde|kdy|proč|kolik|"
    "что|кто|какой|какая|какое|какие|где|когда|почему|зачем|как|сколько|хто|який|яка|які|де|коли|чому|скільки|"
    "mikä|mitä|kuka|missä|milloin|miksi|miten|kuinka|hol|mikor|miért|hogyan|mennyi|hány|"
    "cine|unde|când|câți|câte|kim|hangi|nerede|neden|nas\u0131l|kaç|"
    "τι|ποιος|ποια|ποιο|πού|πότε|γιατί|πώς|πόσο|πόσα|πόσοι"
)
# Words that ask in one language, and begin other sentences in another.
_AMBIGUOUS = "come|ki|mi|ce|care|cum"
# What asks for a yes or a no where a sentence begins with it, and behind a request.
_INVERTED = "is|are|does|did|was|were|should|could"
_WHETHER = "if|whether|ob|si|se|of|om|czy|ли|jestli"
_LEAD = re.compile(rf"(?:{_LEADS})[,:]? (?=\S)", re.IGNORECASE)
_REQUEST = re.compile(rf"(?:{_REQUESTS})[,:]? (?=\S)", re.IGNORECASE)
_WORD = re.compile(rf"(?:{_ASKING}|{_INVERTED})\b", re.IGNORECASE)
_REQUESTED = re.compile(rf"(?:{_ASKING}|{_AMBIGUOUS}|{_WHETHER})\b", re.IGNORECASE)
_STOPS = ".!:;\u2026"
_MOST_LEADS = 2
_LEAST_WORDS = 4


def asks_unmarked(sentence: str) -> bool:
    """Say whether a sentence begins as a question does, or asks to be told something.

    A statement may begin so as well: "When we came to Oslo, Anna was ill", "Who pays late owes 5 %." What has a comma
    or a full stop is none, but where it asks to be told.
    """
    rest = " ".join(sentence.replace("’", "'").split())
    if len(rest.split()) < _LEAST_WORDS:
        return False
    for _ in range(_MOST_LEADS):
        if lead := _LEAD.match(rest):
            rest = rest[lead.end() :]
    if request := _REQUEST.match(rest):
        return _REQUESTED.match(rest, request.end()) is not None
    return _WORD.match(rest) is not None and "," not in rest and rest[-1] not in _STOPS
