"""Units: their signs and international symbols, and which of them may be the same."""

from __future__ import annotations

# The first of a row is the unit's one name.
_ROWS = """kilogram kg,gram g,milligram mg,tonne t,kilometre km,metre m,centimetre cm,millimetre mm,
    second s,millisecond ms,minute min,hour h,litre l,millilitre ml,watt w,ounce oz,mile mi,
    foot ft,yard yd,gallon gal,kilowatt kw,kilowatt-hour kwh,volt v,hertz hz,kilobyte kb,
    megabyte mb,gigabyte gb,terabyte tb,degree °,celsius °c °с ℃,fahrenheit °f ℉,% ％,permille ‰,
    pound £ gbp lb lbs,dollar $ usd,euro € eur,yen ¥ ￥ jpy,rupee ₹ inr,rouble ₽ rub,knot kn,
    square-metre m² m2 qm sqm,cubic-metre m³ m3 cbm,square-kilometre km² km2,
    square-centimetre cm² cm2,cubic-centimetre cm³ cm3 ccm,square-foot ft² ft2 sqft,hectare ha,
    mile/hour mph,kilometre/hour kmh kph,decibel db,kilocalorie kcal,part-per-million ppm,
    pixel px,dots-per-inch dpi,horsepower hp ps,revolution/minute rpm,yuan cny rmb,franc chf,
    zloty pln,krona sek,krone nok dkk,cent ¢ ct,part-per-billion ppb,percentage-point pp,
    international-unit iu,decibel-milliwatt dbm,tablespoon tbsp,teaspoon tsp,kibibyte kib,
    mebibyte mib,gibibyte gib,tebibyte tib,megabit/second mbps,gigabit/second gbps,
    basis-point bps,millimetre-of-mercury mmhg,beat/minute bpm,frame/second fps,lumen lm,lux lx,
    psi,south-korean-won ₩ krw,turkish-lira ₺,hryvnia ₴ uah,shekel ₪ ils,baht ฿ thb,dong ₫ vnd,
    bitcoin ₿ btc"""
_SIGNS = {form: row.split()[0] for row in _ROWS.split(",") for form in row.split()}

_PREFIXES = {"k": "kilo", "m": "milli", "µ": "micro", "μ": "micro", "n": "nano", "M": "mega"} | {
    "G": "giga",
    "T": "tera",
}
_BASES = {
    "g": "gram",
    "m": "metre",
    "l": "litre",
    "L": "litre",
    "s": "second",
    "W": "watt",
    "Wh": "watt-hour",
    "V": "volt",
    "A": "ampere",
    "Ah": "ampere-hour",
    "Hz": "hertz",
    "B": "byte",
    "bit": "bit",
    "Pa": "pascal",
    "J": "joule",
    "N": "newton",
    "Ω": "ohm",
    "F": "farad",
    "mol": "mole",
    "eV": "electronvolt",
    "Sv": "sievert",
    "Bq": "becquerel",
}
# Of Russian: "кВ" and "кв" differ.
_CYRILLIC_PREFIXES = {"": "", "к": "kilo", "м": "milli", "мк": "micro", "М": "mega", "Г": "giga"}
_CYRILLIC_BASES = {
    "В": "volt",
    "А": "ampere",
    "Вт": "watt",
    "Гц": "hertz",
    "Дж": "joule",
    "Па": "pascal",
    "Ом": "ohm",
}
_SYMBOLS = {
    **{
        p + b: prefix + base
        for p, prefix in _CYRILLIC_PREFIXES.items()
        for b, base in _CYRILLIC_BASES.items()
    },
    **{p + b: prefix + base for p, prefix in _PREFIXES.items() for b, base in _BASES.items()},
    **{base: _BASES[base] for base in ("A", "N", "J", "Pa", "Ω", "mol", "bit", "Ah", "Wh", "eV")},
    **{"K": "kelvin", "mK": "millikelvin", "C": "celsius", "F": "fahrenheit"},
    # in lower case, "kb", many people mean bytes
    **{f"{p}b": f"{_PREFIXES[p]}bit" for p in "MGT"},
    **{"dl": "decilitre", "cl": "centilitre", "hl": "hectolitre", "hPa": "hectopascal"},
}
_SHORTEST = 3  # letters of a symbol that may be in lower case: "mhz"; "mn" is a million
_SMALL = {s.lower(): name for s, name in reversed(_SYMBOLS.items()) if len(s) >= _SHORTEST}

CURRENCY_SIGNS = {sign: _SIGNS[sign] for sign in "$€£¥₹₽₩₺₴₪฿₫₿"}
DOLLARS = {name: f"{name.lower()}-dollar" for name in ("AU", "CA", "NZ", "HK", "SG")} | {
    "A": "au-dollar",
    "C": "ca-dollar",
    "S": "sg-dollar",
    "R": "real",
}
_CURRENCIES = frozenset({"pound", "dollar", "euro", "yen", "rupee", "rouble", "yuan", "franc"}) | {
    "zloty",
    "krona",
    "krone",
    "south-korean-won",
    "hryvnia",
    "shekel",
    "baht",
    "dong",
}
_DEGREES = frozenset({"degree", "celsius", "fahrenheit"})


def unit_of_symbol(written: str) -> str:
    """Return the one name of a unit written as a symbol, or ""; "MW" is not "mW"."""
    small = written.lower()
    return _SYMBOLS.get(written) or _SIGNS.get(small) or _SMALL.get(small, "")


def currency_of_code(written: str) -> str:
    """Return the currency of a code such as that before an amount ("EUR 5"), or ""."""
    unit = _SIGNS.get(written.lower(), "") if written.isupper() else ""
    return unit if unit in _CURRENCIES else ""


def units_agree(one: str, other: str) -> bool:
    """Whether two units may be the same: a missing one may be any, "degree" may be of either scale.

    A rate may be named in part: "km/h" as "km", if "per hour" is in words.
    """
    if not one or not other or one == other:
        return True
    if "degree" in (one, other):
        return _DEGREES.issuperset((one, other))
    (base, _, per), (other_base, _, other_per) = one.partition("/"), other.partition("/")
    return base == other_base and not (per and other_per)
