"""English phrases."""

from ..words.language import word_set
from .patterns import END, STOP, Phrases, compiled, opening

_KIND = r"(?:contexts?|documents?|passages?|excerpts?|knowledge base|search results)"
_GIVEN = r"(?:provided|given|retrieved|supplied|available|above)"
_SOURCES = (
    r"(?:(?:the|this|these|your|any|my) )?"
    rf"(?:{_GIVEN} )?"
    rf"(?:{_KIND}|sources?|text|information)"
)
# "According to sources, he resigned" names the source of a statement.
_THESE_SOURCES = (
    rf"(?:the|this|these|your|my) (?:(?:{_GIVEN} )?{_KIND}|{_GIVEN} (?:sources?|text|information))"
)
_NOT = r"(?: not|n't)"
_REALLY = (
    r"(?:(?:really|honestly|truly|simply|just|genuinely|actually|currently|still|also|unfortunately"
    r"|sadly) )?"
)
_DO_NOT = r"(?:(?:do|did|could|can|would) not|(?:do|did|could|ca|would)n't|dont|cant|cannot)"
# "I don't have any doubt" says something.
_NO_DOUBT = r"(?!(?:\w+ ){0,2}(?:doubts?|hesitation|objections?|reservations?|problem|reason)\b)"

# How an answer begins before it says anything.
_LEADS = opening(
    r"(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening|day))"
    rf"(?: there| all| everyone)?{STOP}",
    r"(?:sure(?: thing)?|certainly|of course|absolutely|yes|yeah|no(?!\. ?\d)|okay|ok|well)"
    rf"{STOP}(?:\s?but\b(?! for\b))?",
    rf"(?:unfortunately|regrettably)(?:{STOP}|\b(?! (?:for|named|placed|timed|worded)\b)(?!-))",
    rf"(?:(?:i am|i'm|we are|we're) )?(?:very |so |really )?sorry(?:,? but\b|{STOP})",
    rf"(?:i apologi[sz]e|my apologies|apologies)(?:,? but\b|{STOP})",
    rf"(?:that's an? |that is an? )?(?:great|good|excellent) question{STOP}",
    rf"(?:based on|according to|from) {_THESE_SOURCES}(?: (?:provided|given|supplied|above))?,",
    r"(?:honestly|frankly|to be honest|hmm+|sadly|alas)(?:,|[.…]+)",
    r"i(?:'m| am) afraid(?: that)?,? (?=(?:i|we|the|this|that|there|it|no)\b)",
    r"(?:the |my |final )?answer:",
)
# Thanks, offers, refusals, and not knowing. "We" often means a firm: "we don't charge".
_NOTHING = opening(
    rf"(?:many )?thank(?:s| you)\b[^.!?,]{{0,80}}{END}",
    rf"(?:you're|you are) (?:very |most )?welcome{END}",
    r"(?:please )?(?:let me know|feel free|do(?: not|n't) hesitate)\b",
    r"(?:i )?hope (?:this|that|it) (?:helps|answers|clarifies)\b",
    r"if you\b.{0,120}\b(?:let me know|feel free|just ask|i'm happy|i am happy|i'd be happy"
    r"|not hesitate|n't hesitate)\b",
    r"(?:(?:i am|i'm|i'd be|i would be|we are|we're) )?(?:happy|glad|here) to (?:help|assist)\b",
    rf"for (?:more|further|additional) (?:information|details?|info),? (?:please )?(?:see|refer to)"
    rf"(?: also)?(?: (?:the )?(?:sources?|references?|links?|citations?)(?: above| below)?)?{END}",
    r"let(?:'s| us) (?:now )?(?:take a (?:closer )?look|look|walk through|dive|explore|break)\b",
    r"is there anything\b|would you like\b|have a (?:nice|great|good)\b",
    rf"i {_REALLY}{_DO_NOT} {_REALLY}(?:know|find|see|locate|answer"
    r"|help(?! (?:but|\w+ing)\b)|assist|say|tell|determine|provide|confirm|verify|comply|discuss"
    r"|recall|remember)\b",
    rf"i {_REALLY}(?:do not|don't) {_REALLY}have {_NO_DOUBT}"
    r"(?:any |enough |the |that |this |an |access|sufficient )",
    rf"i {_REALLY}have (?:no|not enough|insufficient) (?:(?:relevant|specific|such|further) )?"
    r"(?:information|idea|clue|data|knowledge|details?|answer|access|records?|way of knowing)\b",
    r"i (?:haven't|have not) (?:a|the (?:faintest|foggiest|slightest|remotest)|any) "
    r"(?:idea|clue)\b",
    rf"(?:that is|that's|this is|it's) not something i (?:know|can answer){END}",
    r"we (?:(?:do|did|could|can) not|(?:do|did|could|ca)n't|cannot) (?:know|find|determine|say)\b",
    r"we (?:have no|(?:do not|don't) have (?:any |enough |the |that |this )?)"
    r"(?:(?:relevant|specific|such|further) )?information\b",
    rf"i(?:'m| am|'ve been| was) {_REALLY}(?:not (?:\w+ )?(?:sure|certain)|unsure|unable|not able"
    r"|uncertain|unaware|not aware)\b",
    r"(?:there's |there (?:is|was)(?: not|n't)? )?(?:no|not enough|enough|insufficient|any) "
    r"(?:(?:relevant|specific|such|further) )?(?:information|mention|details?|answer|data) "
    r"(?:(?:is|was|are|were) )?(?:available|provided|given|found|in|of|about|on|regarding"
    r"|to)\b",
    rf"{_SOURCES}(?: provided| given)? (?:do|does|did){_NOT} (?:\w+ )?"
    r"(?:say|state|mention|contain|provide|specify|include|give|cover|discuss|address|indicate"
    r"|answer|describe|explain|tell|have)\b",
    rf"{_SOURCES}(?: provided| given)? (?:contains?|provides?|gives?|has|have|offers?) "
    r"(?:no|insufficient|not enough) (?:\w+ )?(?:information|details?|data|answer|mention)\b",
    r"(?:the |an |any |this |that )?(?:answer|information)(?: to (?:this|that|your|the) question)? "
    r"(?:(?:is|was)(?: not|n't)|(?:can|could)(?:not| not|n't) be) (?:(?:be )?(?:found|available"
    rf"|determined|given|provided|stated|known|included|present|contained)|in {_SOURCES})\b",
    r"(?:it |this |that )?(?:cannot|can't|can not|could not|couldn't) be "
    rf"(?:determined|answered|inferred|found)(?: (?:from|by|in|with|based on) {_SOURCES})?{END}",
    rf"(?:it|that|this) (?:is|was)(?: not|n't) in {_SOURCES}{END}",
    rf"none of {_THESE_SOURCES} (?:say|state|mention|contain|provide|specify|give|cover)s?\b",
    rf"there (?:is|was) nothing (?:[^,;:]{{0,80}} )?in {_THESE_SOURCES}\b",
    r"(?:(?:that|this|it)(?:'s| is| was) )?(?:not (?:stated|mentioned|specified|provided|found"
    rf"|available|known)|unknown|n/a){END}",
    rf"(?:that|this|it) (?:is|was)n't (?:stated|mentioned|specified|provided|known){END}",
    r"it (?:is|was)(?: not|n't) (?:stated|mentioned|specified|said|clear|known) (?:whether|if|how"
    r"|when|where|why|what|which|who)\b",
    r"(?:the |this |that |your )?question (?:cannot|can't|can not) be answered\b",
    r"(?:your guess is as good as mine"
    rf"|(?:relevant |such )?information (?:was |is )?not (?:found|available|provided)){END}",
    r"here(?:'s| is| are)\b[^:]{0,200}:\s*$",
    r"as an ai\b|i apologi[sz]e\b|my apologies\b|i must decline\b",
    r"i (?:won't|will not) (?:answer|assist|help|provide|comply|discuss|be able|do|share|write"
    r"|create|give|speculate|guess|support|engage|continue|respond)\b",
    rf"(?:(?:absolutely )?no (?:idea|clue|answer|information|data)(?: (?:available|found"
    rf"|provided|given))?|(?:i )?dunno|idk|beats me|not (?:\w+ )?sure|unanswerable){END}",
)
_NOT_IN_SOURCES = compiled(
    r"(?:\bnot|\bnever|n't) (?:be |been )?(?:mentioned|stated|specified|given|provided|included"
    rf"|covered|found|discussed)(?: anywhere)? (?:in|by) {_SOURCES}"
)

# Clauses

_GOES_ON = opening(
    r"(?:(?:and|or|nor|so|as|since|because|therefore|hence) )?(?:whether|if|how|when|where|why|what"
    r"|which|who|whom|whose|that|about|regarding|concerning|as for|nor|including|such as|like"
    r"|because|although|though|unless|until|since|as|(?:(?:so|and|hence|thus|therefore),? )?(?:i"
    r"|we)"
    r" (?:(?:can|could|do|did|am|was|would)(?:n't|not| not)|can't))\b"
)
_AUX = (
    r"(?:(?:is|are|was|were|has|have|had|does|do|did|could|must|should|would)(?:n't)?"
    r"|can|cannot|can't|may|might|shall|will|won't)"
)
_ONE = r"(?:is|was|has|does)(?:n't)?"  # "the isle and the town" would take another verb
# Verbs in forms that are seldom nouns.
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

_EMPTY = word_set("""am thats theyre a an the this that these those any some it its is are was
    were be been do does did has have had i im ive id we us me my our you your he she they them
    their there theres here to of in on at by for from with about regarding concerning as if
    whether how when where why what which who whom whose or nor so such not no none nothing
    cannot cant couldnt dont doesnt didnt isnt wasnt arent wont wouldnt havent can could will
    would may might please let know knowing known find finding found see locate located answer
    answers answered answering help assist say says said state stated states tell tells
    determine determined provide provided provides confirm verify comply discuss discussed
    mention mentioned mentions contain contains contained specify specified specifies include
    included includes give given gives cover covered covers address addressed indicate indicated
    describe described explain explained present available inferred information info data detail
    details idea clue faintest foggiest knowledge access records sure certain certainty
    uncertain unsure unable able enough sufficient insufficient relevant specific specifically
    further more anything something anywhere unknown unanswerable unfortunately regrettably
    sadly honestly really truly simply just actually currently afraid sorry apologise apologize
    apologies thank thanks document* context* passage* excerpt* source* text* material*
    knowledge base search result* question* ask asked asking query topic subject matter exact
    exactly precisely based according retrieved supplied above way happy glad feel free hope
    helps need hesitate other else dunno idk beats explicitly directly ai language model respond
    aware""")
_REPORTING = word_set("""mention* contain* includ* provid* availab* cover* specif* stat*
    discuss* indicat* describ* explain* given gives found known unknown present says say""")
PHRASES = Phrases(
    leads=_LEADS,
    nothing=_NOTHING,
    not_in_sources=_NOT_IN_SOURCES,
    closings=compiled(
        r"[,.;]? (?:(?:i'm |i am )?(?:so |very |really |terribly )?sorry"
        r"(?: about that| for that| for the inconvenience)?|unfortunately|i(?:'m| am) afraid"
        rf"|my apologies|apologies|though){END}"
    ),
    corrects=compiled(
        r",? (?:but|however|although|yet|rather) | and (?:instead |rather |only |do |does )?"
        r"(?:states?|says?|stated|said|shows?|mentions?|notes?) (?:that )?"
    ),
    exceeds=compiled(
        r"\b(?:other|more|less|fewer|rather|earlier|later|sooner|longer|better|worse) (?:[\w-]+ )"
        r"{0,3}than\b|\b(?:except|besides|apart from|aside from|nothing but|anything but)\b"
    ),
    goes_on=_GOES_ON,
    asserts=compiled(
        r"(?:[\w-]+ ){0,4}?(?:it|they|he|she) [a-z]"
        r"|(?:(?:maybe|perhaps|probably|possibly|about|roughly|around|likely) )?(?:every|each"
        r"|hourly"
        r"|daily|weekly|monthly|yearly|once|twice|always|never)\b"
        r"|(?:(?:and|but|so|yet|because|in fact|actually|instead|rather),? )?(?!(?:i|we)\b"
        r"(?! (?:think|believe|guess|suppose|know)\b)|(?:and|or|to|including)\b)"
        rf"(?:[\w-]+ ){{1,7}}?(?:{_AUX}|{_VERB}|runs|ran|costs?|takes?|took|leaves|left|opened"
        rf"|closed|starts"
        r"|ends|goes|went|comes|came|closes|travels?|needs?|says|means)(?!\w)"
    ),
    lists=compiled(r"(?:\b|^)(?:and|or|nor)\b"),
    empty=_EMPTY,
    reporting=_REPORTING,
    doubtful=compiled(
        r"\b(?:but|however|although|though|yet|except|besides|than|only|and|without)\b"
        r"|(?:\bno|\bnot|n't|\bnever|\bcannot)\b[^.,;:]*(?:\bno|\bnot|n't|\bnever|\bcannot)\b"
        r"|\b(?:say|tell|find|confirm|verify|determine|know) that (?!question\b|information\b"
        r"|in\b|for\b|from\b|with\b|based\b|i\b)\w"
    ),
    # Also if a bare "I don't know" is followed by what is known.
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
