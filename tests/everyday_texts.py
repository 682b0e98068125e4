"""Texts of the kinds that people keep in their documents, in four languages: made up, not found.

Digits are only examples: `with_other_digits` draws new ones.
"""

from __future__ import annotations

EN, DE, RU, ZH = "en", "de", "ru", "zh"

# kind: language: text
KINDS: dict[str, dict[str, str]] = {
    "opening hours": {
        EN: "The library is open from 9 am to 6:30 pm on weekdays and until 1 p.m. on Saturday.",
        DE: "Die Bücherei ist werktags von 9 bis 18:30 Uhr und samstags bis 13 Uhr geöffnet.",
        RU: "Библиотека открыта по будням с 9 до 18:30, а в субботу до 13 часов.",
        ZH: "图书馆工作日上午9点至下午6点半开放，周六开放到下午1点。",
    },
    "hours by day": {
        EN: "Monday: 9:00–17:00\nTuesday: 9:30–17:45\nFriday: 10 a.m.–2 p.m.\nSunday: closed",
        DE: "Montag: 9.00–17.00 Uhr\nDienstag: 9.30–17.45 Uhr\nFreitag: 10–14 Uhr\nSonntag: zu",
        RU: "Понедельник: 9:00–17:00\nВторник: 9:30–17:45\nПятница: 10:00–14:00",
        ZH: "周一：9:00–17:00\n周二：9:30–17:45\n周五：10:00–14:00\n周日：休息",
    },
    "one time": {
        EN: "The last tram leaves at 11:52 PM.",
        DE: "Die letzte Bahn fährt um 23:52 Uhr ab.",
        RU: "Последний трамвай отходит в 11 часов вечера.",
        ZH: "末班电车晚上11点52分发车。",
    },
    "times of day": {
        EN: "Breakfast is at 7 in the morning, dinner at 8 o'clock in the evening.",
        DE: "Frühstück gibt es um 7 Uhr morgens, Abendessen um 8 Uhr abends.",
        RU: "Завтрак подают в 7 утра, ужин в 8 часов вечера.",
        ZH: "早餐早上7点供应，晚餐晚上8点供应。",
    },
    "timetable": {
        EN: "The bus calls at Mill Lane at 8.05, at Church Street at 8.17 and at the quay at 8.31.",
        DE: "Der Bus hält um 8.05 Uhr am Markt, um 8.17 Uhr am Dom und um 8.31 Uhr am Kai.",
        RU: "Автобус останавливается у рынка в 8:05, у вокзала в 8:17 и у причала в 8:31.",
        ZH: "公交车8:05到市场，8:17到教堂，8:31到码头。",
    },
    "version": {
        EN: "The client needs Python 3.10 or later and does not run on Python 3.9.",
        DE: "Der Client braucht Python 3.10 und läuft nicht mit Python 3.9.",
        RU: "Клиенту нужен Python 3.10, с Python 3.9 он не работает.",
        ZH: "客户端需要 Python 3.10 版本，不支持 Python 3.9。",
    },
    "release": {
        EN: "Version 2.14.0 fixes the crash that v2.13.7 brought in.",
        DE: "Version 2.14.0 behebt den Absturz, den v2.13.7 mitbrachte.",
        RU: "Версия 2.14.0 исправляет сбой, который появился в v2.13.7.",
        ZH: "版本 2.14.0 修复了 v2.13.7 带来的崩溃。",
    },
    "requirement": {
        EN: "The lock file pins paddle==4.20, oar>=1.5.2 and rudder~=0.9.",
        DE: "Die Datei legt paddle==4.20, oar>=1.5.2 und rudder~=0.9 fest.",
        RU: "Файл закрепляет paddle==4.20, oar>=1.5.2 и rudder~=0.9.",
        ZH: "锁定文件固定了 paddle==4.20、oar>=1.5.2 和 rudder~=0.9。",
    },
    "section": {
        EN: "Section 2.10 of the manual repeats what section 2.1 says on filters.",
        DE: "Abschnitt 2.10 des Handbuchs wiederholt, was Abschnitt 2.1 zu Filtern sagt.",
        RU: "Раздел 2.10 руководства повторяет, что раздел 2.1 говорит о фильтрах.",
        ZH: "手册第2.10节重复了第2.1节关于滤芯的内容。",
    },
    "law": {
        EN: "Under Article 12(3), clause 4.2, the tenant has 14 days to object.",
        DE: "Nach § 2 Abs. 3 Satz 1 hat der Mieter 14 Tage Zeit zum Widerspruch.",
        RU: "По п. 3 ст. 12 у жильца есть 14 дней на возражение.",
        ZH: "根据第12条第3款，租户有14天的异议期。",
    },
    "price": {
        EN: "A day ticket costs €12.50, a child's ticket €6.20.",
        DE: "Eine Tageskarte kostet 12,50 €, eine Kinderkarte 6,20 €.",
        RU: "Билет на день стоит 1250 руб., детский билет 620 руб.",
        ZH: "日票12.50欧元，儿童票6.20欧元。",
    },
    "price list": {
        EN: "- Tea: $3.10\n- Coffee: $4.25\n- Cake of the day: $5.90",
        DE: "- Tee: 3,10 €\n- Kaffee: 4,25 €\n- Kuchen des Tages: 5,90 €",
        RU: "- Чай: 310 ₽\n- Кофе: 425 ₽\n- Пирог дня: 590 ₽",
        ZH: "- 茶：31元\n- 咖啡：42元\n- 当日蛋糕：59元",
    },
    "large sum": {
        EN: "The bridge cost £48.6 million, $7,350,000 more than planned.",
        DE: "Die Brücke kostete 48,6 Millionen Euro, 7.350.000 Euro mehr als geplant.",
        RU: "Мост стоил 48,6 млн рублей, на 7 350 000 рублей больше плана.",
        ZH: "这座桥耗资4860万元，比计划多735万元。",
    },
    "percentage": {
        EN: "Turnout rose from 61.4% to 73.8%, and 5 per cent of ballots were void.",
        DE: "Die Beteiligung stieg von 61,4 % auf 73,8 %, 5 Prozent waren ungültig.",
        RU: "Явка выросла с 61,4 % до 73,8 %, 5 процентов бюллетеней испорчены.",
        ZH: "投票率从61.4%升至73.8%，其中5%为废票。",
    },
    "weights": {
        EN: "The crate weighs 18 kg, its lid 750 g, and the whole load 2.4 t.",
        DE: "Die Kiste wiegt 18 kg, ihr Deckel 750 g und die ganze Ladung 2,4 t.",
        RU: "Ящик весит 18 кг, крышка 750 г, а весь груз 2,4 т.",
        ZH: "箱子重18公斤，盖子重750克，整批货物重2.4吨。",
    },
    "lengths": {
        EN: "The trail is 14 km long, climbs 860 m and is 90 cm wide.",
        DE: "Der Pfad ist 14 km lang, steigt 860 m an und ist 90 cm breit.",
        RU: "Тропа длиной 14 км поднимается на 860 м, её ширина 90 см.",
        ZH: "步道长14公里，爬升860米，宽90厘米。",
    },
    "areas": {
        EN: "The flat has 84 m² and a garden of 120 m².",
        DE: "Die Wohnung hat 84 m² und einen Garten von 120 m².",
        RU: "Квартира площадью 84 м², сад площадью 120 м².",
        ZH: "公寓84平方米，花园120平方米。",
    },
    "temperatures": {
        EN: "Store the vaccine at 4 °C; above 25 °C it spoils within 6 hours.",
        DE: "Der Impfstoff lagert bei 4 °C; über 25 °C verdirbt er in 6 Stunden.",
        RU: "Вакцину хранят при 4 °C, при 25 °C она портится за 6 часов.",
        ZH: "疫苗保存在4℃，25℃以上6小时内变质。",
    },
    "speeds": {
        EN: "The limit is 80 km/h; gusts reached 31 m/s.",
        DE: "Erlaubt sind 80 km/h; Böen erreichten 31 m/s.",
        RU: "Разрешено 80 км/ч, порывы достигали 31 м/с.",
        ZH: "限速80公里，阵风达到31米。",
    },
    "electrics": {
        EN: "The charger draws 11 kW at 230 V and 16 A, and sends on 868 MHz.",
        DE: "Das Ladegerät zieht 11 kW bei 230 V und 16 A und funkt auf 868 MHz.",
        RU: "Зарядка берёт 11 кВт при 230 В и 16 А.",
        ZH: "充电器功率11千瓦，电压230伏，频率868 MHz。",
    },
    "storage": {
        EN: "Uploads are limited to 25 MB; the plan has 2 TB and 150 Mbit/s.",
        DE: "Uploads sind auf 25 MB begrenzt; der Tarif hat 2 TB und 150 Mbit/s.",
        RU: "Загрузки ограничены 25 МБ, тариф включает 2 ТБ.",
        ZH: "上传限制为25 MB，套餐包含2 TB空间。",
    },
    "dose": {
        EN: "Adults take 400 mg every 8 hours, at most 1200 mg a day.",
        DE: "Erwachsene nehmen alle 8 Stunden 400 mg, höchstens 1200 mg am Tag.",
        RU: "Взрослые принимают 400 мг каждые 8 часов, не более 1200 мг в день.",
        ZH: "成人每8小时服用400毫克，每天最多1200毫克。",
    },
    "recipe": {
        EN: "1. Mix 250 g flour with 3 eggs.\n2. Add 1½ cups of milk.\n3. Bake for 35 minutes.",
        DE: "1. 250 g Mehl mit 3 Eiern mischen.\n2. 125 ml Milch dazugeben.\n3. 35 Minuten backen.",
        RU: "1. Смешайте 250 г муки с 3 яйцами.\n2. Добавьте 125 мл молока.\n3. Пеките 35 минут.",
        ZH: "1. 将250克面粉与3个鸡蛋混合。\n2. 加入125毫升牛奶。\n3. 烤35分钟。",
    },
    "date": {
        EN: "The lease runs from 14 May 2031 to 30 June 2034.",
        DE: "Der Vertrag läuft vom 14. Mai 2031 bis zum 30. Juni 2034.",
        RU: "Договор действует с 14 мая 2031 года по 30 июня 2034 года.",
        ZH: "合同有效期从2031年5月14日至2034年6月30日。",
    },
    "short date": {
        EN: "Filed on 2031-05-14, answered on 2031-06-02.",
        DE: "Eingereicht am 14.05.2031, beantwortet am 02.06.2031.",
        RU: "Подано 14.05.2031, ответ получен 02.06.2031.",
        ZH: "2031-05-14提交，2031-06-02答复。",
    },
    "day and month": {
        EN: "The pool opens in May and closes on the 1st of October.",
        DE: "Das Bad öffnet am 1.5. und schließt am 3.10. jedes Jahres.",
        RU: "Бассейн открывается в мае и закрывается 1 октября.",
        ZH: "泳池5月开放，10月1日关闭。",
    },
    "weekdays": {
        EN: "Bins are emptied every second Tuesday; glass goes out on 3 Fridays a month.",
        DE: "Die Tonnen werden jeden zweiten Dienstag geleert, Glas an 3 Freitagen im Monat.",
        RU: "Мусор вывозят каждый второй вторник, стекло 3 раза в месяц.",
        ZH: "垃圾每周二清运，玻璃每月清运3次。",
    },
    "range": {
        EN: "Allow 3–5 working days; parcels of 10 to 15 kg take 7–9 days.",
        DE: "Rechnen Sie mit 3–5 Werktagen; Pakete von 10 bis 15 kg brauchen 7–9 Tage.",
        RU: "Ожидайте 3–5 рабочих дней; посылки от 10 до 15 кг идут 7–9 дней.",
        ZH: "请预留3–5个工作日；10至15公斤的包裹需要7–9天。",
    },
    "phone": {
        EN: "Call +44 20 7946 0123 or the night line 0800 555 0199.",
        DE: "Rufen Sie +49 30 901820 an oder nachts 0800 555 0199.",
        RU: "Звоните +7 495 123-45-67 или ночью 8 800 555-01-99.",
        ZH: "请致电 +86 10 6552 9988 或夜间热线 400-820-5555。",
    },
    "address": {
        EN: "The office is at 221 Harbour Road, Flat 4B, Leith EH6 7AA.",
        DE: "Das Büro liegt in der Hafenstraße 221, 20457 Hamburg.",
        RU: "Офис находится по адресу: 199034, улица Портовая, дом 221, квартира 4.",
        ZH: "办公室位于滨海市港口路221号4楼，邮编200120。",
    },
    "mail and web": {
        EN: "Write to desk7@harbour.example or see https://harbour.example/faq/2031#fees.",
        DE: "Schreiben Sie an info24@hafen.example oder siehe https://hafen.example/tarife/2031.",
        RU: "Пишите на desk7@port.example или смотрите https://port.example/faq/2031.",
        ZH: "请发邮件至 desk7@gang.example，或访问 https://gang.example/faq/2031。",
    },
    "inline code": {
        EN: "Set `retries = 5` and call `wait(timeout=30)` before `send()`.",
        DE: "Setzen Sie `retries = 5` und rufen Sie `wait(timeout=30)` vor `send()` auf.",
        RU: "Задайте `retries = 5` и вызовите `wait(timeout=30)` перед `send()`.",
        ZH: "设置 `retries = 5`，并在 `send()` 之前调用 `wait(timeout=30)`。",
    },
    "command": {
        EN: "Start the server with `serve --port 8080 --workers 4`.",
        DE: "Starten Sie den Server mit `serve --port 8080 --workers 4`.",
        RU: "Запустите сервер командой `serve --port 8080 --workers 4`.",
        ZH: "用 `serve --port 8080 --workers 4` 启动服务器。",
    },
    "network": {
        EN: "The printer has the address 192.168.1.10 and listens on port 9100.",
        DE: "Der Drucker hat die Adresse 192.168.1.10 und lauscht auf Port 9100.",
        RU: "У принтера адрес 192.168.1.10, он слушает порт 9100.",
        ZH: "打印机的地址是192.168.1.10，监听端口9100。",
    },
    "chemistry": {
        EN: "Burning CH4 gives CO2 and H2O; the flask holds 0.5 mol of H₂SO₄.",
        DE: "Beim Verbrennen von CH4 entstehen CO2 und H2O; der Kolben hält 0,5 mol H₂SO₄.",
        RU: "При горении CH4 образуются CO2 и H2O; в колбе 0,5 моль H₂SO₄.",
        ZH: "CH4燃烧生成CO2和H2O，烧瓶中有0.5 mol的H₂SO₄。",
    },
    "formula": {
        EN: "The area is A = 3r² + 2, and E = mc^2 holds with x_1 = 7.",
        DE: "Die Fläche ist A = 3r² + 2, und E = mc^2 gilt mit x_1 = 7.",
        RU: "Площадь равна A = 3r² + 2, а E = mc^2 верно при x_1 = 7.",
        ZH: "面积为 A = 3r² + 2，当 x_1 = 7 时 E = mc^2 成立。",
    },
    "LaTeX": {
        EN: r"The root is $x = \frac{-5 + \sqrt{41}}{4}$ and the limit \(10^{-6}\).",
        DE: r"Die Lösung ist $x = \frac{-5 + \sqrt{41}}{4}$ und die Grenze \(10^{-6}\).",
        RU: r"Корень равен $x = \frac{-5 + \sqrt{41}}{4}$, а предел \(10^{-6}\).",
        ZH: r"根为 $x = \frac{-5 + \sqrt{41}}{4}$，极限为 \(10^{-6}\)。",
    },
    "powers": {
        EN: "The cell holds 6.02 × 10²³ atoms and is 10⁻⁹ m wide.",
        DE: "Die Zelle enthält 6,02 × 10²³ Atome und ist 10⁻⁹ m breit.",
        RU: "В ячейке 6,02 × 10²³ атомов, её ширина 10⁻⁹ м.",
        ZH: "该单元含有6.02 × 10²³个原子，宽10⁻⁹米。",
    },
    "table": {
        EN: "| Boat | Seats | Fee |\n|---|---|---|\n| Otter | 12 | $45 |\n| Heron | 28 | $90 |",
        DE: "| Boot | Plätze | Preis |\n|---|---|---|\n| Otter | 12 | 45 € |\n| Ente | 28 | 90 € |",
        RU: "| Лодка | Мест | Руб. |\n|---|---|---|\n| Выдра | 12 | 45 ₽ |\n| Цапля | 28 | 90 ₽ |",
        ZH: "| 船 | 座位 | 价格 |\n|---|---|---|\n| 水獭号 | 12 | 45元 |\n| 苍鹭号 | 28 | 90元 |",
    },
    "plain table": {
        EN: "Boat    Seats  Fee\nOtter   12     45 kg\nHeron   28     90 kg",
        DE: "Boot    Plätze  Last\nOtter   12      45 kg\nReiher  28      90 kg",
        RU: "Лодка   Мест  Груз\nВыдра   12    45 кг\nЦапля   28    90 кг",
        ZH: "船      座位  载重\n水獭号  12    45公斤\n苍鹭号  28    90公斤",
    },
    "nested list": {
        EN: "- Season: 120 days\n  - low: 75 days\n  - high: 45 days\n* Crew: 6",
        DE: "- Saison: 120 Tage\n  - Nebensaison: 75 Tage\n  - Hauptsaison: 45 Tage\n* Crew: 6",
        RU: "- Сезон: 120 дней\n  - низкий: 75 дней\n  - высокий: 45 дней\n* Экипаж: 6",
        ZH: "- 旺季：120天\n  - 前期：75天\n  - 后期：45天\n* 船员：6人",
    },
    "score": {
        EN: "The Herons beat the Otters 3–1 (25:19, 22:25, 25:17, 26:24).",
        DE: "Die Reiher schlugen die Otter mit 3:1 (25:19, 22:25, 25:17, 26:24).",
        RU: "«Цапли» обыграли «Выдр» со счётом 3:1 (25:19, 22:25, 25:17, 26:24).",
        ZH: "苍鹭队以3:1击败水獭队（25:19、22:25、25:17、26:24）。",
    },
    "book": {
        EN: "Knots at Sea, 4th edition, 312 pages, ISBN 978-3-16-148410-0.",
        DE: "Knoten auf See, 4. Auflage, 312 Seiten, ISBN 978-3-16-148410-0.",
        RU: "«Морские узлы», 4-е издание, 312 страниц, ISBN 978-3-16-148410-0.",
        ZH: "《海上绳结》第4版，312页，ISBN 978-3-16-148410-0。",
    },
    "coordinates": {
        EN: "The buoy lies at 54.3213° N, 10.1349° E.",
        DE: "Die Boje liegt bei 54,3213° N, 10,1349° O.",
        RU: "Буй находится в точке 54,3213° с. ш., 10,1349° в. д.",
        ZH: "浮标位于北纬54.3213°，东经10.1349°。",
    },
    "names": {
        EN: "Dr. J. R. Hartley Jr. and Mrs. A. O'Neil lead 17 pilots.",
        DE: "Dr. J. R. Hartmann und Fr. A. Öhler führen 17 Lotsen.",
        RU: "А. С. Громов и д-р И. П. Рыжов руководят 17 лоцманами.",
        ZH: "哈特利博士和李·奥尼尔女士带领17名引航员。",
    },
    "abbreviations": {
        EN: "Bring ID, e.g. a passport, approx. 2 photos, etc. The fee is max. 30 USD p.a.",
        DE: "Bringen Sie z. B. einen Pass, ca. 2 Fotos usw. mit. Die Gebühr beträgt max. 30 EUR.",
        RU: "Возьмите, напр., паспорт, прим. 2 фото и т. д. Сбор макс. 300 руб.",
        ZH: "请带证件（如护照）和约2张照片等。费用最多30美元。",
    },
    "quotation": {
        EN: 'The notice says: "No more than 8 guests, and no noise after 10 p.m."',
        DE: "Der Aushang sagt: „Höchstens 8 Gäste und kein Lärm nach 22 Uhr.“",
        RU: "В объявлении сказано: «Не более 8 гостей и никакого шума после 22 часов».",
        ZH: "告示写道：“客人不得超过8位，晚上10点后不得喧哗。”",
    },
    "ordinals": {
        EN: "The 21st festival is on the second weekend, its third in the new hall.",
        DE: "Das 21. Fest ist am zweiten Wochenende, das dritte in der neuen Halle.",
        RU: "21-й фестиваль пройдёт во вторые выходные в зале 5.",
        ZH: "第21届节日在第二个周末举行，共有5个场馆。",
    },
    "spelled numbers": {
        EN: "Two hundred and six seats are left, and twelve boxes.",
        DE: "Es sind noch zweihundertsechs Plätze und zwölf Logen frei.",
        RU: "Осталось двести шесть мест и двенадцать лож.",
        ZH: "还剩二百零六个座位和十二个包厢。",
    },
    "members": {
        EN: "As a member you may borrow up to 12 books for 28 days.",
        DE: "Als Mitglied dürfen Sie bis zu 12 Bücher für 28 Tage leihen.",
        RU: "Как член клуба вы можете взять до 12 книг на 28 дней.",
        ZH: "作为会员，您最多可以借12本书，期限28天。",
    },
    "negation": {
        EN: "Dogs are not allowed in hall 4, and bikes never in hall 7.",
        DE: "Hunde sind in Halle 4 nicht erlaubt, Räder in Halle 7 nie.",
        RU: "Собак не пускают в зал 4, а велосипеды никогда не пускают в зал 7.",
        ZH: "4号厅不允许带狗，7号厅不允许推自行车。",
    },
    "emphasis": {
        EN: "**Deposit:** 150 EUR, *refunded* within __14 days__ [2].",
        DE: "**Kaution:** 150 EUR, *zurück* binnen __14 Tagen__ [2].",
        RU: "**Залог:** 1500 руб., *возврат* в течение __14 дней__ [2].",
        ZH: "**押金：**150元，*退还*期限为__14天__ [2]。",
    },
    "how often": {
        EN: "The lift is checked weekly, the pump runs twice a day.",
        DE: "Der Aufzug wird wöchentlich geprüft, die Pumpe läuft zweimal am Tag.",
        RU: "Лифт проверяют еженедельно, насос включают дважды в день.",
        ZH: "电梯每周检查，水泵每天运行2次。",
    },
    "seasons": {
        EN: "The slope is open in winter and the kiosk only in summer.",
        DE: "Die Piste ist im Winter offen und der Kiosk nur im Sommer.",
        RU: "Склон открыт зимой, а киоск только летом.",
        ZH: "雪道冬季开放，售货亭只在夏季营业。",
    },
    "eras": {
        EN: "The wall dates from 44 BC and was rebuilt in 216 AD.",
        DE: "Die Mauer stammt aus dem Jahr 44 v. Chr. und hielt 216 Jahre.",
        RU: "Стена построена в 44 году до н. э. и стояла 216 лет.",
        ZH: "城墙建于公元前44年，屹立了216年。",
    },
    "single letters": {
        EN: "Juice has vitamin C, and hall D is next to gate B 14.",
        DE: "Saft hat Vitamin C, und Halle D liegt neben Tor B 14.",
        RU: "В соке есть витамин C, а зал D рядом с выходом B 14.",
        ZH: "果汁含维生素 C，D 厅在 B 门14号旁边。",
    },
    "rulers": {
        EN: "King Karl V was followed by King Erik X in chapter IV.",
        DE: "Auf König Karl V. folgte König Erik X. in Kapitel IV.",
        RU: "После короля Карла V правил король Эрик X, глава IV.",
        ZH: "第Ⅳ章讲述国王 Karl V 和国王 Erik X。",
    },
    "bounds": {
        EN: "Use node >= 18; the error stays < 5 % while x > 20.",
        DE: "Nötig ist node >= 18; der Fehler bleibt < 5 %, solange x > 20.",
        RU: "Нужен node >= 18; ошибка < 5 % при x > 20.",
        ZH: "需要 node >= 18；当 x > 20 时误差 < 5 %。",
    },
    "time stamp": {
        EN: "The backup ended at 2031-05-14T08:30:15Z without faults.",
        DE: "Die Sicherung endete um 2031-05-14T08:30:15Z ohne Fehler.",
        RU: "Копирование завершилось в 2031-05-14T08:30:15Z без ошибок.",
        ZH: "备份于 2031-05-14T08:30:15Z 完成，没有错误。",
    },
    "area code": {
        EN: "(555) 867-5309 is the night desk.",
        DE: "(040) 867-5309 ist der Nachtschalter.",
        RU: "(495) 867-53-09 это ночной телефон.",
        ZH: "(021) 8675-5309 是夜间电话。",
    },
    "kitchen": {
        EN: "Stir in 3 tbsp sugar and 2 tsp salt.",
        DE: "Rühren Sie 3 EL Zucker und 2 TL Salz ein.",
        RU: "Добавьте 3 ст. л. сахара и 2 ч. л. соли.",
        ZH: "加入3汤匙糖和2茶匙盐。",
    },
    "marked with signs": {
        EN: "⭐⭐⭐⭐ Harbour Inn: 🕘 9–5, ☎ 555-0199",
        DE: "⭐⭐⭐⭐ Hafenkrug: 🕘 9–17 Uhr, ☎ 555-0199",
        RU: "⭐⭐⭐⭐ «Гавань»: 🕘 9–17, ☎ 555-0199",
        ZH: "⭐⭐⭐⭐ 港湾旅馆：🕘 9–17，☎ 555-0199",
    },
    "dollars": {
        EN: "The visa costs US$50 at the border and A$75 by post.",
        DE: "Das Visum kostet US$50 an der Grenze und A$75 per Post.",
        RU: "Виза стоит US$50 на границе и A$75 по почте.",
        ZH: "签证在口岸收费 US$50，邮寄收费 A$75。",
    },
    "counted in words": {
        EN: "The late Otto IV had six ships and seven sons.",
        DE: "Otto hatte sechs Schiffe.",
        RU: "У Оттона было шесть кораблей и семь сыновей.",
        ZH: "奥托有六艘船和七个儿子。",
    },
    "conversation": {
        EN: "Yes, we ship abroad. It takes 9 days and costs 18 pounds.",
        DE: "Ja, wir liefern ins Ausland. Es dauert 9 Tage und kostet 18 Euro.",
        RU: "Да, мы отправляем за границу. Это занимает 9 дней и стоит 1800 рублей.",
        ZH: "是的，我们寄往国外。需要9天，费用180元。",
    },
}

TEXTS = [
    (kind, language, text) for kind, texts in KINDS.items() for language, text in texts.items()
]
