"""Questions that refer to a text by its place, its number, or what it says, and their look-alikes.

They complete `test_questions`: each group has the variants of number, case, noun and verb.
"""

from __future__ import annotations

import pytest

from pytest_ragassert.language.phrases.questions import source_words

from .test_questions import one_each

TO_TEXTS = {
    "en": """
        What does the first passage say about dogs?
        Which value does passage 2 give for the fare?
        From the information given, what is the deposit?
        What does the text state about dogs?
        Using the text, name two ports.
        Considering the two passages, which ferry is faster?
        What information is provided about dogs in the document?
        What is the example about?
        What do the two passages say about refunds?
        Which fare do both passages mention?
        According to passage 2, who travels free?
        Which date is mentioned in passage 1?
        Based on the first excerpt, when does the ferry leave?
        In the second text, who is the captain?
        Given the information above, what is the fare?
        With the information provided, can the fare be calculated?
        What is passage 2 about?
        What is the second paragraph about?
        What are the passages about?
        Which price does the table give for children?
        Which ports does the second table list?
        What does the last paragraph claim about safety?
        Using the passages, list the ports of call.
        Use the text to name two ports.
        Read the passage and name the captain.
        From the passage, what is the deposit?
        Reading the excerpt, who owns the ferry?
        What details are given for the crossing in the document?
        Which reasons are given for the closure in the section?
        What rule is described in the first section?
        What do the passages have in common?
        How does text B describe the harbour?
        What does the document report about the strike?
        Comparing the two texts, which fare is higher?
        Which of the passages provided mentions dogs?
        What can be concluded from the information given?
        Which example does the second passage give?
        What is stated in both documents about dogs?
        Which number does excerpt 3 cite?
        What does the second excerpt say regarding refunds?
        Which two ports does the last section name?
        What does the third paragraph explain about fares?
        What does passage 1 state about dogs?
        What does passage A say about dogs?
        How does passage one describe the pier?
        What is mentioned about dogs in the text?
        Using the information provided, calculate the fare.
        Given the passage, what is the deposit?
        Given the passages above, which ferry is faster?
        From the passages given, which ferry is faster?
        From the details given, what is the deposit?
        From the facts stated, what is the deposit?
        What does the text claim about the ferry?
        What does the text highlight about the ferry?
        What do the texts state about the ferry?
        What does the article report about the strike in 1921?
        What is the list about?
        What is the story about?
        What is the table about?
        What is the first example about?
        What are the examples about?
        Considering both passages, when does the ferry leave?
        Considering the passages together, when does the ferry leave?
        Taking both texts into account, which ferry is faster?
        What information is given in the text about dogs?
        What information about dogs is provided in the document?
        What information about dogs does the document provide?
        Which details about the crossing are included in the passage?
        Which value is given in the second passage?
        According to the second passage, when is the pier closed?
        According to both passages, when is the pier closed?
        In passage 2, which value is given for the fare?
        What do both texts say about the pier?
        Which of the two passages mentions the pier?
        What was said in the first text about the pier?
        What fare does the passage above give for dogs?
        What can you learn from the second passage about dogs?
        As described in the first passage, how is a ticket cancelled?
        What is shown in the table?
        What is shown in the first figure?
        Which fare is listed in the second row of the table above?
        What does the chart indicate about fares?
        With the help of the text, explain the fare zones.
        Looking at the table, which ferry is the fastest?
        Based only on the text, when does the ferry leave?
        Based on the two passages, which ferry is faster?
        Which fare does Table 1 list for children?
        What does the excerpt state about refunds?
        What does the extract tell us about the pier?
        What do the excerpts say about dogs?
        In the first paragraph, who is named as the captain?
        What information does the text provide about dogs?
        Using the given text, name the pier.
        Using the table above, what is the fare?
        Considering the text, why is the pier closed?
        Considering the information in both passages, which ferry is faster?
        From the information provided, how many ferries run?
        From the given information, how many ferries run?
        Given the information in the passage, how many ferries run?
        What information is provided on refunds in the document?
        What information is provided in the document about dogs?
        What are the two examples about?
        Which date does the second passage state?
    """,
    "de": """
        Welchen Preis nennt der erste Abschnitt für Kinder?
        Was besagt die oben stehende Tabelle über Hunde?
        Im Folgenden: Wer fährt umsonst?
        Was sagen die beiden Texte über Hunde?
        Welchen Wert nennt Passage 2 für Kinder?
        Laut Passage 2: Wer fährt umsonst?
        Was zeigt die untenstehende Abbildung?
        Was wird im ersten Abschnitt über Hunde gesagt?
        Laut dem zweiten Absatz: Wer fährt umsonst?
        Was steht im zweiten Abschnitt über Hunde?
        Worum geht es im Beispiel?
        Worum geht es im ersten Text?
        Welche Informationen werden über Hunde im Dokument gegeben?
        Nenne anhand des Textes zwei Häfen.
        Unter Verwendung des Textes: Welche Häfen gibt es?
        Mit den gegebenen Informationen: Wie hoch ist die Anzahlung?
        Welche Preise listet die Tabelle auf?
        Was ist im Folgenden mit „Fähre“ gemeint?
        Wovon handelt das Beispiel?
        Betrachtet man die beiden Abschnitte, welche Fähre ist schneller?
        Welche Regel beschreibt der letzte Absatz?
        Welche Fristen nennen die beiden Abschnitte?
        Was sagt der Text zu Hunden aus?
        Welche Preise gibt die Tabelle an?
        Welche Preise nennt der zweite Abschnitt?
        Welchen Preis nennen die Abschnitte für Kinder?
        Welchen Preis gibt der erste Abschnitt für Kinder an?
        Was besagt der erste Absatz?
        Was sagt die obenstehende Tabelle?
        Was besagen die oben stehenden Tabellen über Hunde?
        Welche Werte stehen in der oben stehenden Tabelle?
        Was zeigt die unten stehende Grafik?
        Was beschreibt der dritte Absatz?
        Im Folgenden geht es um Fähren: Welche ist die schnellste?
        Was ist im Folgenden beschrieben?
        Welche Häfen zählt der erste Text auf?
        Was erfährt man im Text über Hunde?
        Was wird im zweiten Text zu den Preisen gesagt?
        Unter Berücksichtigung der beiden Texte: Welche Fähre ist schneller?
        Welche Informationen über Hunde enthält das Dokument?
        Worum geht es in dem Beispiel?
        Was steht in der ersten Passage über den Hafen?
        Welche Meinung hat der Autor zu Nachtfähren?
        Laut erstem Abschnitt: Was kostet ein Kind?
        Was verrät der Text über den Kapitän?
        Was sagt der Text über den Kapitän aus?
        Was ist in der Tabelle oben zu sehen?
        Was zeigt die Tabelle oben?
        Welchen Wert hat die Tabelle unten für Hunde?
        Welche Angaben macht der Text zum Preis?
        Welche Preise nennt der dritte Abschnitt des Textes?
        Was besagt die obige Tabelle?
        Was besagt die oben abgebildete Tabelle?
        Im Folgenden, was gilt für Hunde?
        Im Folgenden: Welche Fähre fährt zuerst?
        Welche Fristen werden im letzten Absatz genannt?
        Was gibt der Text über den Preis an?
        Welchen Zweck nennt der Auszug?
    """,
    "ru": """
        Как в тексте определяется стоимость?
        Какую цену называет первый отрывок для детей?
        Что показано в таблице выше?
        Какова указанная в тексте цена билета?
        Что говорит второй абзац о собаках?
        Какие порты перечисляет таблица?
        Какую цену указывают оба отрывка?
        Согласно второму отрывку, кто едет бесплатно?
        Согласно отрывку 2, кто едет бесплатно?
        Какое правило описано в первом разделе?
        Используя текст, назовите два порта.
        Рассматривая два отрывка, какой паром быстрее?
        О чём этот пример?
        О чём пример?
        О чём рассказывает текст?
        Как в документе определяется понятие «пассажир»?
        Каков упомянутый в отрывке срок?
        Какая информация о собаках содержится в документе?
        Что изображено на рисунке ниже?
        Исходя из данной информации, каков залог?
        Какие условия, приведённые в тексте, относятся к детям?
        Какую скидку упоминает текст?
        Как определено слово «рейс» в тексте?
        Что сказано во втором тексте о каютах?
        Как в тексте описывается порт?
        Как в отрывке объясняется задержка?
        Как в тексте определено понятие «рейс»?
        Как определяется в тексте понятие «рейс»?
        Какие цены называет второй отрывок?
        Какие цены называют оба отрывка?
        Какую цену называет последний абзац?
        Какую цену приводит вторая таблица?
        Что указано в таблице ниже?
        Что показывает таблица выше?
        Что изображено на схеме выше?
        Каков указанный в тексте срок?
        Каковы указанные в тексте цены?
        Какие из названных в тексте портов закрыты?
        Какова приведённая в таблице цена?
        Какую сумму составляет указанный в отрывке штраф?
        Что говорится в первом отрывке о собаках?
        О чём идёт речь в первом отрывке?
        Какое значение приведено во второй таблице?
        Какой порт упомянут в обоих отрывках?
        Какое отношение автора к ночным паромам?
        Как автор относится к ночным паромам?
        Что автор думает о пароме?
        Что думает автор о пароме?
        Прочитайте текст и назовите порт.
        На основании информации из текста назовите порт.
        Сравнив оба текста, скажите, какой паром быстрее.
        Что известно из текста о капитане?
        Какую цену даёт отрывок 2?
        Какие данные приведены в таблице выше?
        Как в тексте описан порт?
        Как в данном тексте определяется цена?
        Как в статье определяется понятие рейса?
        Какие сроки называет второй фрагмент?
        Какую цену называет первая таблица?
        Какой срок указывает первый документ?
        Что показано на рисунке выше?
        Что показано в таблицах выше?
        Какова названная в отрывке цена билета?
        Каково приведённое в тексте определение рейса?
        Какие указанные в тексте цены верны?
    """,
    "zh": """
        作者对夜间渡轮有什么看法？
        节选中列出了哪些港口？
        这里描述了什么规则？
        该文档对狗有什么规定？
        第一段给出的票价是多少？
        上表显示的票价是多少？
        据资料显示，渡轮几点开？
        作者对退票持什么态度？
        作者如何看待夜间渡轮？
        笔者认为哪艘渡轮更快？
        摘录中提到了哪些费用？
        选段描述了什么？
        此处列出的费用有哪些？
        该文件中规定了哪些费用？
        此报告指出了哪些问题？
        第二段提到了哪些港口？
        第二篇文章说了什么？
        第3段中介绍的渡轮叫什么？
        下图显示了什么？
        上图中的渡轮叫什么？
        下表列出了哪些价格？
        据材料记载，灯塔建于哪一年？
        资料显示，渡轮有多少座位？
        两段文字都提到了什么费用？
        结合这两段，哪艘渡轮更快？
        据文章介绍，码头在哪？
        表中列出的票价是多少？
        这里提到的港口是哪一个？
        該文檔對狗有什麼規定？
        作者對夜間渡輪有什麼看法？
        作者对夜间渡轮的看法是什么？
        作者对夜间渡轮的态度如何？
        作者对霍尔姆港的评价是怎样的？
        作者如何评价夜间渡轮？
        作者怎么看夜间渡轮？
        作者建议怎样防止晕船？
        节选里提到了哪些港口？
        节选部分列出了哪些港口？
        该节选中列出了什么？
        这里所描述的规则是什么？
        这里介绍了哪些规则？
        此处提到的规则是什么？
        这里说明的规则是什么？
        该文档对退款有哪些要求？
        该文档规定的票价是多少？
        该文档中的票价是多少？
        该报告对渡轮的评价是什么？
        这份文件对狗有什么规定？
        文档对退款有什么说明？
        第一段中给出的票价是多少？
        第一段提供的票价是多少？
        第一段说票价是多少？
        在第一段中，票价是多少？
        第二段落提到的港口叫什么？
        第一段的主要内容是什么？
        最后一段给出的票价是多少？
        第一个例子说明了什么？
        上表中显示的票价是多少？
        上表给出的票价是多少？
        从上表看，哪艘渡轮最快？
        下表显示的票价是多少？
        根据上表，哪艘渡轮最快？
        如上图所示，哪艘渡轮最快？
        如下表所示，票价是多少？
        据资料记载，灯塔多高？
        据文中所述，灯塔多高？
        据上述资料，灯塔多高？
        根据资料显示，灯塔多高？
        表格显示的票价是多少？
        表格中列出了哪些价格？
        作者对狗上船有什么看法？
        作者对这个问题的看法是什么？
        节选中描述了什么？
        节选提到了哪些港口？
        这里提到了什么规则？
        该文档对票价做了什么规定？
        该文档中提到的票价是多少？
        第一段提到的票价是多少？
        第二段给出的价格是多少？
        上表显示的最高票价是多少？
        下表显示，哪艘渡轮最快？
        据资料显示，灯塔有多高？
        据该资料显示，灯塔有多高？
    """,
    "fr": """
        Que dit le premier passage sur les chiens ?
        Quelle valeur donne le passage 2 ?
        À partir des informations données, quel est le dépôt ?
        En utilisant le texte, citez deux ports.
        De quoi parle l'exemple ?
        Quelles informations sont fournies sur les chiens dans le document ?
        Compte tenu des deux passages, quel ferry est plus rapide ?
        Qu'indique le texte à propos des chiens ?
        Quels prix donne le deuxième paragraphe ?
        Que montre le tableau ci-dessus ?
        Que disent les deux textes sur les chiens ?
        Quel prix le deuxième passage donne-t-il ?
        Quel prix donnent les deux passages ?
        Que dit le texte à propos des chiens ?
        De quoi parlent les deux passages ?
        Dans le premier passage, quel est le prix ?
        D'après le premier passage, quel est le prix ?
        Que nous apprend le texte sur les chiens ?
    """,
    "es": """
        ¿Qué dice el primer pasaje sobre los perros?
        ¿Qué valor da el pasaje 2?
        Con la información dada, ¿cuál es el depósito?
        Usando el texto, nombra dos puertos.
        Considerando los dos pasajes, ¿qué ferri es más rápido?
        ¿De qué trata el ejemplo?
        ¿Qué información se proporciona sobre los perros en el documento?
        ¿Qué precios menciona el segundo párrafo?
        ¿Qué muestra la tabla de arriba?
        ¿Qué dicen los dos textos sobre los perros?
        ¿Qué afirma el texto sobre los perros?
        ¿Qué precio da el segundo párrafo?
        ¿Qué precio dan los dos pasajes?
        Según el primer pasaje, ¿cuál es el precio?
        En el primer pasaje, ¿qué se dice de los perros?
        Según la información proporcionada, ¿cuál es el depósito?
        A partir de la información dada, ¿cuál es el depósito?
    """,
}
TO_NO_TEXT = {
    "en": """
        How long is the first passage of the canal?
        Which text field comes first in the booking form?
        How do I open the document viewer?
        How wide is passage 2 of the ferry terminal?
        How deep are the two passages between the islands?
        Which of the two passages between Holm and Skarn is deeper?
        What does the first passage of the canal cost?
        Who may use passage 2 of the ferry terminal at night?
        Which articles does the second shop on the quay sell?
        How does the document state machine in Pagemaker 7 work?
        What does the second section of the Skarn railway cost?
        When was the last section of the pier built?
        Which bus goes to the first table of the buffet?
        What does paragraph 4 of the Harbour Act say about noise?
        What does article 12 say about dogs in the Skarn Line's terms?
        Which table does the waiter give to a group of ten?
        Which information does the harbour office provide about tides?
        What information is given on a Skarn ticket?
        What details must be given for a child in the booking form?
        Where is the information desk of Holm harbour?
        Given the storm on Friday, when does the ferry leave?
        Using the app, how do I cancel a Skarn ticket?
        Using the text editor of Pagemaker 7, how do I print a page?
        Considering the price of fuel, is the Skarn ferry cheaper than the bridge?
        From the information desk in Holm, how far is the pier?
        Comparing the Skarn ferry and the bridge, which is cheaper?
        What is the exhibition in Holm library about?
        What is the novel Emma about?
        How many ships use the first passage in winter?
        Does the second passage through the ice give ships enough room?
        How does the text message service state the delay?
        How many extracts of vanilla does the Holm bakery sell?
        Which source gives the river Holm most of its water?
        What is figure skating about?
        Which passage gives access to the car deck of the Skarn ferry?
        What does table tennis cost at Holm pool?
        Which page numbers does Pagemaker 7 give to an index?
        Why is the last paragraph of a contract called a closing clause?
        Who signs both documents when a house in Holm is sold?
        How many articles does the second edition of the Holm Review have?
        In the first section of the Skarn tunnel, how fast may lorries drive?
        How many cars fit in the first passage of the ferry Skarn?
        What does the third section of the pier walk offer?
        Which document gives the right of residence in Norway?
        Which list shows the passengers of the Skarn ferry?
        How does the second text message reach the driver?
        What figures does the Skarn Line report to the port authority?
        What does the example project in the Skarn SDK demonstrate?
        Which information about dogs do passengers need on the Skarn ferry?
        What is provided for children in the saloon of the ferry?
        What is said about the Skarn ferry in Holm?
        How are tickets listed in the Skarn app?
        From the page "Fares", how do I get to the timetable?
        Given a table of bookings, how does Pagemaker 7 sort rows?
        With the source code of Pagemaker 7, how do I build it?
        What is the museum's first exhibition about?
        What does the source file of Pagemaker 7 contain?
        Which context does the Skarn SDK give to a plugin?
        Why do the two channels between Holm and Skarn differ in depth?
        Which chapter of the Skarn club gives free lessons?
        What does a passage on the night ferry cost?
        Who reads the summary of a council meeting in Holm?
        How does the image viewer show a photo's date?
        Which page of the passport do I show at the Skarn pier?
        Does the report button in Pagemaker 7 list all errors?
        Which sections of the Skarn ferry give access to the deck?
        When does the article number of a ferry ticket change?
        Can I read the document at the Holm library after 8 pm?
        What do the documents for a boat hire in Holm cost?
        Which text shows on the display when the Skarn ferry is late?
        Which paragraph of a lease names the tenant?
        What does the document reader at Holm library cost?
        How does the page count in Pagemaker 7 change?
        Which list does Pagemaker 7 show first?
        What can a visitor learn about whales in the Holm museum?
        What is written about dogs on the Skarn ticket?
        How does Table Mountain give shelter to ships?
        Which document names the owner of a car?
        With the Skarn pass, who travels free?
        On the basis of age, who pays less?
        Given the list price, what does a cabin cost with a discount?
        How does the summary report in Pagemaker 7 list fees?
        When does the context window of the model state an error?
        Why do both documents need a stamp in Holm?
        What does the figure on the Skarn coat of arms show?
        Using the table saw in Holm workshop, how do I cut a plank?
        Reading the water meter in Holm, what do I note?
        With the documents of a car, can I board the Skarn ferry?
        From the first page of the passport, do I need a copy?
    """,
    "de": """
        Wie lang ist der erste Abschnitt der Strecke nach Holm?
        Wie tief sind die beiden Passagen zwischen den Inseln?
        Wohin führt die zweite Passage am Hafen?
        Wohin führt die Passage am Markt von Holm?
        Welcher Abschnitt des Kanals wird zuerst gesperrt?
        Was kostet der zweite Abschnitt des Lehrgangs?
        Was nennt Artikel 5 der Satzung als Zweck?
        Was passiert im folgenden Jahr mit der Fähre Skarn?
        Wie wird die erste Seite eines Passes kopiert?
        Wer stellt die Liste der Passagiere aus?
        Wie breit ist Passage 2 des Fährhafens?
        Welche Angaben stehen auf der zweiten Seite des Passes?
        Wer gibt die Unterlagen für den zweiten Bauabschnitt frei?
        Was zeigt die Anzeigetafel am Pier von Holm?
        Wie heißt das zweite Kapitel des Romans Emma?
        Welche Tabelle der Datenbank enthält die Buchungen?
        Was beschreibt der Fahrplan der Skarn-Linie?
        Unter Verwendung der App: Wie storniere ich ein Skarn-Ticket?
        Wie steuert man durch die erste Passage im Eis?
        Worum geht es im Roman Emma?
        Welche Abschnitte der Strecke nennt man Steilküste?
        Wer nennt den ersten Abschnitt der Küste „Teufelsküste“?
        Was kostet die zweite Seite einer Anzeige im Holmer Boten?
        Welche Tabelle zeigt Pagemaker 7 zuerst an?
        Wie listet Pagemaker 7 die Dokumente auf?
        Was gibt die Skarn-Linie im folgenden Monat bekannt?
        Wie lange ist die oben liegende Kabine frei?
        Welche Fähre fährt durch die erste Passage am Kap Holm?
        Wann liefert der Verlag die Artikel für den zweiten Band?
        Wo zeigt der Kapitän die Dokumente vor?
        Wer stellt den Text der Durchsage bereit?
        Mit welchen Unterlagen beantrage ich den Skarn-Pass?
        Wie viele Passagen zwischen den Inseln sind tiefer als 10 Meter?
        Zeigen die Tabellen in Pagemaker 7 Summen an?
        Wann zeigt der Hafen die Liste der Ankünfte an?
        Was verrät die Farbe der Flagge am Pier von Holm?
        Mit den Unterlagen zum Auto: Wo checke ich ein?
        Welche Seite zeigt die Abbildung des Leuchtturms auf der Münze?
        Wie wird der zweite Abschnitt der Autobahn genannt?
        Was ist im folgenden Winter mit der Fähre geplant?
        Wo wird die Tabelle oben links in Pagemaker 7 verschoben?
        Welches Dokument nennt den Eigentümer eines Autos?
        Wer beschreibt die Dokumente im Archiv von Holm?
        Wer erklärt die Passage durch die Schleuse von Holm?
    """,
    "ru": """
        Какова длина первого отрезка канала?
        Где проходит первый раздел трассы до Холма?
        Как в порту Холм определяется стоимость стоянки?
        Что показано на табло порта выше третьего этажа?
        Какую цену называет касса порта Холм?
        Какова указанная в билете цена?
        Используя приложение, как отменить билет?
        О чём роман «Эмма»?
        Как определяется главный источник реки Холм?
        Как в Pagemaker 7 вставить таблицу в текст?
        Кто подписывает оба документа при продаже дома?
        Что описывает статья 12 закона о портах?
        Что делать, если указанная в документе фамилия изменилась?
        Какие товары содержит первый раздел каталога «Холм»?
        Учитывая шторм, когда отходит паром до Скарна?
        Как текст объявления согласуют с капитаном?
        Какой пункт проката называет цену лодки?
        Сколько страниц содержит второй том романа «Эмма»?
        Где указан номер документа ниже фотографии в паспорте?
        Кто определяет главу делегации порта Холм?
        Какой документ даёт право на льготу?
        Какая таблица базы данных содержит брони?
        Какие данные показывает табло в порту Холм?
        Какую скидку даёт второй билет?
        Какой отрезок пути называют Чёртовым?
        Сколько отрывных талонов в книжке?
        Какие примеры приводит гид музея в Холме?
        Кому капитан показывает список пассажиров?
        Что указано в паспорте ниже фотографии?
        Какой раздел порта даёт доступ к парому?
        Как описывается порт Холм в лоции?
        Кто даёт документ о прохождении курса?
        Как в программе Pagemaker 7 показать таблицу?
        Сколько стоит первый абзац объявления в газете «Холм»?
        Как определяется цена билета на паром?
        Какой автор получил премию «Холм»?
        Как автор получает гонорар за книгу?
        Какой документ указывает на возраст ребёнка?
        Как определяется цена в билете на паром?
        Где показан номер рейса, выше или ниже даты?
        Кто называет первый канал «Длинным»?
        Какая страница паспорта указывает место рождения?
        Какую информацию даёт табло в порту?
        Как в порту описывают груз?
        Где в договоре указана цена лодки?
        Что говорит капитан о первом рейсе?
        Кто сообщает пассажирам о главе порта?
    """,
    "zh": """
        作者对每本书收多少稿费？
        作者如何向《霍尔姆评论》投稿？
        作者对出版社有哪些权利？
        第一段航程多少钱？
        第二段路几点开放？
        公司法第二段落规定了什么罚款？
        网上表格怎么填？
        地下图书馆几点开门？
        晚上表演几点开始？
        这里的渡轮几点开？
        这里说什么语言？
        资料显示不出来怎么办？
        图书馆资料室几点关门？
        斯卡恩公司的节选图书多少钱？
        线上图片怎么下载？
        第一节课几点开始？
        文档对话框怎么关闭？
        如果文件过期，该文件怎么更新？
        打印的文件丢了，该文件能找回吗？
        霍尔姆地图中的红点是什么意思？
        手表中的电池能用多久？
        根据资料室的规定，书可以借多久？
        从斯卡恩到霍尔姆要经过几段航道？
        第一段台阶有多高？
        作者对出版合同可以提出修改吗？
        作者对译本有署名权吗？
        霍尔姆图书馆的第一段开放时间是几点？
        霍尔姆合同第二段规定了什么？
        第一段海岸线有多长？
        这里列车几点开？
        这里介绍信怎么开？
        这里提供早餐吗？
        资料显示屏在哪里？
        上图书馆网站怎么续借？
        上表彰大会要穿什么？
        下图形界面怎么安装？
        该文件夹在哪里？
        该文件格式怎么打开？
        表中国际航班有几班？
        节选教材在哪里买？
        怎么给文档对齐？
        第一篇章公园几点开门？
        两段航程一共多久？
        这两段路都通车吗？
        笔者协会的会费是多少？
        这里的规定是什么时候改的？
        这里描述性统计课几点开始？
        上图书馆借书要证件吗？
        资料显示器多少钱？
        第一段海底隧道有多长？
        第一段时间票价是多少？
        该报告厅有多少座位？
        该手册多少钱一本？
        表中央的数字是什么？
        两段楼梯之间有多高？
        这两段海岸都能游泳吗？
        作者对稿件享有什么权利？
        文档对齐方式怎么改？
        节选本多少钱？
    """,
    "fr": """
        Combien de temps dure le premier passage du canal ?
        Quelle est la largeur du passage 2 du terminal ?
        De quoi parle le roman « Emma » ?
        En utilisant l'application, comment annuler un billet ?
        Quelle profondeur ont les deux passages entre les îles ?
        Que prévoit le deuxième paragraphe de l'article 5 de la loi ?
        Qui donne le premier passage aux piétons ?
        Qui montre le document au capitaine ?
        Que montre le tableau de bord du ferry ?
        Quel document donne droit à une réduction ?
        Avec le billet, puis-je entrer au musée de Holm ?
        Combien coûte le deuxième exemplaire du guide ?
    """,
    "es": """
        ¿Cuánto mide el primer pasaje del canal?
        ¿Qué anchura tiene el pasaje 2 de la terminal?
        ¿De qué trata la novela «Emma»?
        Usando la aplicación, ¿cómo se cancela un billete?
        ¿Qué profundidad tienen los dos pasajes entre las islas?
        ¿Qué regula el segundo párrafo del artículo 5 de la ley?
        ¿Quién da el pasaje gratis a los niños?
        ¿Quién muestra el documento al capitán?
        ¿Qué muestra el tablero del puerto de Holm?
        ¿Qué documento da derecho a un descuento?
        ¿Cuánto cuesta el segundo ejemplar de la guía?
    """,
}


@pytest.mark.parametrize("question", one_each(TO_TEXTS))
def test_a_text_that_the_reader_does_not_see_is_found(question: str) -> None:
    found = source_words(question)
    assert found
    assert found in question


@pytest.mark.parametrize("question", one_each(TO_NO_TEXT))
def test_ways_papers_and_named_texts_are_not(question: str) -> None:
    assert source_words(question) is None


@pytest.mark.parametrize("language", ["en", "de", "ru", "zh"])
def test_there_are_as_many_look_alikes(language: str) -> None:
    assert len(one_each({language: TO_TEXTS[language]})) >= 30
    assert len(one_each({language: TO_NO_TEXT[language]})) >= 30


@pytest.mark.parametrize("piece", ["in the text about ", "does the first passage ", "using the "])
def test_repeated_words_are_read_in_time(piece: str) -> None:
    source_words(piece * 20_000)


def test_the_words_found_contain_what_the_question_quotes() -> None:
    question = "What does “Q1” mean, and what is said about “laws” and “lieu” in the second text?"
    assert source_words(question) == "said about “laws” and “lieu” in the second text"
