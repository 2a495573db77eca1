"""What is asked: rules with weights; the heaviest intent leads, other strong ones follow."""

from collections import defaultdict
from dataclasses import dataclass

from assistant.understand.quantities import GPU
from assistant.understand.text import grammar
from tools.need import Intent

STRONG = 3.0
"""Weight from which an intent is asked in its own right."""
_CARD = (
    rf"(?:{GPU}{{1,60}}s?|(?:gpus?|cards?|cuda|显卡|卡|服务器|机器|servers?|machines?|boxes|nodes?|workers?)(?![a-z]))"
)
_RULES: tuple[tuple[Intent, float, str], ...] = (
    # memory ran out
    ("oom", 4, r"(?<![a-z])oom(?:s|ed|ing)?(?![a-z])|out ?of ?memory|tried to allocate|爆显存|显存爆|显存(?:不足|溢出|炸)|内存不足|爆了|被 ?killed|(?<![a-z])killed|炸了|挂了|显存会?一直涨|larger than the maximum number of tokens|报显存不够|内存泄漏|memory leak"),
    ("oom", 2.5, r"overflow(?:s|ed)?|blows? up|crash\w{0,3}|跑不起来?|跑不通|都不够|runs? out of|ran out of|(?<![a-z])dies(?![a-z])"),
    ("oom", 1, r"怎么还|还是|怎么(?:回事|办|解决)|fix|why|居然|却"),
    # how much memory
    ("min_vram", 4.5, r"(?:显存|内存|vram|memory|ram)\s?(?:要求|需求|下限|占用)?\s?(?:最低|至少|最少|到底|大概|一般)?(?:需要|要|得|占|用|是|得有|吃)?\s?(?:多少|多大|几个?g)|(?:要|需要|占|用|吃)(?:多少|多大|几个?g)的?\s?(?:显存|内存|vram|显卡内存)|多大的?显存|多少的?显存|多少(?:个)?g ?(?:显存|才|够)?|how (?:much|many) (?:gb |gigs? )?(?:of )?(?:total |gpu )?(?:vram|memory|gpu (?:memory|ram)|ram|video memory)|memory (?:requirement|footprint|usage|needed|consumption)s?|vram (?:req\w{0,11}|usage|needed|needs?|footprint|estimate)|显存(?:需求|要求|下限|占用|估算|最低|计算|怎么算)|算力要求|最低(?:配置|要求|显存)|what vram|到底要多少|要什么资源|(?:cuánta|quanta|combien de) (?:vram|memoria|mémoire|memória)"),
    ("min_vram", 3, r"minimum (?:requirements?|hardware|specs?|vram|gpu(?! ?count|s))|minimal? (?:vram|hardware)|最小要?\d{0,3}g?|硬性要求|要\s?\d{1,4}\s?gi?b?\s?(?:以上)?才|where is the truth|是不是要|也?true also for gpu memory|(?:needs?|requires?|wants|says|lists?)\s(?:about |around )?\d{1,4}(?:-\d{1,4})?\s?gb|how much higher|how small|memory budget"),
    # how many cards
    ("how_many_gpus", 5, rf"how many (?:\w{{1,12}} ){{0,2}}{_CARD}|{GPU}{{1,60}}s?\s?(?:\d{{1,3}}\s?gi?b?\s?)?(?:得|需|需要|要|至少|最少)?\s?(?:用|配|上|买)?\s?(?:几|多少)\s?(?:张|块|片|卡|台|个)|(?:几|多少)\s?(?:张|块|片|台|个)\s?(?:\d{{1,3}}g\w?的? ?)?(?:{GPU}|显卡|卡|gpu|服务器|机器|才|够|能)|(?:要|需要|得|配|用|至少|最少)\s?(?:几|多少)\s?(?:张|块|片|卡|台)|多少卡|几卡|多少张|几张(?!能)|(?:min\w{{0,4}}|number of|fewest|smallest number of) (?:gpus?|cards?|gpu count)|(?:gpu|card) count|卡数|几台|多少台"),
    # does it run
    ("can_it_run", 3.5, r"能(?:不能|否)?\s?(?:跑|部署|运行|装|训|微调|带|上|推|用|做|起|放|支持|开|run|deploy|serve|host|用来|不能)|得动|带得动|装得下|放得下|够不够|够(?:了)?(?:吗|么|不|用)|就够|可以(?:跑|部署|训|微调|吗|么|用)|能(?!买).{0,24}?(?:吗|么|不(?=$|[?。,])|嘛)|行不行?|行吗|跑不跑|(?<![a-z])(?:can|could|would|will|does|do|is|are)(?: \S{1,24}){0,12}? (?:run|fit|handle|enough|suffice|sufficient|possible|work|able|do it|feasible|host|serve|deploy|train|fine[- ]?tune|be used)(?![a-z])|(?<![a-z])(?:enough|suffices?|sufficient|possible|realistic|feasible|doable)\s?(?:\?|for|to|$)|does it fit|will it (?:fit|run)|refuses? to start|reicht|puedo|posso|puis-je|够[^。?!\n]{0,20}?(?:吗|么)|(?<![a-z])(?:will|would|can|could)(?: \S{1,24}){1,6}? (?:do|cope|manage)(?![a-z])|能塞下|塞得下|吃得下|扛得住|hold up|搞得定|玩得转|can i|could i|凑合"),
    ("can_it_run", 1.5, r"有啥办法|possible|装|跑不起"),
    # what could these cards run
    ("what_fits", 5, r"(?:能|可以|适合|够)(?:跑|部署|运行|用|训练?|微调|装|玩|带)(?:得?动|起来?)?\s?(?:些|下|个)?\s?(?:什么|啥|哪些|哪个|多大|最大|几b|多少b)|(?:什么|哪些|哪个|多大的?)(?:大?模型|llm|model).{0,8}(?:能跑|可以跑|跑得动|合适|适合|最好|推荐)|推荐.{0,8}(?:模型|model)|what(?:'s| is)? (?:the )?(?:biggest|largest|best|max\w{0,4}) (?:\w{1,12} ){0,2}(?:models?|llms?)|(?:biggest|largest) (?:\w{1,12} )?(?:model|llm)|(?:what|which) (?:\w{1,12} ){0,2}(?:models?|llms?)(?: \w{1,12}){0,2} (?:can|could|should|fits?|fully|would|will|runs?|do|is best)|what can i (?:run|train|do|fine[- ]?tune)|how (?:large|big) an? (?:model|llm|\S{1,30})(?: \S{1,30})? (?:can|could)|最大(?:能|可以|跑)"),
    # what to get
    ("which_to_buy", 4, r"(?:买|选|入手?|推荐|配|用|上|要|换|整)(?:得?到|个)?(?:一?[张块台个款])?\s?(?:什么|啥|哪(?:个|款|张|种|块|一))\s?(?:样的?)?\s?(?:显卡|卡|gpu|机器|服务器|配置|硬件|型号)?|推荐(?:一下|个|一?款|硬件|配置|显卡|什么|几)?|怎么(?:选|配|买)(?:卡|机)?|怎么选|配置(?:推荐|方案|建议)|值得(?:买|入|升级)|值不值|(?:what|which) (?!if|about|happens)(?:\w{1,12} ){0,3}(?:gpus?|cards?|graphics cards?|hardware|server|machine|laptop|setup|workstation|build|rig|pc|mac)(?! ?(?:is|are) (?:faster|better))|recommend\w{0,6}|(?:best|good|right|cheapest|ideal|decent) (?:\w{1,12} ){0,2}(?:gpus?|cards?|hardware|setup|build|rig)|worth (?:buying|it|adding|getting|upgrading)|should i (?:buy|get|go|pick|choose|upgrade)|(?:smarter|better) (?:buy|choice|option)|looking (?:for|to buy)|选型|what do i need to|推荐显卡|要买显卡|买显卡|需要什么(?:样的)?(?:显卡|卡|配置|硬件|机器|服务器|gpu)|要啥(?:显卡|卡|配置)|which\?|comprar|qual compensa|怎么配|买错|(?:入手|买)一?[张块台个](?!桥)|(?:^|[,.?] )(?:a |some )?(?:gpus?|cards?|hardware|machine|laptop|server)s? (?:for|to run)|what hardware|cheapest (?:way|setup|option|gpu|card|machine)|how much gpu|gpu power to|need (?:a|an) (?:\w{1,12} ){0,2}(?:gpu|laptop|card|server|workstation|machine)"),
    # compare
    ("compare", 4.5, rf"{_CARD}[^。?!\n]{{0,30}}?(?<![a-z])(?:vs\.?|versus)(?![a-z])|(?<![a-z])(?:vs\.?|versus)(?![a-z])[^。?!\n]{{0,20}}?{GPU}|{GPU}[^。?!\n]{{0,14}}?(?:和|与|跟|还是|or|、|,|/)[^。?!\n]{{0,14}}?{GPU}[^。?!\n]{{0,24}}?(?:哪个|哪张|哪款|区别|差别|差距|差异|对比|比较|怎么选|更|better|faster|difference|compare|win|选)|哪个(?:好|更|强|快|划算|性价比|便宜|合适)|差多少|差多大|能?快多少|快几倍|有(?:啥|什么|多大)?(?:区别|差别|差距)|区别是?(?:什么)?|compare[ds]?(?! to last)|comparison|difference between|(?:better|faster|slower|stronger) than|对比|比较|does the newer|how do(?:es)? (?:they|it) compare|哪(?:个|张|款)(?:强|快|划算)"),
    ("compare", 4.5, rf"{GPU}[^。?!\n]{{0,24}}?(?:居然|反而|也|还)?比[^。?!\n]{{0,12}}?{GPU}[^。?!\n]{{0,20}}|比(?:不上|不过)?[^。?!\n]{{0,4}}{GPU}[^。?!\n]{{0,10}}(?:快|慢|强|差|好|低|高|划算|便宜)|和[^。?!\n]{{0,8}}{GPU}[^。?!\n]{{0,6}}比|{GPU}{{1,60}}s?[^。?!\n]{{0,16}}? or (?:an? |\w{{1,9}} |\d{{1,3}} ?[x×*]? ?){{0,2}}{GPU}|{GPU}[^。?!\n]{{0,16}}?还是[^。?!\n]{{0,10}}?{GPU}"),
    # speed
    ("speed", 3.5, r"tok(?:en)?s?\s?/\s?s|tokens? per second|token/秒|(?<![a-z])t/s|(?<![a-z])tps(?![a-z])|吞吐|throughput|多快|速度(?:多少|能有|怎么样|大概|如何|慢|快)|how fast|latency|延迟|首字|ttft|tpot|几秒|多少(?:个)? ?tok|it/s|每秒|生成速度|推理速度|times? (?:the )?real-?time|util(?:i[sz]ation)?\b|占用率|takes? (?:\d{1,4}|\w{1,8}) (?:minutes|seconds|min) (?:per|for each|to answer|an)"),
    ("speed", 2.5, r"(?:太|很|还|好|更|这么|特别|最|才|巨|超)慢|慢(?:很|得|死|了|\d|吗)|(?<![a-z])slow(?:er|est|ly)?(?![a-z])|跑了\s?\d|提速|加速|faster|性能|performance|正常吗|raise throughput|速度|gpu sits at|利用率"),
    # training time
    ("training_time", 5, r"(?:训|微调|train|fine[- ]?tun|epoch|跑完|lora|sft)[^。?!\n]{0,40}?(?:多久|多长时间|几天|几个?小时|多少(?:个)?(?:小时|天)|how long)|how long[^。?!\n]{0,50}?(?:train|fine[- ]?tun|epoch|pre-?train|sft|lora|take|gpt)|(?:train|fine[- ]?tun)\w{0,4} (?:time|duration|hours)|(?:hours|days|time) (?:to|per|for) (?:train|fine[- ]?tun|voice|epoch|run)|days per|how many (?:days|hours|weeks)|多久(?:能)?(?:训|微调|跑完|训完|训练)|训练(?:时间|时长|要多久)|eta(?![a-z])|combien de temps|训得完|为啥这么久|这么久"),
    ("training_time", 4, r"(?:train|fine[- ]?tun|训|微调|lora|epoch|qlora|pretrain\w{0,3})[^。?!\n]{0,60}?\d{1,4}\s?个?(?:小时|天|hours?|days?|h(?![a-z]))|\d{1,4}\s?(?:hours?|days?|小时|天|h(?![a-z]))[^。?!\n]{0,30}?(?:train|fine[- ]?tun|训|微调|only \d{1,2}%|epoch)|how long[ ?]*$|多久[??]*$|多长时间[??]*$|gpu[- ]hours?|卡时"),
    # concurrency
    ("concurrency", 4, r"并发|concurren\w{1,5}|simultaneous\w{0,2}|parallel (?:requests|users|streams)|(?:多少|几|支持)(?:个)?(?:人|用户|路)|同时(?:用|在线|服务|使用)|how many (?:users|requests|people|concurrent|clients|streams|sessions)|(?<![a-z])(?:qps|rps|dau)(?![a-z])|日活|max[-_]concurrent|\d\s?路|users? at (?:once|the same time)|for \d[\d, ]{0,9}k? (?:users|people|employees)|(?:个|名|位)?(?:用户|人|员工|同事)(?:同时|用|使用|访问|并发)"),
    ("concurrency", 2, r"(?<![a-z])users?(?![a-z])|用户|团队|team of|员工|employees"),
    # context
    ("context_length", 4.5, r"(?:多长|多大|最长|最大|多少)的?(?:上下文|context|序列|长度)|上下文(?:能|最长|可以|最大|开到|多长|长度能)|(?:能|可以|不能)开到?[^。?!\n]{0,8}(?:上下文|k|context|ctx)|(?:max(?:imum)?|how long|how much|longest|what) (?:a )?(?:context|ctx|sequence)|满(?:血)?\s?\d{0,4}k? ?上下文|kv ?cache (?:size|and|memory)|max (?:sequence|seq)(?:uence)? length[:?]|kv ?(?:缓存|cache)(?:怎么算|多大|要|占)|长(?:上下文|文本)"),
    ("context_length", 2, r"(?:with|at|to|tuned to|full|on) (?:a )?\d{1,4}(?:\.\d)?[km] ?(?:token )?(?:context|ctx|max length|window)|上下文|context|(?<![a-z])ctx(?![a-z])|max length|max[-_]model[-_]len"),
    # cloud or buy
    ("cloud_or_buy", 6, r"(?:租|rent\w{0,4}|cloud|云|pay-as-you-go|autodl|runpod|aws|vast)[^。!\n]{0,50}?(?:还是|or|vs\.?|versus|划算|cheaper|better than)[^。!\n]{0,40}?(?:买|自己|自建|自购|本地|buy\w{0,3}|own\w{0,3}|purchas\w{0,3}|on-?prem\w{0,5}|local|home|card)|(?:买|自己攒?|自建|自购|本地|buy\w{0,3}|own|purchas\w{0,3}|on-?prem\w{0,5}|home|build)[^。!\n]{0,50}?(?:还是|or|vs\.?|versus|划算|stay with)[^。!\n]{0,30}?(?:租|rent\w{0,4}|cloud|云|autodl|runpod|aws|vast)|租(?:还是|和)买|买(?:还是|和)租|rent or buy|buy or rent|pay-as-you-go|lowest-cost way|break-?even|回本"),
    ("cloud_or_buy", 4.5, rf"(?:租|rent\w{{0,4}}|租用|包月|on[- ]demand|spot)[^。?!\n]{{0,24}}?(?:多少钱|价格|几块|费用|price|cost|how much|便宜|cheap|哪家|哪里|where)|(?:多少钱|价格|price|cost|how much|cheapest)[^。?!\n]{{0,40}}?(?:租|rent|per hour|an hour|/h(?![a-z])|/小时|每小时|on (?:lambda|runpod|aws|vast|gcp|azure)|cloud)|租[^。?!\n]{{0,20}}?多少|一小时多少|多少钱一(?:个)?(?:小时|月)|(?:in|on|via|from) the cloud|上云|云上|租(?:一?[台张]|用)?(?:{GPU}|显卡|卡|服务器|gpu)|(?<![a-z])rent(?:al|ing)?(?![a-z])|cloud (?:gpu|price|offer|instance|provider)s?|(?:which|what|cheapest|best) cloud(?![a-z])|云服务器|哪家云"),
    # budget
    ("budget", 4, r"预算|(?<![a-z])budget(?![a-z])|经费|(?:under|below|less than|up to|max) (?:us)?[$€£¥]|[万千块元]以内|<\s?[$€£¥]|以内的?(?:显卡|配置|机器)"),
    ("budget", 4, r"(?:how much (?:would|will|does|do) (?:it|that|this|a|an|the)[^。?!\n]{0,40}? cost|total cost|多少钱|要花多少|成本|造价|rough cost|how expensive|what would it cost)"),
    # compatibility
    ("compatibility", 4.5, r"sm_\d{2,3}|compute capability|capability \d|not compatible|incompatib\w{0,6}|compatib\w{0,6}|兼容|only supports?|支持\s?(?:不支持|吗|么|fp8|bf16|flash|vllm|cuda|nvlink)|(?:support|supports|supported)(?: \w{1,12}){0,3}\s?\?|no kernel image|(?:驱动|driver)[^。?!\n]{0,24}?(?:cu\d{2,3}|cuda|升|版本|version|update)|cuda ?(?:版本|version|\d{2}\.\d)|flash[- ]?attention|(?<![a-z])musa(?![a-z])|rocm|(?:is|does|do) (?:\S{1,24} ){1,3}support|能用吗|能不能不用|报(?:错)?[^。?!\n]{0,6}only|-fa (?:on|and)|hangs?(?![a-z])|跑.{0,8}报错|装不上|能装"),
    # interconnect
    ("interconnect", 4.5, r"nvlink|nccl|infiniband|(?<![a-z])ib(?: 口|网|卡|口|(?![a-z]))|roce|nvswitch|pcie (?:x\d|\d\.\d|riser|lane|switch)|risers?|all_?reduce|p2p|interconnect|互联|互连|多机|跨机|跨节点|多节点|multi-?node|two-node|10gbps|10gbe|bandwidth the bottleneck|numa|plx"),
    ("interconnect", 4.5, r"(?:双卡|两张|多卡|两块|2 ?卡|四卡|tensor[-_ ]parallel\S{0,10}|ddp|two gpus|second gpu|multi-?gpu|2x|两个|更多卡|加卡)[^。!\n]{0,60}?(?:慢|slower|没(?:有)?提升|same speed|不如|翻倍|加速比|no faster|图啥)|(?:单卡|一张|one card|same speed as one|单机)[^。!\n]{0,30}?(?:还?慢|slower|一样|反而)|\d\s?[块张][^。?!\n]{0,3}(?:反而)快|scaling|扩展(?:性|效率)|加速比|(?:same|no) speed(?:up)?"),
    # power
    ("power", 5, r"电源|(?<![a-z])psu(?![a-z])|功耗|(?<![a-z])tdp(?![a-z])|\d{3,4}\s?w(?:att)?s?(?![a-z])|瓦|power (?:supply|draw|limit|consumption)|散热|cooling|(?:nvidia-smi )?-pl(?![a-z])|electricity|电费|跳闸|powers? (?:the pc )?off|供电|限到?\s?\d{3}|12vhpwr|rack power|温度|降频|undervolt|circuit|breaker|插座"),
    # spec
    ("spec", 4.5, rf"{GPU}{{1,60}}s?\s?(?:的|显卡)?\s?(?:显存|带宽|算力|参数|规格|功耗|价格|多少显存|显存多大|tflops|fp8|架构|有nvlink|支持nvlink)[^。?!\n]{{0,8}}?(?:多少|多大|是多少|怎么样|是什么|如何)?|显存多大|多大显存(?=[的?]|$)|specs?(?![a-z])|specifications?|规格|datasheet|(?:memory )?bandwidth of|带宽(?:是|有)?多少|(?<![a-z])t?flops(?![a-z])|how much (?:vram|memory|bandwidth) does (?:the |a |an )?{GPU}|(?<![a-z])mig(?![a-z])|切几份|切分|which (?:\w{{1,12}} ){{0,4}}cards (?:still )?(?:have|support)|有多少(?:个)?(?:cuda|tensor|核心|流处理器)|多少钱一张|price of|unlock-vram|is it true that|发布|release date|什么架构|算力多少|写反了|显存带宽"),
    # launch files
    ("launch_files", 6, r"(?:启动|部署|运行|推理)(?:命令|脚本|参数怎么写|配置文件)|docker[- ]?compose|docker run|k8s|kubernetes|helm|yaml (?:file|for)|yaml 文件|slurm|sbatch|systemd|launch (?:command|script|file)|command (?:line )?to (?:run|launch|serve|start)|写(?:一?个|份)?(?:启动|部署|docker|脚本)|(?:给|写|求)[^。?!\n]{0,40}?(?:启动|部署|运行)(?:命令|参数|脚本|配置)|给(?:我)?(?:个)?(?:启动|单卡部署|部署)?命令|deepspeed config|accelerate config|(?:give|write) me (?:the |a )?(?:vllm |launch |serve |docker )?(?:command|config|script|compose)|ds_config|configs? file"),
    # guidance
    ("guidance", 3, r"怎么(?:设置|做|弄|搞|用|调|理解|优化|配置(?!卡)|回事|升级|算)|如何|是什么意思|什么是|原理|best practi\w{1,3}|how (?:do|does|to|can)(?! i (?:run|fit))|what (?:is|are|does) (?!the (?:biggest|largest|best|min))|explain|why (?:is|does|do|are|would|double)|为什么|为啥|tips|建议|应该(?:用|选|怎么)|该(?:选|用)哪|do's|when (?:should|to)|哪里不对|有必要|差在哪"),
)  # fmt: skip
_COMPILED = tuple((intent, weight, grammar(rule)) for intent, weight, rule in _RULES)
_ORDER: tuple[Intent, ...] = (
    "launch_files", "cloud_or_buy", "what_fits", "how_many_gpus", "power", "oom", "training_time", "interconnect", "compatibility", "concurrency",
    "context_length", "compare", "min_vram", "spec", "budget", "can_it_run", "which_to_buy", "speed", "guidance",
)  # fmt: skip
"""Of equally heavy intents, the more particular one."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What else was understood, as far as it decides what is asked."""

    owned_or_named: int
    """GPUs named."""
    sized: bool
    """Whether a model or a parameter count is stated."""
    workload: bool
    """Whether anything says what is to be run: a model, a size, a kind of work."""
    training: bool
    has_budget: bool
    has_context: bool
    long_context: bool
    """A context so long that it decides the hardware."""
    has_concurrency: bool
    error: bool
    oom: bool
    formats: int
    """Different weight formats named."""
    card_known: bool
    """A GPU is named or a card known by its memory."""


def weigh(text: str, facts: Facts) -> dict[Intent, tuple[float, int]]:
    """Weight of each intent and where it is first said, in the masked text."""
    weights: dict[Intent, float] = defaultdict(float)
    first: dict[Intent, int] = {}
    for intent, weight, rule in _COMPILED:
        if match := rule.search(text):
            weights[intent] += weight
            first[intent] = min(first.get(intent, match.start()), match.start())
    for intent, extra in _context_of(facts, weights).items():
        if intent in weights or extra > STRONG:
            weights[intent] = weights.get(intent, 0) + extra
            first.setdefault(intent, len(text))
    return {intent: (round(weight, 2), first[intent]) for intent, weight in weights.items() if weight > 0}


def choose(weights: dict[Intent, tuple[float, int]], facts: Facts) -> tuple[Intent, tuple[Intent, ...]]:
    """The main intent and the further ones."""
    if not weights:
        return _silent(facts), ()
    ranked = sorted(weights, key=lambda intent: (-weights[intent][0], _ORDER.index(intent)))
    main = ranked[0]
    rest = sorted((i for i in ranked[1:] if weights[i][0] >= STRONG), key=lambda intent: weights[intent][1])
    return main, tuple(rest[:3])


def _silent(facts: Facts) -> Intent:
    """What a bare list of things asks."""
    if facts.error:
        return "oom" if facts.oom else "compatibility"
    if facts.has_budget:
        return "budget"
    if facts.sized:
        return "can_it_run" if facts.card_known else "min_vram"
    return "spec" if facts.owned_or_named else "other"


def _context_of(facts: Facts, weights: dict[Intent, float]) -> dict[Intent, float]:
    """What the slots say about the question: nobody asks how long a run takes that has no training in it."""
    extra: dict[Intent, float] = defaultdict(float)
    if facts.owned_or_named < 2:
        extra["compare"] -= 2.0
    if facts.owned_or_named == 0:
        extra["compare"] -= 2.5
        extra["spec"] -= 1.5
        extra["power"] -= 0.5
    if facts.has_budget:
        extra["budget"] += 2.0
        extra["which_to_buy"] -= 1.0
    if not facts.sized and not facts.training:
        extra["can_it_run"] -= 0.5
    if facts.has_concurrency:
        extra["concurrency"] += 1.0
    if facts.has_context:
        extra["context_length"] += 0.5
    if facts.long_context:
        extra["context_length"] += 1.5
    if facts.card_known and facts.sized:
        extra["can_it_run"] += 0.5
        extra["spec"] -= 2.0
    if not facts.training:
        extra["training_time"] -= 2.0
    if facts.error and facts.oom:
        extra["oom"] += 3.5
    if facts.formats > 1 and not facts.owned_or_named:
        extra["guidance"] += 1.5
        extra["which_to_buy"] -= 3.0
    if facts.owned_or_named and not facts.workload:
        extra["min_vram"] -= 1.5
    return extra
