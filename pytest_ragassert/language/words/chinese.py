"""Chinese: its function words, numbers, units and opposites.

The script has no spaces. Words in these tables are cut out of a stretch; of the rest, pairs of
neighbouring characters serve as words. Single characters that also build longer words
(会 能 地 有) are not stop words here, because cutting them out would break those words.
"""

from __future__ import annotations

from .language import Language, clock, forms, opposites, word_set

_DAY_NAMES = {
    "一": "mon",
    "二": "tue",
    "三": "wed",
    "四": "thu",
    "五": "fri",
    "六": "sat",
    "日": "sun",
}
_WEEKDAYS = {
    f"{each}{week}{day}": f"周{'日' if day == '天' else day}"
    for each in ("", "每")
    for week in ("周", "星期", "礼拜")
    for day in "一二三四五六日天"
}

LANGUAGE = Language(
    code="zh",
    stop_words=word_set("""的 了 是 和 与 及 或 也 都 就 而 但 这 那 他 她 它 们 把 被 每 为
        吗 呢 吧 啊 之 其 着 在 从 于 以及 并且 而且 但是 可是 然而 因为 所以 因此 由于 如果
        那么 虽然 尽管 即使 这个 那个 这些 那些 这里 那里 他们 她们 它们 我们 你们 咱们 自己
        什么 怎么 怎样 如何 为什么 哪里 哪个 多少 以上的 其中 其他 其它 另外 此外 关于 对于
        根据 按照 通过 为了 当时 之后 之前 的话 等等 以及 或者 还是 就是 只要 只有 才能 可以
        能够 需要 应该 必须 一个 一种 一些 进行 属于 来自 位于 成为 作为 称为 被称为 具有 拥有
        包括 包含 您 你 请"""),
    light=word_set("""非常 十分 特别 更加 比较 仅 仅仅 只 所有 全部 每个 许多 很多 大多数
        大部分 部分 少数 几乎 大约 大概 左右 至少 至多 最多 最少 超过 不到 以上 以下 以内 经常
        常常 有时 总是 已经 曾经 仍然 依然 一直 一般 通常 可能 也许 或许 主要 最 很 更 还 再
        又 才"""),
    universals=word_set("所有 全部 每个 总是 仅 仅仅"),
    first_person=word_set("我 我的 我认为 我觉得"),
    pronouns=word_set("它 它们 他 他们 她 她们 其 该"),
    negators=word_set("""不可以 不能够 不应该 不需要 不允许 不必 不应 没法 不 没 没有 未 无 非
        并非 并未 从未 从不 不是 不能 不会 不得 不可 不准 不许 禁止 严禁 尚未 无法 无需 不再
        未能"""),
    not_negating=word_set("仅 仅仅 只 超过 少于 多于"),
    carriers=word_set("证据 迹象 理由"),
    hedges=word_set("约 大约 大概 近 将近 至少 至多 最多 最少 超过 不到 接近"),
    year_words=word_set("在 于 从 自 到 至"),
    small={},
    scales={"十": 1, "百": 2, "千": 3, "万": 4, "十万": 5, "百万": 6, "千万": 7, "亿": 8, "十亿": 9}
    | {"百亿": 10, "千亿": 11, "万亿": 12},
    units=forms("""kilogram 公斤 千克,gram 克,milligram 毫克,tonne 吨,jin 斤,kilometre 公里
        千米,metre 米,centimetre 厘米 公分,millimetre 毫米,mile 英里,foot 英尺,inch 英寸,mu
        亩,hectare 公顷,square-metre 平方米,square-kilometre 平方公里 平方千米,cubic-metre
        立方米,second 秒 秒钟,minute 分钟,hour 小时 个小时 钟头,day 天 日 号,week 周 星期 个星期
        礼拜,month 个月,year 年,litre 升 公升,millilitre 毫升,watt 瓦,kilowatt 千瓦, kilowatt-hour
        度电 千瓦时,watt-hour 瓦时,volt 伏 伏特,kilovolt 千伏,ampere 安 安培,milliampere 毫安,
        milliampere-hour 毫安时,ampere-hour 安时,hertz 赫 赫兹,kilohertz 千赫 千赫兹,megahertz 兆赫
        兆赫兹,joule 焦 焦耳,kilojoule 千焦,kilocalorie 千卡 大卡,pascal 帕,kilopascal 千帕,decibel
        分贝,pixel 像素,horsepower 马力,micrometre 微米,nanometre 纳米,microgram 微克,ounce 盎司,
        pound-mass 磅,gallon 加仑,yard 码,tablespoon 汤匙,teaspoon 茶匙,carat 克拉,byte 字节,
        degree 度,celsius 摄氏度,fahrenheit 华氏度,% 个百分点,jiao 角,fen
        分钱,yuan 元 块 块钱 人民币 元人民币,dollar 美元,euro 欧元,pound 英镑,yen 日元,
        hk-dollar 港元 港币,rouble 卢布,knot 节"""),
    clock=clock(
        r"\s?[点點时時](?:(?P<minute>[0-5]?\d|[一二三四五六七八九十]{1,3})分"
        r"|(?P<bare_minute>[0-5]\d)(?!\d)|(?P<half>半)|(?P<quarter>一刻)|(?P<three_quarters>三刻)|[整钟鐘])?"
        # "3点建议" are three pieces of advice
        r"(?![建意])",
    ),
    day_halves={
        "上午": "am",
        "早上": "am",
        "早晨": "am",
        "清晨": "am",
        "凌晨": "am",
        "早": "am",
        "中午": "noon",
        "下午": "pm",
        "午后": "pm",
        "傍晚": "evening",
        "晚上": "evening",
        "晚间": "evening",
        "晚": "evening",
        "夜里": "night",
        "深夜": "night",
        "半夜": "night",
    },
    times={"正午": "12:00", "午夜": "0:00"},
    minus=("零下", "负"),
    sections=word_set("版本 第 章节 图 表 附录"),
    series=forms("""spring 春季 春天,summer 夏季 夏天,autumn 秋季 秋天,winter 冬季 冬天,daily 每天
        每日,weekly 每周,monthly 每月,quarterly 每季度,yearly 每年,hourly 每小时,每分钟,每秒""")
    | {form: _DAY_NAMES[day[-1]] for form, day in _WEEKDAYS.items()},
    irregular=_WEEKDAYS,
    once=word_set("""出生 去世 逝世 成立 建立 创立 创建 建成 落成 开业 开幕 启用 发布 出版
        发明 发现 签署 废除 解散 关闭 沉没 竣工 通车 生效"""),
    opposites=opposites("""开始 开放 开启 营业/结束 关闭 停止 停业,增加 上升 增长 提高/减少
        下降 降低,允许 准许/禁止 拒绝,包括 包含/排除,赢得 获胜/输掉 失败,购买 买入/出售 卖出,
        进入/离开,到达 抵达/出发 离开,最低/最高,首次/最后,南部/北部,东部/西部,进口/出口,
        成功/失败,男性/女性,免费/收费,早上/晚上,上午/下午"""),
    fixed=word_set("""船只 认为 行为 人为 百分之 第 非法 除非 是非 不过 不同 不仅 不但 不断
        不如 不少 不久 不锈钢 无论 无线 无数 无人机 未来 未婚 非洲 非遗 没关系 没收 特别 区别
        别墅 一起 一定 一样 一下 一旦 一致 统一 唯一 第一 之一 万一 千万别 三明治 三角 十字
        百姓 百货 千里 万能 四川 九龙 五金 七夕 目的 的确 的士 了解 为了 是否 和平 和谐 与会
        参与 普及 或许 也许 首都 都市 成就 就业 这样 那样 把握 被动 着陆 存在 现在 正在 从事
        从此 从来 关于 由于 于是 其实 极其 尤其 但愿 而已 总之 再见 更新 更换 最近 最后 很快
        还有 才能 只是 又称 最高 最低 最大 最小 最早 最晚 最新 最长
        春季 春天 夏季 夏天 秋季 秋天 冬季 冬天 每天 每日 每周 每月 每年 每季度 每小时
        每分钟 每秒"""),
    counters=word_set("""个 名 位 人 次 条 种 层 岁 倍 张 艘 班 点 只 辆 家 座 件 本 台 间 套
        份 页 场 届 项 枚 棵 头 匹 口 户 所 架 部 支 级 楼 路 成 折 分 月 年代 世纪 多 余 几
        号线"""),
)
