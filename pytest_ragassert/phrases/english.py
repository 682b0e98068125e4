"""English phrases."""

from ..words.language import word_set
from .table import END, STOP, Phrases, compiled, opening

_KIND = r"(?:contexts?|documents?|passages?|excerpts?|knowledge base|search results)"
_GIVEN = r"(?:provided|given|retrieved|supplied|available|above)"
_SOURCES = (
    r"(?:(?:the|this|these|your|any|my) )?"
    rf"(?:{_GIVEN} )?"
    rf"(?:{_KIND}|sources?|text|information)"
)
# "According to sources, he resigned" says whose word it is.
_THESE_SOURCES = (
    rf"(?:the|this|these|your|my) (?:(?:{_GIVEN} )?{_KIND}|{_GIVEN} (?:sources?|text|information))"
)
_NOT = r"(?: not|n't)"

# What an answer opens with before it says anything.
_LEADS = opening(
    r"(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening|day))"
    rf"(?: there| all| everyone)?{STOP}",
    r"(?:sure(?: thing)?|certainly|of course|absolutely|yes|yeah|no(?!\. ?\d)|okay|ok|well)"
    rf"{STOP}(?:\s?but\b(?! for\b))?",
    rf"(?:unfortunately|regrettably)(?:{STOP}|\b(?! (?:for|named|placed|timed|worded)\b)(?!-))",
    rf"(?:(?:i am|i'm|we are|we're) )?(?:very |so |really )?sorry(?:,? but\b|{STOP})",
    rf"(?:i apologi[sz]e|my apologies|apologies)(?:,? but\b|{STOP})",
    rf"(?:that's an? |that is an? )?(?:great|good|excellent) question{STOP}",
    rf"(?:based on|according to) {_THESE_SOURCES},",
)
# Thanks, offers, refusals, and not knowing. "We" often speaks for a firm: "we don't charge".
_NOTHING = opening(
    rf"(?:many )?thank(?:s| you)\b[^.!?,]{{0,80}}{END}",
    rf"(?:you're|you are) (?:very |most )?welcome{END}",
    r"(?:please )?(?:let me know|feel free|do(?: not|n't) hesitate)\b",
    r"(?:i )?hope (?:this|that|it) (?:helps|answers|clarifies)\b",
    r"if you\b.{0,120}\b(?:let me know|feel free|just ask|i'm happy|i am happy|i'd be happy"
    r"|not hesitate|n't hesitate)\b",
    r"(?:(?:i am|i'm|i'd be|i would be|we are|we're) )?(?:happy|glad|here) to (?:help|assist)\b",
    r"is there anything\b|would you like\b|have a (?:nice|great|good)\b",
    r"i (?:(?:do|did|could|can) not|(?:do|did|could|ca)n't|cannot) (?:know|find|see|locate|answer"
    r"|help|assist|say|tell|determine|provide|confirm|verify|comply|discuss)\b",
    r"i (?:do not|don't) have (?:any |enough |the |that |this |an |access|sufficient )",
    r"i have (?:no|not enough|insufficient) (?:(?:relevant|specific|such|further) )?"
    r"(?:information|idea|data|knowledge|details?|answer|access|records?)\b",
    r"we (?:(?:do|did|could|can) not|(?:do|did|could|ca)n't|cannot) (?:know|find|determine|say)\b",
    r"we (?:have no|(?:do not|don't) have (?:any |enough |the |that |this )?)"
    r"(?:(?:relevant|specific|such|further) )?information\b",
    r"i(?:'m| am|'ve been| was) (?:not sure|unsure|unable|not able|uncertain)\b",
    r"(?:there (?:is|was) )?(?:no|not enough|insufficient) "
    r"(?:(?:relevant|specific|such|further) )?(?:information|mention|details?|answer) "
    r"(?:(?:is|was|are|were) )?(?:available|provided|given|found|in|of|about|on|regarding|to)\b",
    rf"{_SOURCES}(?: provided| given)? (?:do|does|did){_NOT} (?:\w+ )?"
    r"(?:say|state|mention|contain|provide|specify|include|give|cover|discuss|address|indicate"
    r"|answer|describe|explain|tell|have)\b",
    rf"none of {_THESE_SOURCES} (?:say|state|mention|contain|provide|specify|give|cover)s?\b",
    rf"there (?:is|was) nothing (?:[^,;:]{{0,80}} )?in {_THESE_SOURCES}\b",
    r"(?:(?:that|this|it)(?:'s| is| was) )?(?:not (?:stated|mentioned|specified|provided|found"
    rf"|available|known)|unknown|n/a){END}",
    rf"(?:that|this|it) (?:is|was)n't (?:stated|mentioned|specified|provided|known){END}",
    r"here(?:'s| is| are)\b[^:]{0,200}:\s*$",
    r"as an ai\b|i apologi[sz]e\b|my apologies\b|i must decline\b|i (?:won't|will not) \w+",
    rf"no idea{END}",
)
_NOT_IN_SOURCES = compiled(
    r"(?:\bnot|\bnever|n't) (?:be |been )?(?:mentioned|stated|specified|given|provided|included"
    rf"|covered|found|discussed)(?: anywhere)? (?:in|by) {_SOURCES}"
)

# Clauses

_AUX = (
    r"(?:(?:is|are|was|were|has|have|had|does|do|did|could|must|should|would)(?:n't)?"
    r"|can|cannot|can't|may|might|shall|will|won't)"
)
_ONE = r"(?:is|was|has|does)(?:n't)?"  # "the isle and the town" would take another verb
# Verbs in forms that are seldom a noun's.
_VERB = (
    r"(?:departs|arrives|opens|closes|begins|lasts|weighs|allows|accepts|includes|sells|serves"
    r"|requires|applies|contains|remains|becomes|belongs|depends|provides|operates|carries"
    r"|costs (?:about )?[\d€$£]|runs (?:every|daily|from|on|at|until|only))"
)
_DETERMINER = r"(?:the|an?|its|their|his|her|our|your|my|all|each|every|no|some|many|most)"
_PRONOUN = r"(?:it|he|she|they|we|you|i)(?: [a-z]|'(?:s|re|ll|d|ve|m)\b)"
_WORD = (
    r"(?!(?:that|which|who|whom|whose|where|when|if|because|and|or|but|than|as|it|he|she|they|we"
    r"|you|i)\b)(?:[\w-]|'){1,30}"
)
_NOUN = rf"(?:{_DETERMINER}(?: {_WORD}){{1,4}}?|(?-i:[A-Z])[\w-]{{1,30}}(?: {_WORD}){{0,3}}?)"
# In order: what follows a weak "and", what follows a semicolon, what follows any.
_JOINTS = compiled(
    r"(?:(?P<semicolon>; )(?:(?:and|but|however|therefore|moreover|otherwise|instead),? )?"
    r"|, (?:(?P<listed>and)|but|while|whereas|so(?! that\b)|yet) "
    r"|(?P<bare>(?<!,) and ))"
    r"(?=(?P<alone>(?(bare)(?:it|they)(?: [a-z]|'(?:s|re|ll|d|ve)\b)"
    rf"|(?:{_PRONOUN}|there(?:'s\b| {_AUX}\b)|(?:this|that|these|those) {_AUX}\b)))"
    rf"|(?(bare)(?:there {_AUX}|this {_ONE}|(?:he|she) (?!(?:are|were|have|do)\b)[a-z])|(?!))"
    rf"|(?(semicolon)[^;]{{0,80}}?\b(?:{_AUX}\b|{_VERB}|{_PRONOUN})|(?!))"
    rf"|{_NOUN} (?:(?(bare){_ONE}|{_AUX})(?![\w-])|{_VERB}))".replace("'-]", "-]")
)
_FINITE = compiled(
    rf"\b(?:{_AUX}|{_VERB}|runs|ran|costs?|takes?|took|leaves|left|needs?|needed|opened|closed"
    r"|started|ended|starts|ends|uses|used|offers?|covers?|holds|held|lies|stands|stood|made|gave"
    r"|goes|went|comes|came)\b"
    r"|^\W*(?:it|he|she|they|we|you|i)(?: [a-z]|')"
)
_BOUND = compiled(
    r"\b(?:that|which|who|whom|whose|where|when|whether|if|because|between|both|either|neither"
    r"|than|says?|said|unless|although|while)\b"
)
_OPENS = compiled(
    r"\W*(?:(?:al)?though|if|when|whenever|while|whether|because|unless|until|since|once|before"
    r"|after|as|not|neither|either|both|between) "
)

PHRASES = Phrases(
    leads=_LEADS,
    nothing=_NOTHING,
    not_in_sources=_NOT_IN_SOURCES,
    # Also where a bare "I don't know" goes on with what is known.
    turns=compiled(
        r"[,;] (?:but|however|although|though),? "
        rf"|(?:(?<=t know)|(?<=not sure)|(?<=no idea))[,;:] (?={_PRONOUN}|the |there {_AUX}\b)"
    ),
    joints=_JOINTS,
    finite=_FINITE,
    bound=_BOUND,
    opens=_OPENS,
    opinion=word_set("""amazing awesome awful bad beautiful believe best better boring choice enjoy
        excellent fantastic favorite favourite feel fine fun good great happy hate helpful hope
        idea important interesting like love lovely nice opinion perfect personally pleasure pretty
        question really terrible think wonderful worst"""),
    yes_no=opening(
        r"(?:yes|yeah|yep|no|nope)(?:(?:,|[.!])? (?:it|he|she|they|there|that|this|you|we|i)"
        r" (?:(?:is|was|does|did|has|can|will|are|were|do|have)(?: not|n't)?|cannot|can't|won't))?"
        rf"{END}"
    ),
)
