"""Turns about the last answer itself: why, how it was worked out, anything cheaper, the same second-hand, what the rest
of the money brings, which sources, what was assumed."""

from assistant.understand.makers import wonders_why_not
from assistant.understand.text import grammar
from assistant.understand.turn import Reading
from assistant.understanding import Command

_COMMANDS: tuple[tuple[Command, str], ...] = (
    ("thanks", (
        r"^[\s,.!~]*(?:(?:ok(?:ay)?|great|cool|nice|perfect|awesome|got it|makes sense|understood|alright|good|i see"
        r"|(?:many )?thanks?(?: you)?|thx|ty|cheers|much appreciated|i (?:really )?appreciate it|(?:ha){2,4}|lol|wow"
        r"|(?:that's |that is |that was |this is |it's )?(?:very |super |really |so |quite )?(?:helpful|much|useful"
        r"|clear|interesting|fair(?: enough)?|good to know|all|it|impressive)"
        r"|that (?:helps|makes sense)|so much|a lot|for (?:the|your) (?:help|info|answer|explanation)|(?:let me|i'll"
        r"|i will|i need to) (?:think (?:about it|it over|on it)|think)|bye|see you|好的?|行|嗯{1,4}|哦{1,4}|明白了?"
        r"|懂了|了解了?|知道了|收到|谢谢(?:你|您|啦|了)?|多谢|感谢|辛苦了?|太好了|不错|可以|没问题了?|再见|拜拜|原来如此"
        r"|这样啊|学到了|哈{1,6}|给力|牛|帮大忙了|(?:你)?(?:这|那)?(?:也|可)?(?:很|太|真|挺|非常|好)?(?:有用|有帮助|清楚|清晰"
        r"|详细|专业|厉害|赞|棒)(?:了|啊|呀|呢)?|(?:解释|回答|说|讲)得?(?:很|真|挺|非常)?(?:清楚|好|详细|明白)"
        r"|我?(?:再|先|得)?(?:想想|考虑一?下|考虑考虑|研究一?下))(?![a-z])[\s,.!~]*){1,6}$"
    )),
    ("arithmetic", (
        r"(?:show|explain|give|see)(?: me)? (?:the |your )?(?:arithmetic|math|maths|calculations?|workings?"
        r"|formula|derivation|numbers|steps)|怎么算(?:的|出来)|算(?:一遍|给我看|式)|计算过程|推导|公式"
        r"|列(?:一下)?算式|how did you (?:calculate|compute|get|arrive)|(?:walk me through|break) (?:it "
        r"|the )?(?:down|numbers|calculation)"
    )),
    ("sources", (
        r"^\W*(?:the |your |any )?(?:sources?|references?|citations?)\W*$|(?:what|which|show|give"
        r"|cite)(?: me)? ?(?:are |is )?(?:the |your )?(?:sources?|references?|citations?)|出处|来源"
        r"|依据(?:是什么|呢|在哪)|参考(?:资料|文献)|according to (?:what|whom|which)|where (?:does"
        r"|did) (?:that|this|it) come from|有(?:什么)?依据"
    )),
    ("assumed", (
        r"what (?:did|do|are|were|have) you (?:assum\w{1,3}|understand|understood|tak\w{1,3} for granted)"
        r"|^\W*(?:the |your |any |which |what )?assumptions?\W*$"
        r"|(?:what|which|show|list)(?: me)? ?(?:are |were )?(?:the |your )?assumptions?"
        r"|what (?:assumptions|premises)|(?:什么|哪些|啥)(?:假设|前提)|假设(?:了|的)(?:什么|哪些|啥)"
        r"|(?:假设|前提)(?:条件)?(?:是什么|有哪些|呢|是啥|都有)|按什么(?:条件|情况|前提)算|你(?:是)?怎么理解"
    )),
    ("used", (
        r"^[\s,.]*(?:and |but |so |ok(?:ay)?,? |what about |how about |if )*(?:is |are |would |could |can )?"
        r"(?:it |i |we )?(?:be |buy(?:ing)? |get |go(?:ing)? |take |use |it's |don't mind |am |i'm |we're |open to "
        r"|happy with |fine with |ok with ){0,2}(?:a |an |the )?(?:used|second[- ]?hand|refurb\w{0,8}|pre-?owned)"
        r"(?: (?:cards?|gpus?|hardware|ones?|stuff|market|parts?))?(?: would| is| are| be| also| too)*"
        r"(?: (?:ok(?:ay)?|fine|good|acceptable|possible|alright|all right|an option|worth it|safe|instead|works?))?"
        r"(?: too| as well| then| for me| here| after all| again)?[\s?.!]*$"
        r"|^[\s,.]*(?:那|如果|要是|其实|我|可以)*(?:也|都)?(?:接受|能接受|可以接受|不介意|考虑|能买|可以买|买|用|换|找|收)?(?:点|个)?"
        r"二手(?:的|卡|货|显卡|机|市场)?(?:也|都|就)?(?:行|可以|能接受|没问题|ok|好|怎么样|如何|靠谱|能买|能考虑|便宜|无所谓|合适)?"
        r"(?:吗|么|嘛|不|的|呢|吧)*[\s?.!。]*$"
    )),
    ("rest", (
        r"(?:剩(?:下|余)?|余下|多(?:出来)?|富余|省下)(?:来)?的?(?:那些|这些|那点|这点)?(?:钱|预算|经费|资金|[0-9一二三四五六七八九十]{1,4}\s?[万千k])"
        r"[^。?!]{0,8}(?:干|做|买|换|怎么|什么|啥|能|用|花|升级|加)"
        r"|(?:rest|remainder|remaining (?:money|budget|cash)|left[- ]?over|what's left|what is left|spare (?:money|cash"
        r"|budget))(?: (?:of|from|over)?)?[^.?!]{0,24}(?:money|budget|cash|buy|do|get|spend|upgrade|for|go|\?|$)"
        r"|(?:spend|do with|use) (?:the |what's |what is )?(?:rest|left ?over|remaining|remainder|what remains)"
    )),
    ("cheaper", (
        r"(?<!which is )(?<!which one is )(?<!which one's )(?<!one )cheaper(?! (?:to rent|per|an hour))"
        r"|less expensive|lower[- ]cost|(?:more )?便宜(?:点|一点|些|的)?(?!.{0,4}吗.{4})|省钱"
        r"|更?低(?:价|成本)|budget option|平替|太贵|too (?:expensive|pricey|much money)|不能再低"
    )),
    ("why", (
        r"^\s*(?:but |and |so |ok |那)?(?:why|how come|为什么|为啥|凭什么|咋回事|原因)(?:\s?(?:is that|not"
        r"|so|呢|这样|会这样|不行|不够|那么多|so much|that much|that many))?\s*[?。!]*\s*$|why(?: is that"
        r"|'s that| not| so (?:much|many|slow|expensive))|^\s*为(?:什么|啥)(?:会)?差(?:这么|那么)?(?:多|大|远)"
        r"|为(?:什么|啥)(?:会)?(?:这么|要这么|需要这么|不行"
        r"|不够|不能)"
        r"|^[\s,.]*(?:but |and |so |ok(?:ay)?,? )*why (?:this|that|these|those|it|the (?:first|same))"
        r"(?: (?:particular|exact|specific))?(?: (?:cards?|gpus?|ones?|choice|config\w*|setup|machine))?[\s?.!]*$"
        r"|why (?:did|do|would|are|have) you (?:\w{1,8} )?(?:pick|choos|chose|recommend|suggest|propos|tak|select)\w*"
        r"|what makes (?:this|that|it)(?: card| gpu| one)? (?:the |a )?(?:best|right|good|better)"
        r"|(?:reasons?|reasoning|rationale) (?:for|behind) (?:this|that|the|your) "
        r"(?:choice|card|gpu|pick|recommendation|suggestion)"
        r"|^[\s,.]*(?:那|但)?(?:为(?:什么|啥|何)|凭什么|干嘛)(?:会|要|就|是|非)?(?:要)?(?:选|推荐|用|买|挑|建议)?"
        r"(?:这|那|它)(?:一?[张款块个种台])?(?:显?卡|gpu|机器|方案|配置|型号)?(?:呢|啊)?[\s?.!。]*$"
        r"|(?:选|推荐|建议)(?:它|这|那)[^,。?]{0,6}(?:理由|原因|依据)|^[\s,.]*(?:什么|啥)?(?:理由|原因)(?:是什么|是啥|呢)?[\s?.!。]*$"
    )),
)  # fmt: skip
_COMPILED = tuple((command, grammar(rule)) for command, rule in _COMMANDS)
_LONGEST = 80
"""Characters of a turn that asks no more than that."""
_BESIDE = {"acquisition", "task", "country", "matter", "way_open"}
"""Slots that such a turn may seem to state."""
_EITHER = grammar(
    r"(?:buying|renting|owning|to (?:buy|rent|own)|if (?:i|we) (?:buy|bought|rent|rented)|买|租|自购|自建)"
    r"[^.?!。]{0,24}(?:cheaper|less expensive|便宜|省钱|划算)"
    r"|(?:cheaper|便宜|划算)[^.?!。]{0,6}(?:to (?:buy|own|rent)|if (?:i|we) (?:buy|rent))"
    r"|better off (?:to )?(?:buy|own|rent)|(?:make|makes) (?:more )?sense to (?:buy|own|rent)"
    r"|(?:自己买|买断|直接买|长租)[^.?!。]{0,6}(?:是不是|会不会)(?:更)?(?:好|合适|划算)"
)
"""Owning held against renting: that is a question of its own."""
_WHICH = grammar(r"哪(?:个|张|种|款|家|边|一)|谁|which|(?<![a-z])or(?![a-z])|还是")
"""Words that choose between things."""


def command_of(reading: Reading) -> Command | None:
    """What the turn wants of the last answer; one that states new slots is a question."""
    plain = reading.text.plain
    if set(reading.slots) - _BESIDE or len(plain) > _LONGEST:
        return None
    found = next((command for command, rule in _COMPILED if rule.search(plain)), None)
    if found == "why" and wonders_why_not(plain):
        return None
    return None if found == "cheaper" and (_EITHER.search(plain) or _WHICH.search(plain)) else found


def weighs_either(plain: str) -> bool:
    """Whether owning is held against renting, whatever was ruled out before."""
    return _EITHER.search(plain) is not None
