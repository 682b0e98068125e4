"""English: its function words, numbers, units and opposites."""

from __future__ import annotations

import re

from .language import AM, PM, Language, clock, forms, opposites, word_set

LANGUAGE = Language(
    code="en",
    stemmer="english",
    stop_words=word_set("""a according am among an and another are as at be became because
        become been being but by can cannot did do does doing done dr else etc for from had
        has have having he hence her here hers herself him himself his how however if in into
        is it its itself mr mrs ms of on one onto or our ours ourselves per percent shall she
        so sooner than that the their theirs them themselves then there these they this those
        though thus to upon us via was we were what when where whether which who whom whose
        why will with would yes you your yours yourself"""),
    light=word_set("""about above after again against all almost also although always any
        anyone anything approximately around before below between both could down during
        completely each earlier either entirely even ever every exclusively few fewer further
        just later least less longer many may might more most much must nearly off often once
        only other others out over own rather roughly same several should since solely some
        such through too under until up very while within yet"""),
    universals=word_set("all every only always entirely completely exclusively solely"),
    first_person=word_set("i me my mine myself"),
    pronouns=word_set("it its he his she her they their this these"),
    negators=word_set("not no never without neither nor none nobody nothing nowhere cannot"),
    after_no=word_set("but it he she they i we you there this that the"),
    not_negating=word_set(
        "only just merely simply necessarily more less later fewer earlier sooner"
    ),
    carriers=word_set("evidence proof indication true case sign reason"),
    hedges=word_set("""about around approximately roughly nearly almost over under above below
        least most than minimum maximum to some circa"""),
    year_words=word_set("in since of by from until till and between during before after"),
    months=forms("""1 january jan,2 february feb,3 march mar,4 april apr,5 may,6 june jun,7
        july jul,8 august aug,9 september sep sept,10 october oct,11 november nov,12 december
        dec"""),
    small=forms("""0 zero,1 one,2 two,3 three,4 four,5 five,6 six,7 seven,8 eight,9 nine,10
        ten,11 eleven,12 twelve,13 thirteen,14 fourteen,15 fifteen,16 sixteen,17 seventeen,18
        eighteen,19 nineteen,20 twenty,30 thirty,40 forty,50 fifty,60 sixty,70 seventy,80
        eighty,90 ninety"""),
    scales={"hundred": 2, "thousand": 3, "k": 3, "million": 6, "mn": 6, "billion": 9, "bn": 9}
    | {"trillion": 12},
    hundred="hundred",
    number_and="and",
    units=forms("""kilogram kgs kilo kilos kilograms kilogramme kilogrammes,gram grams,
        milligram milligrams,tonne tonnes ton tons,ounce oz ounces,pound lb lbs pounds,
        kilometre kilometres kilometer kilometers,metre metres meter meters,centimetre centimetres
        centimeter centimeters,millimetre millimetres millimeter millimeters,mile mi miles,
        foot ft feet,inch inches,yard yd yards,second sec secs seconds,millisecond milliseconds,
        minute mins minutes,hour hr hrs hours,day days,week wk wks weeks,month mo mos months,
        quarter,year yr yrs years,litre litres liter liters,millilitre millilitres milliliter
        milliliters,gallon gal gallons,watt watts,kilowatt kilowatts,volt volts,hertz,
        kilobyte kilobytes,megabyte megabytes,gigabyte gigabytes,terabyte terabytes,
        degree degrees,celsius centigrade,fahrenheit,cent cents,tablespoon tablespoons,
        teaspoon teaspoons,cup cups,% percent pct,dollar dollars,euro euros,yen,rupee rupees,
        knot knots"""),
    clock=clock(
        r"[\s-]?o'clock\b",
        am=rf"{AM}|in the (?:\w+ )?morning\b",
        pm=rf"{PM}|in the (?:\w+ )?afternoon\b",
        evening=r"in the (?:\w+ )?evening\b|tonight\b",
        night=r"at night\b",
        noon=r"noon\b",
        midnight=r"midnight\b",
    ),
    times={"noon": "12:00", "midday": "12:00", "midnight": "0:00", "half": "", "quarter": ""},
    part_of_hour=re.compile(
        r"(?:(?P<half_past>half past)|(?P<quarter_past>quarter past)|(?P<quarter_to>quarter to))"
        r" (?P<to>\w+)",
        re.IGNORECASE,
    ),
    minus=("minus",),
    rate=re.compile(
        r"\.?\s(?:(?P<any>per)|an?|(?:each|every)(?! second\b))\s(?P<per>\w+)", re.IGNORECASE
    ),
    sections=word_set("""version versions ver v release releases revision rev build patch update
        section sections sec sect chapter chapters ch chap clause clauses article articles art
        paragraph paragraphs para paras subsection appendix annex figure figures fig figs table
        tables tab equation eq step item rule rules item items exercise part no number numbers
        requirement requirements schedule"""),
    series=forms("""1st first,2nd second,3rd third,4th fourth,5th fifth,6th sixth,7th seventh,8th
        eighth,9th ninth,10th tenth,11th eleventh,12th twelfth,mon monday mondays,tue tues
        tuesday tuesdays,wed wednesday wednesdays,thu thur thurs thursday thursdays,fri friday
        fridays,sat saturday saturdays,sun sunday sundays,spring,summer,autumn fall,winter,am,pm,
        morning mornings,afternoon afternoons,evening evenings,night nights,once,twice,thrice,
        hourly,daily,weekly,fortnightly,monthly,quarterly,yearly annually annual,half,third,quarter,
        earlier,later,older,newer,over above,under below,before,after,double doubled,
        triple tripled"""),
    irregular=forms("""monday mon,tuesday tue tues,wednesday wed,thursday thu thur thurs,friday fri,
        saturday sat,sunday sun,begin began begun,break broke broken,bring brought,build built,buy
        bought,choose chose chosen,draw drew drawn,drive drove driven,fall fell fallen,find
        found,forbid forbade forbidden,get got,give gave given,go went gone,grow grew grown,
        hold held,keep kept,know knew known,lead led,leave left,lose lost,make made,meet met,
        pay paid,rise rose risen,run ran,say said,see saw seen,sell sold,send sent,show shown,
        speak spoke spoken,spend spent,stand stood,take took taken,tell told,think thought,win
        won,write wrote written,child children"""),
    once=word_set("""abolished adopted began born built burned closed completed created
        destroyed died discovered dissolved ended established expired founded founding formed
        inaugurated introduced invented killed launched opened published released renamed sank
        signed unveiled"""),
    opposites=opposites("""begin start open launch founded issue/end finish close expire
        dissolve stop,rise increase grow gain/fall decrease decline drop shrink,accept allow
        permit/reject forbid prohibit refuse deny ban,include/exclude,win/lose,buy/sell,
        enter/exit leave,arrive/depart,minimum/maximum,first next/last,north/south,east/west,
        upper/lower,import/export,succeed/fail,male/female,early/late"""),
)
