"""What English questions refer to."""

from .patterns import compiled
from .question_patterns import QuestionPhrases

# Texts; and parts and kinds of them, which may also be things that are asked about.
_TEXT = r"(?:texts?|passages?|excerpts?|extracts?|snippets?|paragraphs?|articles?|contexts?)"
_PART = (
    r"(?:documents?|documentation|docs|sections?|subsections?|chapters?|sources?|transcripts?"
    r"|descriptions?|summary|contents?|materials?|information)"
)
_SHOWN = r"(?:tables?|figures?|charts?|diagrams?|lists?|examples?|pages?|images?)"
_OTHER = r"(?:guides?|manuals?|handbooks?|notices?|reports?|stor(?:y|ies)|essays?|sentences?)"
_GIVEN = r"(?:given|provided|supplied|present|accompanying|quoted|cited|retrieved|above)"
# What may follow such a noun so that it is not a part of another: "this text field".
_END = (
    r"(?='s\b|s'|\s?(?:$|[?!.,;:()–—…])|\s(?:is|are|was|were|be|do|does|did|has|have|had|can|could"
    r"|will|would|should|may|must|and|or|but|to|for|about|by|with|as|at|in|on|if|when|where|which"
    r"|that|who|what|why|how|it|they|you|he|she|we|i|there|not|says?|said|states?|stated|mentions?"
    r"|mentioned|describes?|described|discuss\w*|listed|given|provided|above|below|appl(?:y|ies)"
    r"|covers?|means?|shows?|explains?|refers?)\b)"
)
_STOP = r"(?=\s?(?:$|[?!.,;:)]))"
# "this text field", "this section of the line"
_NO_THING = (
    r"(?! (?:fields?|box(?:es)?|menus?|viewers?|editors?|types?|formats?|files?|messages?|areas?"
    r"|layouts?|styles?|managers?|numbers?|names?|sizes?|bars?|views?|cells?|rows?|columns?|icons?"
    r"|tags?|tools?|scanners?|breaks?|of)\b)"
)
# Done by or in a text, and to what it is about.
_TOLD = (
    r"(?:mentioned|described|discussed|stated|noted|outlined|explained|defined|cited|quoted"
    r"|referred to|referenced|addressed|highlighted)"
)
_LISTED = (
    rf"(?:{_TOLD}|listed|shown|given|specified|presented|named|covered|indicated|detailed|depicted"
    r"|illustrated|set out|provided|recommended|contained)"
)
_SAYS = (
    r"(?:(?:say|mention|describe|discuss|explain|argue|mean|suggest|recommend|conclude|refer|define"
    r"|specify|indicate|emphasi[sz]e|imply|contain|provide|give|tell|think|believe|write|compare"
    r"|consider|warn|advise)s?(?=\s?(?:$|[?!.,;:])|\s(?:about|as|for|of|on|in|to|that|is|are|how"
    r"|what|when|which|who|why|where|any|the|a|an|at|by|with|regarding|instead|also|it|against)\b)"
    # nouns as well: "How does the document list work?"
    r"|(?:state|list|report|name|note|address|cover|claim|cite|highlight|present)s?"
    r"(?=\s?(?:$|[?!.,;:])|\s(?:about|as|that|how|what|which|who|why|any|the|a|an|for|regarding"
    r"|concerning)\b))"
)
_TOLD_OR_SHOWN = rf"(?:{_TOLD}|given|presented|depicted|illustrated|shown)"
_SHOWS = rf"(?:(?:show|illustrate|depict|indicate)\b|tells? (?:us|you|the reader)\b|{_SAYS})"
_ORDER = (
    r"(?:first|second|third|fourth|fifth|sixth|last|final|next|previous|other|opening|closing|same"
    r"|two|three|four|five|first two|last two|second-to-last)"
)
# "the first", "both of the", "each"
_ONE_OF = rf"(?:(?:both|each|either|neither)(?: of (?:the|these))?|the)(?: {_ORDER})?"
_NUMBER = r"(?:(?:no\.? |number |#)?\d{1,3}|(?-i:[A-E])|one|two|three)(?![\w-])"
# Texts that have numbers, but not parts of a law, and not of something that the question names.
_NUMBERED = (
    rf"(?:(?:text|passage|excerpt|extract|snippet|context)s? {_NUMBER}"
    rf"|(?:document|source|table|figure|chart|diagram|example)s? {_NUMBER}"
    r"(?!.* (?:of|in|from|on) (?:the )?(?-i:[A-Z]).{1,40}'s\b))(?! of\b)"
)
_ABOUT = r"(?:about|on|regarding|concerning|as to|for|of)"
_IN_ONE = rf"(?:in|by|on|within|throughout) {_ONE_OF} (?:{_TEXT}|{_PART}|tables?){_END}"
# "using the text", at the start
_USING = (
    r"^\W*(?:please )?(?:(?:by )?(?:using|considering|reading|comparing|consulting|analy[sz]ing"
    r"|examining|looking at|referring to)|after reading|having read|given|with(?: the help of)?"
    r"|taking(?: into account)?|in view of|from|(?:with|by) reference to|drawing on|relying on"
    r"|on the basis of|judging by|(?:based|based only"
    r"|based solely) (?:up)?on)(?: only| solely)?"
)
_WRITER = r"(?:author|writer|narrator|speaker)"
# "the following day"
_NOT_TIME = (
    r"(?! (?:day|morning|evening|afternoon|night|week|weekend|month|year|season|spring|summer"
    r"|autumn|fall|winter|\w+day|century|decade|term|semester|quarter|hour|minute|train|bus|ferry"
    r"|flight|departure)s?\b)"
)

_REFERS = compiled(
    # "according to the passage", "based on the given information"
    r"\b(?:according|referring) to (?:(?:the|this|these|that|your) )?"
    rf"(?:{_GIVEN} )?(?:{_TEXT}|{_PART}|{_SHOWN}|{_WRITER}s?|above|following)"
    rf"(?: (?:given|provided|supplied|above|below))?{_END}"
    r"|\b(?:based (?:up)?on|as per|per|judging (?:by|from)|in (?:the )?light of) "
    rf"(?:(?:the|this|these) (?:{_GIVEN} )?|{_GIVEN} )(?:{_TEXT}|{_PART}|{_SHOWN}|above)"
    rf"(?: (?:given|provided|supplied|above|below))?{_END}"
    # "in this document", "the given text"
    rf"|\b(?:this|these) (?:{_GIVEN} )?(?:(?:short|whole|entire|particular) )?"
    rf"(?:{_TEXT}|{_PART}|{_SHOWN}|{_OTHER})\b(?!-){_NO_THING}"
    rf"|\bthe (?:{_GIVEN}|following|preceding) (?:{_TEXT}|{_SHOWN}){_END}"
    rf"|\b(?:in|from|using) the (?:{_GIVEN}|following|preceding) {_PART}{_END}"
    rf"|\bthe (?:{_TEXT}|{_PART}|{_SHOWN}) (?:above|below){_END}"
    r"|\b(?:aforementioned|above-?mentioned|before-mentioned|below-mentioned)\b"
    rf"|\bthe above{_END}|\bsee (?:above|below)\b|\bas (?:above|below|follows)\b"
    rf"|\b(?:of|to|are|is|do|does) the following\b{_NOT_TIME}"
    # "mentioned above", "previously described"
    rf"|\b{_LISTED} (?:above|below)(?=\s?(?:$|[?!.,;:)])|\s(?:is|are|was|were|do|does|did|and"
    rf"|or)\b)"
    rf"|\b{_TOLD} (?:here|earlier|previously|herein)(?=\s?(?:$|[?!.,;:)])|\s(?:is|are|was|were)\b)"
    rf"|\b(?:previously|earlier|just|above|earlier-) ?{_TOLD}\b"
    # "listed in the document", "given in the table"
    rf"|\b{_LISTED} (?:in|by|on|within|throughout) the (?:{_TEXT}|{_PART}){_END}"
    rf"|\b(?:{_TOLD}|given|presented|depicted|illustrated) (?:in|by|on) the {_SHOWN}{_END}"
    # "what the section says", "does the author recommend"
    r"|\b(?:does|do|did|can|could|would|that|what|how|which|why) the "
    rf"(?:{_TEXT}|{_PART}|{_WRITER}) (?:\w+ly )?(?:{_SAYS}|said\b)"
    rf"|\b{_WRITER} of (?:the|this) (?:{_TEXT}|document|chapter)\b(?!-){_NO_THING}"
    rf"|\b(?:does|do|did) the {_SHOWN} (?:show|illustrate|depict|indicate|suggest|tell|say)\b"
    rf"|\b(?:the|this) {_WRITER}'s (?:\w+ )?(?:opinion|views?|point|argument|claim|purpose|tone"
    r"|attitude|message|conclusion|intention|position|reasoning|thesis|words)\b"
    rf"|\bwho (?:is|was) the {_WRITER}{_STOP}"
    r"|\b(?:main|central|key) (?:idea|point|theme|message|topic|subject|purpose) of the "
    rf"(?:{_TEXT}|document|section|chapter){_END}"
    rf"|\bwhat (?:is|was|are|were) (?:{_NUMBERED}|{_ONE_OF} (?:{_TEXT}|{_SHOWN}|{_OTHER}|documents?"
    r"|sections?|chapters?)) (?:mainly |all |really )?about\b"
    # "does the second passage say", "does passage 2 give"
    rf"|\b(?:does|do|did|can|could|would|that|what|how|which|why) (?:{_ONE_OF} (?:{_GIVEN} )?"
    rf"(?:{_TEXT}|documents?|documentation|sections?|chapters?|transcripts?|descriptions?|summary"
    rf"|{_SHOWN})(?: (?:above|below))?|{_NUMBERED}) (?:both |all |\w+ly )?(?:{_SHOWS}|said\b)"
    rf"|\bwhich (?:passage|excerpt|snippet|of (?:the|these)(?: {_ORDER})? "
    rf"(?:texts|passages|excerpts|snippets|paragraphs|documents|articles)) {_SHOWS}"
    rf"|\b(?:do|did) (?:both|the)(?: of the)?(?: {_ORDER})? (?:texts|passages|excerpts|extracts"
    r"|snippets|paragraphs|articles|documents) (?:have in common|agree|disagree)\b"
    # "according to passage 2", "described in the first section"
    rf"|\b(?:according to|based (?:up)?on|as per|using|considering) {_NUMBERED}"
    rf"|\b{_LISTED} (?:in|by|on) {_NUMBERED}"
    rf"|\b(?:according to|based (?:up)?on|as per) {_ONE_OF} (?:{_TEXT}|{_PART}|{_SHOWN}){_END}"
    rf"|\b(?:{_LISTED}|said|written) {_IN_ONE}"
    rf"|\b{_TOLD_OR_SHOWN} (?:in|by|on) {_ONE_OF} {_SHOWN}{_END}"
    rf"|\b(?:learn|learned|learnt|concluded?|inferred|infer|deduced?) from {_ONE_OF} {_TEXT}{_END}"
    rf"|^\W*in {_NUMBERED}(?=\s?[,:])"
    # "provided about dogs in the document"
    rf"|\b(?:{_LISTED}|said|written|learn(?:ed|t)?) {_ABOUT} (?:\S+ ){{1,8}}(?:in|by|within) "
    rf"{_ONE_OF} (?:{_TEXT}|documents?|sections?|chapters?|transcript|information){_STOP}"
    # "From the information given, …", "Using the text, …"
    rf"|{_USING} {_ONE_OF} (?:{_GIVEN} )?(?:{_TEXT}|{_PART}|{_SHOWN})"
    rf"(?: (?:in|from) {_ONE_OF} (?:{_TEXT}|{_PART}|tables?))?"
    rf"(?: (?:{_GIVEN}|below|together|alone|into account|you (?:have|are given)))?(?=\s?[,:;–—])"
    r"|^\W*from the (?:details|facts|data) (?:given|provided|stated|above)(?=\s?[,:])"
    rf"|^\W*(?:please )?(?:use|read|consult|refer to|look at) {_ONE_OF} (?:{_GIVEN} )?"
    rf"(?:{_TEXT}|information|document|table|description)(?: (?:{_GIVEN}|below))?"
    r"(?=\s?[,:;.–—]|\s(?:and|to)\b)"
    rf"|\b(?:in|from|using|with|of|on|per|by) the (?:{_TEXT}|{_PART}|{_SHOWN}) (?:given|provided"
    r"|supplied|presented|shown|quoted)(?=\s?(?:$|[?!.,;:)])|\s(?:is|are|do|does|mentions?|says?"
    r"|describes?|states?)\b)"
    rf"|^\W*in {_ONE_OF} (?:{_TEXT})(?=\s?[,:])"
)
_LOOSELY = compiled(
    r"\b(?:in|from|within|throughout) the (?:text|passage|excerpt|snippet|article|paragraph|context"
    r"|transcript)(?=\s?(?:$|[?!,;:)])|\s(?:about|and|or|that|does|do|did|is|are|was|were)\b)"
    rf"|\bin the examples?{_STOP}"
)
_ASKS_HOW = compiled(
    r"\W*(?:(?:how|where|when|what|which(?: \w+)?|why) )?(?:do|does|can|should|must|may|could"
    r"|would|will) (?:i|you|we|one|users?|people)\b|\W*how to\b"
)

# -- pronouns --------------------------------------------------------------------------------------

_BE = r"(?:is|are|was|were)"
_AUX = (
    r"(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|shall|should|may|might|must"
    r"|don't|doesn't|didn't|isn't|aren't|wasn't|weren't|can't|won't)"
)
# How a question begins before its verb, without a name for anything.
_BEGIN = (
    r"\W*(?:(?:and|but|so|then|well|ok|okay|please|also|now|hi|hello),? )*"
    r"(?:(?:in|on|at|for|from|to|with|by|of|about|after|before|since|until|under|during|into) )?"
    r"(?:(?:(?:what|which) (?:year|month|day|date|city|country|place|colou?r|size|kind|sort|type"
    r"|age"
    r"|language|direction|way|price|time)|what|when|where|why|whom|whose|which|who|how many times"
    r"|how \w+|how)(?: (?:else|exactly|time|then))? )?"
)
# "it" stands for nothing: "Is it true that …", "How long does it take to …", "Does it rain …"
_FOR_NOTHING = (
    r"(?!.*\b(?:to (?!\W*$)|that|when|if|whether|because|before|until|who|which|where|how|like|than"
    r"|rain\w*|snow\w*|freez\w*|dark|light|cold|hot|warm|late|early|time|day|from|tide|noon"
    r"|midnight"
    r"|bus(?:y|ie\w+)|quiet\w*|best|better|worth|cheap\w*|safe\w*|possible|necessary|eas\w+|hard"
    r"|difficult|common|normal|usual|important|legal|illegal|summer|winter|spring|autumn|\w+day)\b)"
)
_NOT_TIME_OF = (
    r"(?!\W*(?:what|how) (?:time|day|date|late|early|cold|hot|warm|dark|far|long|light) (?:is"
    r"|was) )"
)
_ON = (
    r"(?=\s?(?:$|[?!.,;:])|\s(?:in|on|at|for|from|with|by|about|after|per|during|under|here|there"
    r"|again|now|today|online|alone|separately|abroad|free)\b)"
)
# "this" or "that" without a noun
_BARE = (
    r"(?=\s?(?:$|[?!.,;:])|\s(?:be|cost|work|works|mean|happen|apply|take|last|end|start|begin|need"
    r"|allowed|possible|free|required|included|decided|done|made|built|called|valid|true|necessary"
    r"|used|sold|paid|calculated|defined|implemented|introduced|changed|fixed|for|in|on|at|about"
    r"|from|happening|working)\b)"
)
_ACTOR = r"(?:i|you|we|one|people|somebody|someone)"
_IT = r"(?P<pronoun>it|them|him|this|that|these|those)"

_OPEN = tuple(
    map(
        compiled,
        (
            # What does it cost? Is it open?
            rf"{_NOT_TIME_OF}{_BEGIN}{_AUX} (?P<pronoun>it){_FOR_NOTHING}(?= \w)",
            # Where is it?
            rf"{_NOT_TIME_OF}{_BEGIN}{_BE} (?P<pronoun>it){_STOP}",
            rf"{_BEGIN}{_AUX} (?P<pronoun>he|she)\b(?![,-])",
            # "they" may be anybody: "Do they accept cards on the Skarn ferry?"
            rf"{_BEGIN}{_AUX} (?P<pronoun>they)(?! (?:call|say|mean)\b)(?: \w+){{1,2}}{_STOP}",
            rf"{_BEGIN}(?:{_AUX}|of|with|for|about) (?P<pronoun>this|that|these|those){_BARE}",
            rf"{_BEGIN}{_BE} (?P<pronoun>its|his|her|their) \w",
            # How do I cancel it? Who built it?
            rf"{_BEGIN}{_AUX} {_ACTOR} (?:(?:have to|need to|want to|ever|still|also) )?\w+ "
            rf"(?:(?:up|off|on|out|back|for|to|with|in|about|from) )?{_IT}{_ON}",
            rf"\W*how to \w+ {_IT}{_ON}",
            rf"\W*what happen(?:s|ed) to {_IT}{_ON}",
            rf"\W*(?:and |but |so )?(?:who|what) (?!(?:is|are|was|were|time|else)\b)\w+ {_IT}{_ON}",
        ),
    )
)
PHRASES = QuestionPhrases(_REFERS, _LOOSELY, _ASKS_HOW, _OPEN)
