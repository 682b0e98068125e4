"""What Japanese questions refer to."""

from .patterns import compiled
from .question_patterns import QuestionPhrases

_TEXT = (
    r"(?:文章|文書|テキスト|本文|資料|段落|記事|文脈|抜粋|セクション|節|章|ドキュメント|例|表|図"
    r"|リスト|説明)"
)
_REFERS = compiled(
    rf"(?:この|その|上記の|上の|以下の|次の|下記の|与えられた|提供された){_TEXT}(?![ァ-ヶー一-龥])"
    r"|(?:本文|文章|文中|テキスト|資料|記事|著者|筆者)(?:によると|によれば|に基づく|に基づき|では)"
    r"|本文中|文中(?=で|に|の|、)|上記|前述|上述|下記の|次のうち|以下のうち"
    r"|(?:著者|筆者)は|(?:著者|筆者)の(?:意見|主張|考え|目的)"
)
_OPEN = (
    compiled(
        r"\W*(?:では、?)?(?P<pronoun>それ|これ|あれ|彼|彼女|それら)(?:は|が)[^、。]{1,12}(?:か"
        r"|です|？|\?)[？?。]?$"
    ),
)
PHRASES = QuestionPhrases(refers=_REFERS, open=_OPEN)
