"""The wide shapes of questions: what is asked for, by the thing that the question word goes with."""

from assistant.understand.quantities import GPU, MODEL
from assistant.understand.slowness import SLOWNESS
from tools.need import Intent

_HARDWARE = (
    rf"(?:{GPU}{{1,60}}s?|gpus?|(?:graphics |video )?cards?|servers?|machines?|laptops?|workstations?|rigs?|builds?"
    r"|boxes|nodes?|pcs?|setups?|hardware)(?![a-z_])"
)
_TIME = r"(?:秒|分钟|小时|钟头|天|日|周|礼拜|星期|个?月|晚上|夜|周末)"
_DO = r"(?:跑|部署|运行|训练?|微调|练|装|玩|带|塞|用|上|lora|qlora|sft|推理|推|调|serve|host|run)"

SHAPES: tuple[tuple[Intent, float, str], ...] = (
    ("how_many_gpus", 4.5, (
        r"(?<![这那哪前后好有])(?<!小时)(?<!小时 )(?<!一天)(?<!个月)(?<!一月)几\s?(?:张|块|片|台|卡"
        r"|枚)(?!图|照|片|钱|机箱)"
        r"|(?<!出)多少\s?(?:张|块|片|台|卡)(?!图"
        r"|照|钱)"
        rf"|(?:how many|(?:least|lowest|min\w{{0,4}}|smallest|fewest) (?:number|amount|count) of|what (?:size|number"
        rf"|count) (?:of )?) (?:\S{{1,16}} ){{0,4}}?(?:clusters?(?![a-z])"
        rf"|{GPU}|gpus?(?![a-z_]|[- ]?hours?)|nodes?(?![a-z])|cards?(?![a-z]))|(?:what size|how (?:big"
        rf"|large)) (?:\S{{1,16}} ){{0,4}}?clusters?"
    )),
    ("training_time", 5.5, (
        r"how many tokens[^.?!\n]{0,40}?(?:train|tune)|(?:能|可以)训(?:练)?多少\s?(?:b|亿|万|百万)?\s?个?token"
    )),
    ("training_time", 5, (
        rf"[一二两三四五六七八九十半几\d]{{1,4}}\s?个?{_TIME}(?:之?内|以内|时间|左右)?\s?(?:能|可以|够|来得及|可否)?"
        r"(?:不能|否)?[^。?!\n]{0,8}?(?:训|跑|练|调|搞|弄|做)(?:得|不)?(?:完|好|出来)"
        r"|(?:训|跑|练)(?:得|不)完|(?:train|tun|epoch|lora|sft|scratch|pretrain)\w{0,4}[^。!\n]{0,80}?"
        r"(?:days|hours|weeks|how long|duration|eta|time)\s?(?:\?|$)"
        r"|(?:finish|complete|done|wrap up)\w{0,3}[^。?!\n]{0,80}?(?:in (?:a|one|under|less)|within|before|by (?:mon"
        r"|tue"
        r"|wed|thu|fri|sat|sun|tomorrow)|overnight|over (?:the|a) weekend)"
        r"|(?:train|pretrain|tun)\w{0,4}[^。?!\n]{0,50}?(?:tokens?|epochs?)[^。?!\n]{0,20}?(?:within|in under"
        r"|in less than)"
        r"|要(?:跑|训|练)?几天|跑几天|训几天"
    )),
    ("what_fits", 4.8, (
        r"(?:能|可以)(?:拿来?|用来?)?(?:干|做)(?:点|些)?(?:什么|啥|嘛)|有(?:什么|啥)(?:用处|用途)|派(?:什么|啥)用场"
    )),
    ("what_fits", 5, (
        rf"(?:能|可以|够|还能|适合)[^。?!\n]{{0,6}}?{_DO}(?:得?动|起来?|点|些|个|下)?\s?(?:点|些|个)?\s?(?:什么|啥"
        rf"|哪些|哪个|多大)"
        r"(?:的|样的?)?|(?:什么|啥|哪些|多大)(?:的)?(?:本地|开源|离线)?(?:大)?(?:语言)?模型(?:能|可以|合适|适合|好|跑"
        r"|比较)"
        r"|what (?:can|could|should|would) (?:i|we|you) (?:\w{1,10} )?(?:serve|host|deploy|run|train|do|use"
        r"|fine[- ]?tune|load)"
        r"(?: on| with|\s?\?|$| here)|(?:max(?:imum)?|biggest|largest) (?:model )?(?:size|params?|parameters?)"
    )),
    ("what_fits", 7, (
        r"(?:biggest|largest|best) (?:llm|model|one)[^.?!\n]{0,40}?(?:at|over|above|with|faster than|hits?|reach\w{0,3}"
        r"|gets?) "
        r"(?:at least |about |around |more than )?\d{1,4}\s?\+?\s?(?:tok|t/s|tps)"
        r"|(?:tok\w{0,3}(?:/s|/秒)?|t/s|速度)[^。?!\n]{0,14}"
        r"(?:最大|最多|多大)[^。?!\n]{0,8}(?:跑|带|上)?[^。?!\n]{0,6}(?:多大|模型|b)"
    )),
    ("what_fits", 5.6, (
        r"(?:跑|装|部署|用|玩)(?:个|一个|点)?[^。?!\n]{0,14}?模型\s?(?:求?推荐|有(?:什么|啥)推荐)"
        r"|推荐(?:个|一个|一款|几个|一下|点)?[^。?!\n]{0,16}?模型(?!的?(?:卡|显卡|机器|配置|服务器|电脑))"
        r"|recommend(?:ed|ation|ations)?(?: me)?(?: for)? "
        r"(?:an? |some |any |the best )?(?:\w+[ -]){0,3}(?:llms?|models?)(?![a-z])"
    )),
    ("context_length", 6, (
        r"how many (?:kv )?tokens (?:of |in |worth of )?(?:the )?(?:kv[- ]?)?(?:cache|context)"
        r"|(?:能|可以)开(?:到|得)?多长"
        r"|kv ?(?:cache|缓存)[^。?!\n]{0,8}(?:多少|几)\s?个? ?tok"
    )),
    ("what_fits", 5.5, (
        r"(?:biggest|largest|heaviest|most) (?:thing |one |size )?(?:that )?(?:i|we|you|one|it) (?:can|could|might)"
        r"(?: \w{1,12})? (?:run|fine-?tune|finetune|train|tune|fit|load|host|serve|lora|qlora|handle)(?![a-z])"
    )),
    ("what_fits", 6, (
        rf"{MODEL}{{1,60}}[^。?!\n]{{0,24}}?(?:能|可以|够|该|适合|选|用|跑|上|装|下){{1,3}}(?:到|得?动)?\s?"
        r"(?:哪个|哪一个|哪种|什么)(?:尺寸|版本|大小|参数量|规格)"
        rf"|(?:which|what) (?:size|version|variant)s? (?:of )?(?:the )?{MODEL}{{1,60}}[^.?!\n]{{0,24}}?"
        r"(?:can|could|fits?|runs?|should|would|on|for)(?![a-z])"
    )),
    ("which_to_buy", 4, (
        r"recomi?end\w{1,6}|recommand\w{1,5}|empfehl\w{1,6}|consigli\w{1,5}|conseill?\w{1,5}|추천|おすすめ|お勧め"
        r"|オススメ|посовет\w{1,6}"
    )),
    ("context_length", 5, (
        r"(?:上下文|序列|长度|context|ctx)(?:长度|窗口)?(?:最多|最大|最长|到底|大概)?(?:能|可以|可)?"
        r"(?:开|拉|设|支持|跑)(?:到)?(?:多大|多少|多长|几k)"
        r"|(?:how (?:long|large|big|much|far)|what(?:'s| is)? the (?:longest|largest|max\w{0,4}))"
        r" (?:of )?(?:an? )?(?:context|ctx|prompt)"
    )),
    ("context_length", 5, (
        r"how (?:far|high|long) (?:can|could|should|would) (?:i|we|you|one) (?:push|go|take|stretch|set|raise|crank)"
        r"[^.?!\n]{0,24}?(?:-c(?![a-z])|ctx|context|num_ctx|max[-_]model[-_]len|seq)"
    )),
    ("context_length", 4.5, (
        r"(?:what|which|safe|max\w{0,4}|largest|合适的?|最大的?)[^。?!\n]{0,16}?(?:max[-_ ]model[-_ ]len|num[-_]ctx"
        r"|n[-_]ctx|ctx[-_]size)"
    )),
    ("training_time", 4, (
        r"(?:多少|几)秒(?:一|每)步|(?:一|每)步(?:要)?(?:多久|几秒|多少秒)|seconds per step|s/it(?![a-z])"
    )),
    ("which_to_buy", 4, (
        rf"(?:best|good|right|cheapest|ideal|decent|suitable|low[- ]power|quiet|efficient|used|budget)"
        rf"(?: [^\s.?!]{{1,16}}){{0,6}}? {_HARDWARE}(?! ?(?:is|are) (?:faster|better))"
        rf"|(?:iso|looking for|in the market for|shopping for|recommend|suggest|want|need) (?:me )?(?:an?|some"
        rf"|the)(?: [^\s.?!]{{1,16}}){{0,4}}? {_HARDWARE}|^(?:iso|wtb)(?![a-z])|with (?:the )?most (?:v?ram|memory)"
        rf"|most (?:v?ram|memory) (?:for|per|under)"
        rf"|(?:选|挑|推荐|买|配|搞|整|弄|组|攒)(?:哪|什么|啥|一?(?:个|款|台|张|块|套))(?!\s?{GPU})\s?(?:什么|啥"
        r"|合适的?)?\s?(?:样的?)?\s?"
        r"(?:机器|卡|显卡|服务器|工作站|主机|电脑|笔记本|好|配置|合适)?|(?:建议|推荐)(?:用|买|上|选|配)?(?:什么|哪)"
    )),
    ("concurrency", 4.5, (
        r"(?:how many|max(?:imum)?(?: number of)?) (?:\w{1,14} ){0,3}?(?:users?|people|requests?|sessions?|clients?"
        r"|streams?"
        r"|conversations?|employees|students)(?![a-z])|(?:多少|几|最多)(?:个|路)?\s?(?:人|用户|并发|请求|会话"
        r"|路)(?!民|工)"
        r"|能(?:同时)?(?:扛|抗|撑|支持|服务|顶)(?:得?住)?(?:多少|几)"
    )),
    ("compatibility", 4.5, (
        r"(?:说|提示|显示|都)?不支持|(?:is|are|was)?(?:n't| not) supported|unsupported|(?:does|do)(?:n't| not) support"
        r"|(?:supported|compatible)\s?(?:\?|$|on|with|by)|支不支持|支持[^。?!\n,]{1,14}[吗么]"
        r"|(?:blackwell|hopper|ampere|ada|turing|volta)[- ]only|only (?:on |for )?(?:blackwell|hopper|ampere|ada)"
    )),
    ("interconnect", 4.5, (
        r"\d{1,3}\s?g(?:b|bps|be|bit|b/s)?\s?(?:的)?(?:网|以太|ethernet|网络|网卡|带宽的?网|lan(?![a-z])|link(?![a-z])"
        r"|nic(?![a-z])|network)|通信(?:瓶颈|开销|拖|慢|耗时|占)|网络(?:瓶颈|带宽|拖)|(?:network|communication|comms)"
        r" (?:bottleneck|overhead|bound)|卡间(?:通信|互联|带宽)|thunderbolt|雷电|oculink|egpu|转接|延长线"
    )),
    ("interconnect", 5.5, (
        r"same (?:time|speed|throughput)[^.?!\n]{0,40}?(?:as )?(?:one|1|a single|single) (?:card|gpu)"
        r"|(?:one|1|a single|single) (?:card|gpu)[^.?!\n]{0,40}?(?:same|just as|as fast|faster)"
        r"|比(?:单卡|一张|单张|一块)\D{0,4}(?:慢|快\s?\d{1,2}\s?%)"
        r"|(?:only|just) (?:\d{1,2} ?%|[\d.]{1,4} ?x) (?:faster|quicker"
        r"|the speed)"
        r"|张量并行[^。?!\n]{0,8}?(?:有意义|值得|划算)"
        r"|只(?:有|快)(?:了)?[\d.]{1,4} ?倍|(?<![a-z])(?:tp|pp)\s?=?\s?\d[^.?!\n]{0,60}?(?:slower|no faster|慢)"
        r"|no (?:faster|quicker) (?:than|with)"
        r"|(?:和|跟|与)(?:一张|单卡|单张)[^。?!\n]{0,8}(?:一样|差不多)(?!的?价|的?显存)"
    )),
    ("interconnect", 6.5, (
        r"(?:why|how come|expected|shouldn't)[^?!\n]{0,60}?(?:two|more|multiple|several|extra|additional"
        r"|(?<![a-z\d.])[2-9](?![\d.])|\d-way)"
        rf"(?: more)? ?(?:{GPU}{{1,60}}s?|gpus?|cards?|tp)?[^?!\n]{{0,24}}?(?:slower|no faster|not faster|worse)"
        r"|(?:more|extra|additional) (?:gpus|cards)[^.?!\n]{0,40}?(?:slower|no faster|not (?:any )?faster|worse)"
        r"|(?:slower|no faster|worse) (?:with|on|when using|using|than one when) (?:two|2|more|multiple|both|all|\d)"
        r"|(?<![a-z])(?:tp|tensor[-_ ]parallel\w{0,5})\s?[=:]?\s?\d[^?!\n]{4,80}?(?<![a-z])(?:tp"
        r"|tensor[-_ ]parallel\w{0,5})"
        r"\s?[=:]?\s?\d[^?!\n]{0,80}?(?:fast|slow|opposite|other way|t/s|tok)"
    )),
    ("interconnect", 6, (
        r"how (?:bad|much (?:slower|worse|of a hit)|big (?:of )?an? (?:hit|penalty|loss))[^.?!\n]{0,30}"
        r"(?:[x×][148](?![a-z0-9])|pcie|slot|lanes?|riser|nvlink)"
    )),
    ("cloud_or_buy", 6, (
        r"(?:makes? sense|pays? off|any point) (?:for (?:us|me) )?(?:to |in )?(?:own|buy)(?:ing)?(?![a-z])"
        r"|when (?:does|do|will|would) (?:\w+ ){1,3}(?:pay|pays) (?:off|for)|break[- ]?even"
        r"|(?:per|/|an?) ?(?:gpu[- ]?)?(?:hr|hour|h)(?![a-z])[^?\n]{0,40}(?:vs\.?|versus|or|against"
        r"|compared (?:to|with))"
        r" (?:buy|own|purchas)ing"
    )),
    ("speed", 6, (
        r"\d ?(?:s|secs?|seconds?|mins?|minutes?) (?:per|a|an|for (?:an?|one|each)|each) (?:image|picture|pic|frame"
        r"|clip|video)|(?:一张|每张|一张图|出图)(?:要|需要|得)?\s?\d{1,4}\s?(?:秒|分钟?)"
    )),
    ("spec", 6.5, (
        r"(?<![a-z])(?:does|do|is|are|has|have|can)(?![a-z])[^?\n]{0,40}?nvlink[^?\n]{0,32}?(?:support|possible"
        r"|available)|support\w{0,3} nvlink|nvlink support"
    )),
    ("compare", 4.5, (
        rf"(?:does|do|would|will|can)[^.?!\n]{{0,40}}?(?:beats?|outperforms?|outruns?)(?: an?| the| my)? {GPU}{{2,40}}"
    )),
    ("compare", 4.5, (
        rf"{GPU}[^。?!\n]{{0,14}}?(?:和|与|跟|比|、|/|(?<![a-z])(?:and|or)(?![a-z]))[^。?!\n]{{0,14}}?{GPU}[^。?!\n]{{0,30}}?"
        rf"(?:慢|快|差)(?:多少|多大|很多|几成)|{GPU} (?:against|compared (?:to|with)) (?:an? |the )?{GPU}"
    )),
    ("compatibility", 7, (
        r"libcuda\.so|libcudart|no cuda gpus|torch not compiled with cuda|undefined symbol|找不到 ?(?:cuda|驱动|显卡)"
        r"|nvidia driver on your system is too old|found version 1\d{4}|driver version is insufficient"
    )),
    ("interconnect", 6, (
        r"(?:\d ?gbe|gigabit|ethernet|infiniband|over (?:two|2|several|\d+) (?:nodes|machines|servers))[^.?!\n]{0,60}"
        r"(?:slower|slow|bottleneck)"
    )),
    ("interconnect", 6, (
        r"(?:slot|chipset|lanes?|risers?|[x×][148](?![a-z0-9]))[^?!\n]{0,40}?(?:hurt|slow|matter|penalt|bottleneck|影响|拖慢|变慢)"
    )),
    ("cloud_or_buy", 5, (
        r"租(?:什么|啥|哪|几)|(?:一|每|/)个?小时\s?要?(?:几块|多少钱)|包月"
    )),
    # an order to buy, with or without a question
    ("which_to_buy", 6, (
        r"^(?:please |(?:i|we)(?: a|')?(?:m|re)? ?(?:want|need|have|plan\w{0,4}|look\w{0,3}|going)? ?(?:to )?"
        r"|help (?:me|us) )?"
        r"(?:buy|purchase|procure|order)(?:ing)? (?:an? |one |two |some |new )*(?:\w{1,12} )?"
        r"(?:servers?|machines?|box(?:es)?|clusters?|workstations?|rigs?|nodes?|gpus?|cards?|hardware|pcs?)(?![a-z])"
    )),
    # a model that answers slowly, of which no more is told
    ("speed", 6.4, (
        r"^(?!.*(?:比|than|slower|faster|训|微调|tun|train|lora|nvlink|pcie|双卡|加卡|买|buy|upgrade|升级|换|够|enough))"
        rf".*(?:{SLOWNESS})"
    )),
    # a card in hand against the cloud: whether the card does comes first, however much else is said of renting
    ("can_it_run", 16, (
        rf"(?:用|拿|靠|自己的?|手上的?|手头的?|现有的?|本地的?)[^。?!\n买攒配装]{{0,8}}?{GPU}{{1,40}}[^。?!\n买划算省值]{{0,12}}?"
        r"还是(?:去|直接|说|不如|干脆)?\s?(?:租|上云|用云|云上)"
        r"|(?:use|using|keep|stick with|on) (?:my|the|our)(?: own)? [^.?!\n]{0,40}?(?<![a-z])or"
        r" (?:just |simply |should (?:i|we) )?(?:rent|(?:use |go )?(?:to )?(?:the )?cloud|colab|runpod|vast)"
    )),
    ("cloud_or_buy", 6, (
        r"租[^。?!\n]{0,20}?买[^。?!\n]{0,20}?(?:省钱|划算|便宜|合算)|买[^。?!\n]{0,20}?租[^。?!\n]{0,20}?(?:省钱|划算|便宜|合算)"
        r"|(?:monthly|per month|bill|cost)[^.?!\n]{0,24}(?<![a-z])rented"
    )),
    ("interconnect", 5, r"通信[^。?!\n]{0,8}瓶颈|瓶颈[^。?!\n]{0,8}通信"),
    ("guidance", 9, (
        r"loss[^.?!\n]{0,30}?(?<![a-z])nan(?![a-z])|(?<![a-z])nan(?:s)? (?:loss|grad\w*|after|at step|in the)|nan ?了"
        r"|(?:变成?|出现|全是) ?nan|(?:grad\w* norm|loss)[^.?!\n]{0,20}?(?<![a-z])inf(?![a-z])"
    )),
    ("guidance", 9, (
        r"watchdog caught|collective operation time-?out|(?:nccl|rccl|hccl|all_?reduce|all_?gather|barrier|rendezvous"
        r"|init_process_group)[^\n]{0,60}?(?:time[sd]?[- ]?out|hang|hung|stuck|freez|froze|超时|卡死|卡住|hang ?住)"
        r"|(?:time[sd]?[- ]?out|hangs?|hung|stuck|freezes|froze|超时|卡死|卡住)[^\n]{0,40}?(?:nccl|all_?reduce"
        r"|all_?gather|init_process_group)|unhandled (?:system|cuda) error"
        r"|nccl(?:system|internal|remote|unhandled)\w{0,8}error"
    )),
    ("which_to_buy", 4.5, (
        r"(?:what|which)(?: (?:hardware|kit|gear|machines?|servers?|setup|gpus?|cards?|rig)){0,2} (?:do|would|will)"
        r" (?:we|i|one|you) need(?! (?:to (?:know|do|change|install|set)|for the (?:cache|weights)))"
        r"(?![^?.!\n]{0,20}(?<![a-z])(?:v?ram|memory))"
        r"|what (?:would|will|does) it take to (?:run|serve|host|deploy|train)"
    )),
    ("which_to_buy", 4, (
        r"(?:which|what) (?:\w{1,12} )?config(?:uration)?\s?(?:\?|$|(?:should|do|would) (?:we|i) (?:buy|order|get))"
    )),
    ("which_to_buy", 5, r"what (?:do|should|would|can|could) (?:we|i|one|you) (?:buy|get|order|purchase)(?![a-z])"),
    ("which_to_buy", 4.2, (
        r"(?:给|求|有)(?:点|什么|些|个)?(?:建议|意见)|(?:any|some) (?:advice|suggestions)"
        r"|(?:gpu|card|hardware|server) (?:suggestions?|recommendations?|advice)"
    )),
    # a model to be had by others: what to serve it with is what to order
    ("which_to_buy", 5, (
        rf"(?:best|cheapest|simplest|easiest|most (?:sensible|economical|cost[- ]effective)|right|good) way to"
        rf" (?:serve|host|deploy|self-host|run|offer|provide)[^.?!\n]{{0,24}}?{MODEL}"
        rf"|(?:what|which way) (?:should|would|could|do|can|must) (?:i|we|one|you) (?:best )?(?:use|take) to"
        rf" (?:serve|host|deploy|self-host|run)[^.?!\n]{{0,12}}?{MODEL}"
        rf"|how (?:do|can|should|would|could) (?:i|we|one|you) (?:best )?(?:serve|host|deploy|self-host|run|offer"
        rf"|provide)[^.?!\n]{{0,12}}?{MODEL}{{1,60}}[^.?!\n]{{0,12}}? (?:for|to|in|at) (?:\w{{1,12}} ){{0,2}}?"
        rf"(?:\d|company|team|office|staff|colleagues|coworkers|employees|people|users|students|everyone)"
        rf"|(?:给|为|供)(?!多少|几)[^。?!\n]{{0,12}}?(?:人|员工|同事|用户|团队|部门?|公司|学生|老师)[^。?!\n]{{0,8}}?"
        rf"(?:搭|部署|上线?|跑|用)[^。?!\n]{{0,8}}?{MODEL}{{1,60}}[^。?!\n]{{0,14}}?(?:怎么|如何|方案|合适|好|[?]|$)"
        rf"|(?:怎么|如何|用什么|拿什么)[^。?!\n]{{0,20}}?(?:部署|搭建?|上线|跑)[^。?!\n]{{0,8}}?{MODEL}{{1,60}}[^。?!\n]{{0,14}}?"
        rf"(?:合适|最好|比较好|划算|省钱|靠谱|稳妥)"
    )),
    ("cloud_or_buy", 3.5, (
        r"(?:aws|gcp|azure|google cloud|阿里云|腾讯云|华为云|火山|runpod|lambda|vast|coreweave|autodl)[^。?!\n]{0,24}?"
        r"(?:instances?|vms?|实例|机型|规格)(?![a-z])|(?:instances?|vms?|实例|机型)[^。?!\n]{0,12}?(?:for|to|适合|跑"
        r"|部署)"
        r"|租(?:的话|来|一下|哪)"
    )),
    ("cloud_or_buy", 6, (
        r"(?:hourly|per[- ]hour) (?:price|rate|cost|rental|charge)s?"
        r"|(?:price|rate|cost|charge)s? (?:per|an|by the) hour"
        r"|(?:每小时|小时)的?(?:价格?|租金|单价|费用)(?!的?电)|时租"
    )),
    ("cloud_or_buy", 5, (
        r"(?:cheap\w{0,4}|price|cost\w{0,2}|best|where)[^。?!\n]{0,24}?(?<![a-z])rent(?:ing"
        r"|al)?(?![a-z])"
    )),
    ("speed", 6, r"(?<!\d)(?<!\d )tok(?:en)?s? ?(?:per|/|a) ?s(?:ec(?:ond)?)?\s?\?"),
    ("cloud_or_buy", 9, (
        r"(?:hours|hrs|h) (?:a|per|each|every) (?:day|week|month)[^!\n]{0,60}?should (?:we|i) (?:just )?"
        r"(?:buy|own|purchase)"
        r"|(?:买|自建|自己)[^。?!\n]{0,8}还是(?:直接)?(?:调|用|走|买)?\s?(?:第三方|云端|官方|大厂)?(?:的)?\s?api"
        r"|(?<![a-z])api[^。?!\n]{0,10}还是[^。?!\n]{0,8}(?:买|自建)"
    )),
    ("which_to_buy", 6, r"(?:加|添|换|补|增加|升级)(?:成|到|张|块|个)?(?:什么|啥|哪[种款张个]?)(?:显)?卡"),
    ("speed", 4.5, r"what (?:kind of |sort of )?(?:speeds?|tok\w{0,5}|throughput|performance)(?! tier)"),
    ("speed", 5.5, (
        r"(?:only|just|barely|merely|stuck at|capped at|getting|i get|i'm at) (?:get(?:ting)? |got |reach\w* "
        r"|see(?:ing)? "
        r"|do(?:ing)? |about |around |~ ?){0,3}\d{1,5}(?:\.\d{1,2})? ?(?:tok(?:en)?s? ?(?:/|per|a) ?s|t/s|tps)"
        r"[^\n]{0,120}?(?:normal|expected|slow|wrong|right|reasonable|why|bottleneck|should)"
    )),
    ("speed", 4.5, (
        r"(?:prompt processing|prefill|pp|tg|generation|decode|decoding|inference) (?:speed|rate|throughput)"
        r"|(?:能|会)?有?几十\s?(?:个)?\s?tok|(?:多少|几)\s?(?:个)?(?:字|词|tok\w{0,4})(?:每秒|/s|一秒|/秒)"
        r"|每秒[^。?!\n]{0,10}?(?:字|tok)|速度(?:呢|怎样|行不行|够不够)|跑(?:得)?多快|(?:is|that) (?:slow|normal"
        r"|expected)\s?\?"
    )),
    ("speed", 4.5, (
        r"(?:一|每)秒(?:钟)?(?:大概|大约|约|差不多)?(?:能|可以)?(?:有|出|吐|蹦|跑|输出|生成)?(?:到)?(?:几|多少)\s?个?\s?(?:字|词|tok)?"
        r"|(?:体验|效果|流畅度|手感)(?:大概|到底)?(?:怎么样|咋样|如何|怎样|好吗|好不好|行不行)|流畅(?:吗|么|不|度)|流不流畅|卡不卡|顺畅(?:吗|么|不)"
    )),
    ("context_length", 4.5, (
        r"longer (?:context|sequences?|prompts?|inputs?)|更长的?(?:上下文|序列|文本)|(?:stretch|extend|increase"
        r"|raise) (?:the |my )?"
        r"(?:context|ctx|sequence)|(?:上下文|序列)(?:还)?(?:能|可以)(?:再)?(?:加|开|拉|提)"
    )),
    ("which_to_buy", 4, (
        r"(?:help|advice|guidance|tips)[^.?!\n]{0,16}?(?:choos|pick|select|decid|find)\w*"
        r" (?:on )?(?:an?|the|my|right|best|good|which) [^.?!\n]{0,16}?(?:gpu|card|hardware|machine)"
    )),
    ("can_it_run", 5, (
        r"(?<![a-z])(?:gonna|going to|supposed to) (?:fit|run|work|be enough)(?![a-z])|(?<![a-z])fits?\s?\?\s*$"
    )),
    ("can_it_run", 4, (
        r"(?:is|are|be|that's|should be) (?:fine|ok(?:ay)?|alright|all right|good enough|right)\s?\?|sanity[- ]check"
        r"|double[- ]check"
        r"|(?:对|没错|没问题|可行|行得通|靠谱|合理)(?:吧|吗|么|不)"
    )),
    ("oom", 4, (
        r"(?<![a-z])r[ua]ns? out(?! of (?!v?ram|memory|gpu))|(?<![a-z])ooms?(?![a-z])|溢出|显存(?:就)?(?:不够"
        r"|满)了"
    )),
    ("launch_files", 6, (
        r"(?:serve|serving|launch|start-?up|vllm|sglang|llama-server|torchrun|deepspeed"
        r"|docker)(?: \w{1,10}){0,2} (?:flags|arguments"
        r"|args|options|command(?: line)?|cmd)(?![a-z])"
        r"|(?<!调)(?<!调整)(?<!调一下)(?<!调一调)(?<!调调)(?<!改)(?<!改改)(?<!改一下)(?:启动|部署|运行)(?:参数|选项|指令)"
    )),
    ("compare", 4.5, (
        r"(?<![a-z])(?:pcie|sxm\d?|nvl)\s?(?:版本?|version)?\s?(?:和|与|跟|对比?|还是|or|vs\.?|versus|and|、|/)\s?"
        r"(?:the )?(?:pcie|sxm\d?|nvl)(?![a-z])|(?<![a-z])comparing(?![a-z])|孰优孰劣|二选一"
        r"|pick (?:one|between)|choos\w{1,3} between"
        r"|torn between|差距(?:大|多)"
    )),
    ("can_it_run", 4.5, (
        r"(?:which|what) quant(?![a-z])|(?:哪个|什么|哪种|几位|几 ?bit)的?量化|量化(?:版本?)?(?:选|用|挑)(?:哪|什么|几)"
    )),
    ("speed", 5, (
        r"(?:how long|how many (?:seconds|minutes)|多久|多长时间|几秒|几分钟)[^。?!\n]{0,60}?(?:answer|respond"
        r"|repl(?:y|ies)|process"
        r"|prompt|prefill|first token|load|generat|transcri|回答|出结果|首字|首个|出图|生成|转写|加载)"
    )),
    ("min_vram", 5, r"(?:v?ram|memory) (?:for|to) (?:serv|run|train|infer|host|deploy|load|fine)\w{0,7}"),
    ("min_vram", 4, (
        r"(?:要|需|占|吃|用|得|是)?\s?(?:多少|几)\s?个?\s?(?:g|gb|gib)(?![a-z])|得多大|(?:gpu|video) (?:ram"
        r"|memory) (?:required"
        r"|needed|for|to)|(?:how big|how large) (?:is|are|would|will)|(?<!most )vram\s?\?|显存\s?[?]|估(?:算|一下"
        r"|计)(?:一下)?显存"
    )),
    ("guidance", 3, (
        r"(?:difference|differences|distinction|trade-?offs?) between|(?:pros and cons|advantages?|downsides?) of"
        r"|区别|差异|优缺点|利弊|好处|坏处|作用|怎么理解|会(?:不会)?(?:慢|掉|影响|降)"
        r"|in practice|rule of thumb|经验(?:值|法则|公式)"
    )),
)  # fmt: skip
"""Intent, weight and shape; a question that a closer rule knows weighs as much there already."""
