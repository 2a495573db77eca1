"""Words that tell what is asked, each with its weight: 5 says it outright, 2 only leans that way."""

from assistant.understand.quantities import GPU, MODEL
from tools.need import Intent

_CARD = (
    rf"(?:{GPU}{{1,60}}s?|(?:gpus?|cards?|cuda|显卡|卡|服务器|机器|servers?|machines?|boxes|nodes?|workers?)(?![a-z]))"
)
_SERVERS = (
    r"(?:vllm|sglang|llama[-_. ]?cpp|ollama|lm ?studio|lmdeploy|tensorrt[-_ ]?llm|trt[-_ ]?llm|ktransformers|tgi|mindie"
    r"|xinference)"
)
RELIABILITY = (
    r"稳定性|可靠性|稳不稳|可靠吗|(?<![a-z])reliability(?![a-z])|how reliable"
    r"|(?:is|are) (?:it|they|that|those) reliable"
)
"""Whether hardware holds out, which no arithmetic tells."""
RULES: tuple[tuple[Intent, float, str], ...] = (
    # memory ran out
    ("oom", 6.5, (
        r"起不来|启动(?:失败|不了|不起来)"
        r"|(?:显示|报|提示|说)[^。?!\n]{0,12}(?:显存|cache|内存)[^。?!\n]{0,4}(?:不够|不足)"
        r"|(?:bs|batch(?:[-_ ]?size)?)\s?[=为是]?\s?1[^。?!\n0-9]{0,4}(?:都|也|还是?)\s?(?:会)?(?:超|爆|不行|不够)"
        r"|(?:启动|起(?:服务|来|模型)|加载|载入|训练?|微调|推理)[^。?!,\n]{0,14}(?:显存|内存)(?:就|还|都|又|仍)?(?:不够|不足)"
        r"(?!\s?(?:吗|么|吧|怎么|用吗))"
        r"|(?:显存|内存)(?:还是?|仍然?|依然|都|就|又)不(?:够|足)(?!\s?(?:吗|么|吧))"
    )),
    ("can_it_run", 6.5, (
        r"how (?:big|large) (?:of )?an? batch|(?:max(?:imum)?|largest|biggest) batch"
        r"|batch ?(?:size)?\s?(?:能|可以|最大|最多)[^。?!\n]{0,4}多(?:大|少)|最大的? ?batch"
    )),
    ("oom", 4, (
        r"(?<![a-z])oom(?:s|ed|ing)?(?![a-z])|out ?of ?memory|tried to allocate|爆显存|显存爆|显存(?:不足"
        r"|溢出|炸)|内存不足|内存不够|爆了|被 ?kill(?:ed)?|(?<![a-z])killed|炸了|挂了|显存会?一直涨"
        r"|(?:larger|greater|exceed\w{0,2}|大于|超过|超出) (?:than )?(?:the )?(?:maximum number of tokens"
        r"|(?:available )?kv ?cache)|(?:还是|就|直接|一直|老是|还|都)爆|爆(?=$|[,。?!])|报显存不够"
        r"|sigkill|exit ?(?:code|status):? ?(?:-9|137)|signal 9|被(?:系统)?杀"
        r"|内存泄漏|memory leak"
    )),
    ("oom", 2.5, (
        r"overflow(?:s|ed)?|blows? up|crash\w{0,3}|跑不起来?|跑不通|都不够|runs? out of|ran out of"
        r"|(?<![a-z])dies(?![a-z])"
    )),
    ("oom", 1, r"怎么还|还是|怎么(?:回事|办|解决)|fix|why|居然|却"),
    # how much memory
    ("min_vram", 4.5, (
        r"(?:显存|内存|vram|memory|ram)\s?(?:要求|需求|下限|占用)?\s?(?:最低|至少|最少|到底|大概"
        r"|一般)?(?:需要|要|得|占|用|是|得有|吃)?\s?(?:多少|多大|几个?g)|(?:要|需要|占|用|吃)(?:多少|多大"
        r"|几个?g)的?\s?(?:显存|内存|vram|显卡内存)|多大的?显存|多少的?显存|多少(?:个)?g ?(?:显存|才|够)?"
        r"|how (?:much|many) (?:gb |gigs? )?(?:of )?(?:total |gpu )?(?:vram|memory|gpu (?:memory|ram)|ram"
        r"|video memory)|memory (?:requirement|footprint|usage|needed|consumption)s?|vram (?:req\w{0,11}"
        r"|usage|needed|needs?|footprint|estimate)|显存(?:需求|要求|下限|占用|估算|最低|计算|怎么算)"
        r"|算力要求|最低(?:配置|要求|显存)|what vram|到底要多少|要什么资源|(?:cuánta|quanta"
        r"|combien de) (?:vram|memoria|mémoire|memória)"
    )),
    ("min_vram", 6.5, (
        r"(?<!的话)(?<!的话 )(?<!的话,)(?<!的话, )(?:至少|最低|最少|起码)(?:需要|得|要|用|配)?"
        r"(?:什么|啥|多大)(?:样的?|级别的?)?(?:的)?(?:显卡|卡|gpu|配置|硬件)"
        r"|(?:minimum|smallest|least) (?:gpu|card|graphics card|hardware) (?:for|to|that|needed|required|which)"
    )),
    ("min_vram", 3, (
        r"minimum (?:requirements?|hardware|specs?|vram|gpu(?! ?count|s))|minimal? (?:vram|hardware)"
        r"|最小要?\d{0,3}g?|硬性要求|要\s?\d{1,4}\s?gi?b?\s?(?:以上)?才|where is the truth|是不是要"
        r"|也?true also for gpu memory|(?:needs?|requires?|wants|says|lists?)\s(?:about "
        r"|around )?\d{1,4}(?:-\d{1,4})?\s?gb|how much higher|how small|memory budget"
    )),
    # how many cards
    ("how_many_gpus", 5, (
        rf"how many (?:\w{{1,12}} ){{0,2}}{_CARD}(?!s?[- ]?hours?)"
        rf"|{GPU}{{1,60}}s?[^。?!\n]{{0,12}}?(?<![a-z])how many\s?(?:\?|$|do i|would|are)"
        rf"|{GPU}{{1,60}}s?\s?(?:\d{{1,3}}\s?gi?b?\s?)?(?:得|需|需要"
        rf"|要|至少|最少)?\s?(?:用|配|上|买)?\s?(?:几|多少)\s?(?:张|块|片|卡|台|个)|(?<![这那哪])(?:几|多少)\s?(?:张|块"
        rf"|片|台|个)\s?(?:\d{{1,3}}g\w?的? ?)?(?:{GPU}|显卡|卡|gpu|服务器|机器|才|够|能)|(?:要|需要|得|配"
        rf"|用|至少|最少)\s?(?:几|多少)\s?(?:张|块|片|卡|台)|多少卡|(?<![这那哪])几卡|(?<!出)多少张(?!图|照|片)"
        rf"|(?<![这那哪])几张(?!能)|那(?:得|要|需要)?几[张块](?:卡)?(?:才|就)?(?:够|行|放得下|跑得动)|(?:min\w{{0,4}}"
        rf"|number of|fewest|least) (?:{GPU}{{1,60}}s|gpus(?![a-z])|cards(?![a-z])|gpu count)|number of {GPU}|何枚"
        rf"|何台|몇 ?(?:장|대"
        rf"|개)|cu[aá]nt[ao]s"
        rf"|wie ?viele"
        rf"|quant[ao]s "
        rf"|quante |combien d[e'](?! ?(?:vram|m[eé]moire|temps|go|ram)(?![a-z]))|сколько (?!видеопамяти|памяти|vram)"
        rf"|(?:gpu|card) count|卡数|几台"
        rf"|多少台"
    )),
    ("how_many_gpus", 5, (
        r"(?<![a-z])siz(?:e|ing) (?:up )?(?:an?|our|my|the|this|some) (?:\w{1,12} ){0,3}"
        r"(?:cluster|servers?|deployment|hardware|system|box|machines?|fleet|rack|setup|infrastructure)(?![a-z])"
    )),
    ("how_many_gpus", 7, (
        rf"(?:smallest|minimum|min|lowest|least|fewest) (?:{GPU}{{1,60}}s?|gpu|card) (?:count|number)"
        rf"|(?:smallest|minimum|lowest) number of (?:{GPU}|gpu|card)"
    )),
    ("how_many_gpus", 3.5, (
        r"(?:要|需要|得用|至少)\s?\d{1,4}\s?(?:张|块|卡)|needs? (?:at least )?\d{1,4} (?:gpus?|cards)"
    )),
    # does it run
    ("can_it_run", 3.5, (
        r"能(?:不能|否)?\s?(?:跑|部署|运行|装|训|微调|带|上|推|用|做|起|放|支持|开|run|deploy|serve|host"
        r"|用来|不能)|得动|带得动|装得下|放得下|够不够|够(?:了)?(?:吗|么|不|用)|就够|可以(?:跑|部署|训|微调"
        r"|吗|么|用)|能(?!买).{0,24}?(?:吗|么|不(?=$|[?。,])|嘛)|行不行?|行吗|跑不跑|(?<![a-z])(?:can|could"
        r"|would|will|does|do|is|are)(?: \S{1,24}){0,12}? (?:run|fit|handle|enough|suffice|sufficient"
        r"|possible|work|able|do it|feasible|host|serve|deploy|train|fine[- ]?tune|be used)(?![a-z])"
        r"|(?<![a-z])(?:enough|suffices?|sufficient|possible|realistic|feasible|doable)\s?(?:\?|for|to|$)"
        r"|does it fit|will it (?:fit|run)|refuses? to start|reicht|puedo|posso|puis-je"
        r"|够[^。?!\n]{0,20}?(?:吗|么)|(?<![a-z])(?:will|would|can|could)(?: \S{1,24}){1,6}? (?:do|cope"
        r"|manage)(?![a-z])|能塞下|塞得下|吃得下|扛得住|hold up|搞得定|玩得转|can i|could i|凑合"
    )),
    ("can_it_run", 7, (
        r"(?:行不行|行吗|够不够|够吗|能不能|可以吗)[^。?!\n]{0,4}[,? ]\s?(?:如果|要是)?(?:不行|不够|不能)(?:的话)?"
        r"[^。?!\n]{0,6}?(?:几|多少)"
        r"|(?:enough|possible|work|fit|run|do)[^.!\n]{0,24}?[?,] (?:and |or )?(?:if not|otherwise),?"
        r" (?:how many|what|which)"
    )),
    ("can_it_run", 1.5, r"有啥办法|possible|装|跑不起"),
    # what could these cards run
    ("what_fits", 5, (
        r"(?:能|可以|适合|够)(?:跑|部署|运行|用|训练?|微调|装|玩|带)(?:得?动|起来?)?\s?(?:些|下"
        r"|个)?\s?(?:什么|啥|哪些|哪个|多大|最大|几b|多少b)|(?:什么|哪些|哪个|多大的?)(?:大?模型|llm"
        r"|model).{0,8}(?:能跑|可以跑|跑得动|合适|适合|最好|推荐)|推荐.{0,8}(?:模型|model)|(?:which"
        r"|what) (?:\w{1,12} ){0,2}(?:models?"
        r"|llms?)(?![a-z])(?! (?:number|card))(?=[^。?!\n]{0,40}?(?:make sense|work|good|suit|recommend))|what(?:'s"
        r"| is)? (?:the )?(?:biggest|largest|best|max\w{0,4}) (?:\w{1,12} ){0,2}(?:models?|llms?)"
        r"|(?:biggest|largest|best|smartest|strongest) (?:\w{1,12} ){0,2}(?:models?|llms?) (?:for|on|in|with|i|that"
        r"|to|my|under)(?![a-z])|(?:biggest|largest) (?:\w{1,12} )?(?:model|llm)|(?:what"
        r"|which) (?:\w{1,12} ){0,2}(?:models?"
        r"|llms?)(?: \w{1,12}){0,2} (?:can|could|should|fits?|fully|would|will|runs?|do|is best)"
        r"|what can i (?:run|train|do|fine[- ]?tune)|(?<![a-z])(?:what|which) (?:local |open )?"
        r"(?:llms?|models?)\s?(?:\?|$|(?:on|for|with) (?:an?|my|the|one) )|how (?:large|big) an? (?:model|llm"
        r"|\S{1,30})(?: \S{1,30})? (?:can|could)|最大(?:能|可以|跑)"
    )),
    ("what_fits", 6, (
        r"(?:选|推荐|挑|用|装|上|跑)\s?(?:哪|什么|啥)(?:个|款|种|一?个)?(?:大小|尺寸|参数)?的?(?:大|小|开源|本地)?模型"
    )),
    ("what_fits", 5, (
        r"(?:biggest|largest|heaviest|max\w{0,4}|最大的?|最强的?)\s?(?:of the |size of )?"
        rf"{MODEL}{{1,60}}s?(?: model)?"
        r"[^。?!\n]{0,24}?(?:(?<![a-z])(?:i|we|you|it|can|could|will|would|fits?|runs?|for|on)(?![a-z])|能|可以|跑|带)"
        rf"|(?:能|可以)(?:跑|带|部署|微调|训)(?:得?动)?(?:到)?(?:多大|最大)的?\s?{MODEL}"
        rf"|(?:which|what) (?:size|version|variant)s? of {MODEL}"
        rf"|(?:which|what) {MODEL}{{1,60}} (?:can|could|should) (?:i|we|it)(?![a-z])"
        rf"|{MODEL}{{1,60}}[^。?!\n]{{0,8}}?(?:能|可以)(?:跑|带|用)(?:到)?(?:多大|几b|哪个(?:尺寸|版本|大小))"
    )),
    # what to get
    ("which_to_buy", 4, (
        r"(?:买|选|入手?|推荐|配|用|上|要|换|整)(?:得?到|个)?(?:一?[张块台个款])?\s?(?:什么|啥|哪(?:个|款"
        r"|张|种|块|一))\s?(?:样的?)?\s?(?:显卡|卡|gpu|机器|服务器|配置|硬件|型号)?|推荐(?:一下|个|一?款"
        r"|硬件|配置|显卡|什么|几)?|怎么(?:选|配|买)(?:卡|机)?|怎么选|配置(?:推荐|方案|建议)|值得(?:买|入"
        r"|升级)|值不值|(?:what|which) (?!if|about|happens)(?:\w{1,12} ){0,3}(?:gpus?|cards?"
        r"|graphics cards?|hardware|server|machine|laptop|setup|workstation|build|rig|pc|mac)(?![a-z_])(?! ?(?:is"
        r"|are) (?:faster|better))|recommend\w{0,6}|help me (?:choose|pick|find|get|buy)"
        r"|(?:best|good|right|cheapest|ideal"
        r"|decent) (?:\w{1,12} ){0,2}(?:gpus?|cards?|hardware|setup|build|rig)|worth (?:buying|it|adding"
        r"|getting|upgrading)|should i (?:buy|get|go|pick|choose|upgrade)"
        r"|what (?:should|would|must) (?:[^\s.?!]{1,24} ){1,5}(?:buy|purchase)(?![a-z])"
        r"|(?:smarter|better) (?:buy|choice"
        r"|option)|looking (?:for|to buy)|选型|what do i need to|推荐显卡|要买显卡|买显卡"
        r"|需要什么(?:样的)?(?:显卡|卡|配置|硬件|机器|服务器|gpu)|要啥(?:显卡|卡|配置)|which\?|comprar"
        r"|qual compensa|怎么配|买错|(?:入手|买)一?[张块台个](?!桥)|(?:^|[,.?] )(?:a |some )?(?:gpus?"
        r"|cards?|hardware|machine|laptop|server)s? (?:for|to run)|what hardware|cheapest (?:way|setup"
        r"|option|gpu|card|machine)|how much gpu|gpu power to|need (?:a|an) (?:\w{1,12} ){0,2}(?:gpu|laptop"
        r"|card|server|workstation|machine)"
    )),
    # compare
    ("compare", 4.5, (
        rf"{_CARD}[^。?!\n]{{0,30}}?(?<![a-z])(?:vs\.?|versus)(?![a-z])|(?<![a-z])(?:vs\.?"
        rf"|versus)(?![a-z])[^。?!\n]{{0,20}}?{GPU}|{GPU}[^。?!\n]{{0,14}}?(?:和|与|跟|还是|or|、|,"
        rf"|/)[^。?!\n]{{0,14}}?{GPU}[^。?!\n]{{0,24}}?(?:哪个|哪张|哪款|区别|差别|差距|差异|对比|比较"
        rf"|怎么选|更|better|faster|difference|compare|win|选)|哪个(?:好|更|强|快|划算|性价比|便宜|合适)"
        rf"|差多少|差多大|能?快多少|快几倍|有(?:啥|什么|多大)?(?:区别|差别|差距)|区别是?(?:什么)?"
        rf"|谁(?:更|的)?(?:快|强|好|便宜|划算|值|合适)|提升(?:有)?(?:多少|多大)|upgrade (?:over|from)|step up from"
        rf"|worth the (?:premium"
        rf"|extra)|compare[ds]?(?! to last)|comparison|difference between|(?:better|faster|slower|stronger) than"
        rf"|{GPU}[^。?!\n]{{0,14}}?(?:而不是|rather than|instead of|over)[^。?!\n]{{0,14}}?{GPU}"
        rf"|对比|比较|does the newer|how do(?:es)? (?:they|it) compare|哪(?:个|张|款)(?:强|快|划算)"
    )),
    ("compare", 4.5, (
        rf"{GPU}[^。?!\n]{{0,24}}?(?:居然|反而|也|还)?比[^。?!\n]{{0,12}}?{GPU}[^。?!\n]{{0,20}}|比(?:不上"
        rf"|不过)?[^。?!\n]{{0,4}}{GPU}[^。?!\n]{{0,10}}(?:快|慢|强|差|好|低|高|划算|便宜)"
        rf"|[和跟与同][^。?!\n]{{0,8}}{GPU}[^。?!\n]{{0,6}}比|{GPU}{{1,60}}s?[^。?!\n]{{0,16}}? or (?:an? "
        rf"|\w{{1,9}} |\d{{1,3}} ?[x×*]? ?){{0,2}}{GPU}|{GPU}[^。?!\n]{{0,16}}?还是[^。?!\n]{{0,10}}?{GPU}"
    )),
    # speed
    ("speed", 3.5, (
        r"tok(?:en)?s?\s?/\s?s|tokens? per sec(?:ond)?|token/秒|(?<![a-z])t/s|(?<![a-z])tps(?![a-z])|吞吐"
        r"|throughput|多快|速度(?:多少|能有|怎么样|咋样|咋|大概|如何|慢|快)|how fast|latency|延迟|首字|ttft|tpot"
        r"|几秒|多少(?:个)? ?tok|it/s|每秒|生成速度|推理速度|times? (?:the )?real-?time"
        r"|(?<!memory[-_ ])util(?:i[sz]ation)?\b|占用率|一秒(?:才|只|就|能|大概)?(?:能|有|出)?\s?\d|takes? (?:\d{1,4}"
        r"|\w{1,8}) (?:minutes|seconds"
        r"|min) (?:per|for each"
        r"|to answer|an)"
    )),
    ("speed", 1.5, r"多快|how fast"),
    ("speed", 4, r"(?:[,;.?]|(?<![a-z])(?:and|what|whats|expected|inference)|\d[a-z]{0,3})\s+speeds?\s?\?*$"),
    ("speed", 4, (
        r"(?:几|多少)\s?(?:个)?\s?(?:tok(?:en)?s?|t/s)(?!\s?(?:的)?(?:上下文|长|context))"
        r"|(?:推理|生成|出字|跑起来|跑)(?:得|的|速度)?\s?(?:很|太|好|特别|非常|巨|超|比较|贼|死)?慢"
    )),
    ("speed", 7, (
        r"(?:how many|cu[aá]nt[ao]s|quant[ao]s|combien de|wie ?viele?|сколько|何) ?(?:t/s|tps|tok(?:en)?s?|токен\w*)"
        r"(?:\s?(?:/|per|a|por|par|pro|each)\s?s|\s?в сек|(?=/s))|prompt processing|(?<![a-z])prefill speed"
    )),
    ("speed", 3.5, r"(?:出|生成)多少(?:张|个|条)|一(?:天|小时|分钟)能(?:出|跑|处理)"),
    ("speed", 5, r"(?:够不够|够|算|很)快(?:吗|么|不|$)|(?:fast|quick) enough|how slow"),
    ("training_time", 3.5, r"几个?小时"),
    ("concurrency", 8.5, r"(?:撑|扛|顶|坚持|够用?|支撑)(?:得?住?)?(?:到)?(?:多久|多长时间|几年|几个月|什么时候)"),
    ("training_time", 3.5, (
        r"(?<![撑扛顶住持])(?<!够用)(?:多久|多长时间)|几天|多少个?(?:小时|天)"
        r"|(?<![a-z])how long(?! an? (?:context|prompt))"
    )),
    ("training_time", 5, r"(?:训|微调)[^。?!\n]{0,30}?多快|how fast[^。?!\n]{0,40}?(?:train|fine-?tun)"),
    ("speed", 2.5, (
        r"(?:太|很|还|好|更|这么|特别|最|才|巨|超)慢|慢(?:很|得|死|了|\d|吗)|(?<![a-z])slow(?:er|est"
        r"|ly)?(?![a-z])|跑了\s?\d|提速|加速|faster|性能|performance|正常吗|raise throughput|速度"
        r"|gpu sits at|利用率"
    )),
    # training time
    ("training_time", 5, (
        r"(?:训|微调|train|fine[- ]?tun|epoch|跑完|lora|sft)[^。?!\n]{0,40}?(?:多久|多长时间|几天|几个?小时"
        r"|多少(?:个)?(?:小时|天)|how long)|how long[^。?!\n]{0,50}?(?:train|fine[- ]?tun|epoch|pre-?train"
        r"|sft|lora|take|gpt)|(?:train|fine[- ]?tun)\w{0,4} (?:time|duration|hours)|(?:hours|days"
        r"|time) (?:to|per|for) (?:train|fine[- ]?tun|voice|epoch|run)|days per|how many (?:days|hours"
        r"|weeks)|多久(?:能)?(?:训|微调|跑完|训完|训练)|(?:finish|done|complete)[^。?!\n]{0,100}?(?:overnight|tonight"
        r"|in (?:a"
        r"|one) (?:day|week|weekend|night)|over the weekend|by (?:monday|tomorrow))|(?:一晚上|一夜|一天|一周"
        r"|周末)(?:之?内)?(?:能"
        r"|可以)?(?:不能)?(?:训|跑|微调)(?:得)?完|训练(?:时间|时长|要多久)|(?<![a-z])eta(?![a-z])"
        r"|combien de temps|训得完|为啥这么久|这么久"
    )),
    ("training_time", 4, (
        r"(?:train|fine[- ]?tun|训|微调|lora|epoch|qlora|轮"
        r"|pretrain\w{0,3})[^。?!\n]{0,60}?\d{1,4}\s?个?(?:小时|天|hours?|days?|h(?![a-z]))"
        r"|\d{1,4}\s?(?:hours?|days?|小时|天|h(?![a-z]))[^。?!\n]{0,30}?(?:train|fine[- ]?tun|训|微调"
        r"|only \d{1,2}%|epoch)|how long[ ?]*$|(?<![撑扛顶住持])(?<!够用)(?:多久|多长时间)[??]*$|gpu[- ]hours?|卡时"
    )),
    # concurrency
    ("concurrency", 4, (
        r"并发|concurren\w{1,5}|simultaneous\w{0,2}|parallel (?:requests|users|streams)|(?:多少|几"
        r"|支持)(?:个)?(?:人|用户|路)|同时(?:用|在线|服务|使用)|how many (?:users|requests|people"
        r"|concurrent|clients|streams|sessions)|(?<![a-z])(?:qps|rps|dau)(?![a-z])|日活|max[-_]concurrent"
        r"|\d\s?路|users? at (?:once|the same time)|for \d[\d, ]{0,9}k? (?:users|people|employees)|(?:个|名"
        r"|位)?(?:用户|人|员工|同事)(?:同时|访问|并发)"
    )),
    ("concurrency", 2, r"(?<![a-z])users?(?![a-z])|用户|团队|team of|员工|employees"),
    # context
    ("context_length", 4.5, (
        r"(?:多长|多大|最长|最大|多少)的?(?:上下文|context|序列|长度)|上下文(?:能|最长|可以|最大|开到|多长"
        r"|长度能)|(?:能|可以|不能)开到?[^。?!\n]{0,8}(?:上下文|k|context|ctx)|(?:max(?:imum)?|how long"
        r"|how much|longest|what) (?:a )?(?:context|ctx|sequence)|满(?:血)?\s?\d{0,4}k? ?上下文"
        r"|kv ?cache (?:size|and|memory)|max (?:sequence|seq)(?:uence)? length[:?]|kv ?(?:缓存"
        r"|cache)(?:怎么算|多大|要|占)|长(?:上下文|文本)"
    )),
    ("context_length", 2, (
        r"(?:with|at|to|tuned to|full|on) (?:a )?\d{1,4}(?:\.\d)?[km] ?(?:token )?(?:context|ctx|max length"
        r"|window)|上下文|context|(?<![a-z])ctx(?![a-z])|max length|max[-_]model[-_]len"
    )),
    # cloud or buy
    ("cloud_or_buy", 6, (
        r"(?:租|(?<![a-z])rent\w{0,4}|cloud|云|pay-as-you-go|autodl|runpod|(?<![a-z])aws|vast)[^。!\n]{0,50}?(?:还是|or|vs\.?"
        r"|versus|划算|cheaper|better than)[^。!\n]{0,40}?(?:买|自己|自建|自购|本地|buy\w{0,3}|(?<![a-z])own\w{0,3}"
        r"|purchas\w{0,3}|on-?prem\w{0,5}|local|home|card)|(?:买|自己攒?|自建|自购|本地|buy\w{0,3}|(?<![a-z])own"
        r"|purchas\w{0,3}|on-?prem\w{0,5}|home|build)[^。!\n]{0,50}?(?:还是|or|vs\.?|versus|划算"
        r"|stay with)[^。!\n]{0,30}?(?:租|(?<![a-z])rent\w{0,4}|cloud|云|autodl|runpod|(?<![a-z])aws|vast)"
        r"|租(?:还是|和)买"
        r"|买(?:还是|和)租|(?<![a-z])rent or buy|buy or rent|pay-as-you-go|lowest-cost way|break-?even|回本"
    )),
    ("cloud_or_buy", 6, (
        r"(?<![a-z])(?:pay(?:s|ing)?|spend(?:s|ing)?|bill(?:ed|s)?)(?![a-z])[^?!\n]{0,60}?(?:a|per|every|each) month"
        r"[^!\n]{0,100}?(?:cheaper|pay(?:s|ing)? off|sav(?:e|es|ing)|better off|worth|instead|break even)"
        r"|每(?:个)?月[^。?!\n]{0,16}?(?:付|花|交|租金|账单|费用)[^。!\n]{0,40}?(?:换成|改成|改买|自己买|自建|自购|买)[^。!\n]{0,40}?"
        r"(?:划算|便宜|省|值|回本|合算)"
    )),
    ("cloud_or_buy", 4.5, (
        rf"(?:租|(?<![a-z])rent\w{{0,4}}|租用|包月|on[- ]demand|spot)[^。?!\n]{{0,24}}?(?:多少钱|价格|几块|费用|price"
        rf"|cost|how much|便宜|cheap|哪家|哪里|where)|(?:多少钱|价格|price|cost|how much"
        rf"|cheapest)[^。?!\n]{{0,40}}?(?:租|(?<![a-z])rent|per hour|an hour|/h(?![a-z])|/小时|每小时|on (?:lambda"
        rf"|runpod|aws|vast|gcp|azure)|cloud)|租[^。?!\n]{{0,20}}?多少|一小时多少|多少钱一(?:个)?(?:小时"
        rf"|月)|(?:in|on|via|from) the cloud|上云|云上|租(?:一?[台张]|用)?(?:{GPU}|显卡|卡|服务器|gpu)"
        rf"|(?<![a-z])(?<!i )(?<!we )(?<!i'm )(?<!we're )rent(?:al|ing)?(?![a-z])"
        rf"|cloud (?:gpu|price|offer|instance|provider)s?|(?:which|what"
        rf"|cheapest|best) cloud(?![a-z])|云服务器|哪家云"
    )),
    # budget
    ("budget", 4, (
        r"预算|(?<![a-z])budget(?![a-z])|经费|(?:under|below|less than|up to|max) (?:us)?[$€£¥]"
        r"|[万千块元]以内|<\s?[$€£¥]|以内的?(?:显卡|配置|机器)"
    )),
    ("budget", 4, (
        r"(?:(?:how much|what) (?:would|will|does|do|is|are)(?![a-z])[^。?!\n]{0,50}? cost|total cost"
        r"|多少钱|要花多少|成本|造价|rough cost|cost of|costs? to|how expensive|what would it cost)"
        r"|what(?:'s| is| would be) the (?:bill|damage|quote|total)|ballpark(?! (?:v?ram|memory|speed))"
        r"|set (?:me|us) back|run (?:me|us)(?: per| a|\?|$)"
        r"|(?:time|hours|days|long) and (?:the )?(?:cost|price|money|how much)|多久[^。?!\n]{0,6}多少钱"
        r"|(?<![a-z])quot(?:e|ation)|报价|多少预算"
        rf"|how much (?:is|are|for) (?:\S{{1,12}} ){{0,3}}?{GPU}|(?<![a-z])costs?\s?\?|(?<![a-z])price\s?\?"
    )),
    # compatibility
    ("compatibility", 4.5, (
        r"sm_\d{2,3}|compute capability|capability \d|not compatible|incompatib\w{0,6}|compatib\w{0,6}|兼容"
        r"|why (?:can'?t|can ?not|won'?t|doesn'?t)[^.?!\n]{0,40}?(?:use|do|support|handle) (?:bf16|fp16|fp8|fp4|nvfp4"
        r"|mxfp4)"
        r"|only supports?|支持\s?(?:不支持|吗|么|fp8|bf16|flash|vllm|cuda|nvlink)|(?:support|supports"
        r"|supported)(?: \w{1,12}){0,3}\s?\?|no kernel image|(?:驱动|driver)[^。?!\n]{0,24}?(?:cu\d{2,3}"
        r"|cuda|升|版本|version|update)|cuda ?(?:版本|version|\d{2}\.\d)|flash[- ]?attention"
        r"|(?<![a-z])musa(?![a-z])|rocm|(?:is|does|do) (?:\S{1,24} ){1,3}support|能用吗|能不能不用"
        r"|会(?:怎么样|怎样|有问题|出问题)|what happens (?:if|when)|any (?:problems?|issues?|gotchas)|problems?\?"
        r"|issues?\?"
        r"|混(?:插|用|搭)|mixing|报(?:错)?[^。?!\n]{0,6}only|-fa (?:on|and)|hangs?(?![a-z])|跑.{0,8}报错|能装"
        r"|装(?:得|不)[了上]"
    )),
    # interconnect
    ("interconnect", 4.5, (
        r"(?<!有)(?<!有 )(?<!带)(?<!带 )(?<!no )(?<!with )(?<!without )(?<!\+)(?<!\+ )nvlink(?! ?版)"
        r"|nccl|infiniband|(?<![a-z])ib(?: 口|网|卡|口|(?![a-z]))|(?<![a-z])roce(?![a-z])|nvswitch|pcie (?:x\d|\d\.\d"
        r"|riser|lane|switch)|risers?|all_?reduce|p2p|interconnect|互联|互连|多机|跨机|跨节点|多节点"
        r"|multi-?node|two-node|10gbps|10gbe|bandwidth the bottleneck|numa|plx"
    )),
    ("interconnect", 3, r"(?:有|带|没|no|with|without) ?nvlink"),
    ("interconnect", 4.5, (
        r"(?:双卡|两张|多卡|两块|2 ?卡|四卡|tensor[-_ ]parallel\S{0,10}|ddp|two gpus|second gpu|multi-?gpu"
        r"|2x|dual|两个|更多卡|加卡)[^。!\n]{0,60}?(?:慢|slower|没(?:有)?提升|same speed|not (?:any |much )?faster"
        r"|不如|翻倍|加速比"
        r"|no faster|图啥)|(?:单卡|一张|one card|same speed as one|单机)[^。!\n]{0,30}?(?:还?慢|slower|一样"
        r"|反而)|\d\s?[块张][^。?!\n]{0,3}(?:反而)快|scaling|扩展(?:性|效率)|加速比|(?:same"
        r"|no) speed(?:up)?"
    )),
    # power
    ("power", 5, (
        r"电源|发热|[拉接引].{0,4}多大的?电|电够不够|增容|度电|(?<![a-z])heat(?! ?sink)(?![a-z])"
        r"|(?<![a-z])psu(?![a-z])|\d{3,4}\s?w(?:att)?s?(?![a-z]| ?/)|\d\s?瓦"
        r"|power (?:supply|draw|limit|consumption)|散热|cooling|(?:nvidia-smi )?-pl(?![a-z])|electricity"
        r"|电费|跳闸|powers? (?:the pc )?off|供电|限到?\s?\d{3}|12vhpwr|rack power|温度|降频|undervolt"
        r"|circuit|breaker|插座|throttl\w{1,3}|too hot|temperatures?"
    )),
    ("power", 4.4, r"功耗|(?<![a-z])tdp(?![a-z])|多少瓦"),
    # spec
    ("spec", 4.5, (
        rf"{GPU}{{1,60}}(?:'?s)? (?:memory )?(?:bandwidth|vram(?! ?[:：,，;])|tdp|memory size|tflops)"
        rf"|{GPU}{{1,60}}(?:'?s)?\s?(?:的|显卡)?\s?(?:显存|带宽|算力|参数|规格|功耗|价格|多少显存|显存多大|tflops"
        rf"|fp8|架构|有nvlink|支持nvlink)[^。?!\n]{{0,8}}?(?:多少|多大|是多少|怎么样|是什么|如何)?|显存多大"
        rf"|多大显存(?=[的?]|$)|specs?(?![a-z])|specifications?|规格|datasheet|(?:memory )?bandwidth of"
        rf"|带宽(?:是|有)?多少|(?<![a-z])t?flops(?![a-z])|how much (?:vram|memory|bandwidth) does (?:the "
        rf"|a |an )?{GPU}|(?<![a-z])mig(?![a-z])|切几份|切分"
        rf"|which (?:\w{{1,12}} ){{0,4}}cards (?:still )?(?:have|support)|有多少(?:个)?(?:cuda|tensor|核心"
        rf"|流处理器)|多少钱一张|price of|unlock-vram|is it true that|发布|release date|什么架构|算力多少"
        rf"|写反了|显存带宽"
    )),
    ("guidance", 6.5, RELIABILITY),
    ("guidance", 6.5, rf"{_SERVERS}\s?(?:还是|和|跟|与|or|vs\.?|、|/)\s?(?:用\s?)?{_SERVERS}"),
    # launch files
    ("launch_files", 6, (
        r"(?:启动|部署|运行|推理)(?:命令|脚本|参数怎么写|配置文件)|docker[- ]?compose|docker run|k8s"
        r"|kubernetes|helm|yaml (?:file|for)|yaml 文件|slurm|sbatch|systemd|launch (?:command|script|file)"
        r"|command (?:line )?to (?:run|launch|serve|start)|写(?:一?个|份)?(?:启动|部署|docker|脚本)|(?:给"
        r"|写|求)[^。?!\n]{0,40}?(?:启动|部署|运行)(?:命令|参数|脚本|配置)|给(?:我)?(?:个)?(?:启动|单卡部署"
        r"|部署)?命令|配置(?:文件)?怎么写|怎么写(?:配置|命令|脚本|启动)|deepspeed config|accelerate config|(?:give"
        r"|write) me (?:the "
        r"|a )?(?:vllm |launch "
        r"|serve |docker )?(?:command|config|script|compose)|ds_config|configs? file"
    )),
    # guidance
    ("guidance", 3, (
        r"怎么(?:把|才能|设置|做|弄|搞|用|调|理解|优化|配置(?!卡)|回事|升级|算)|如何|是什么意思|什么是|原理"
        r"|(?<!gpu )(?<!memory )do (?:i|we) (?:really )?need|is it (?:necessary|required|worth)"
        r"|what's the (?!biggest|best|max)"
        r"|best practi\w{1,3}|how (?:do|does|to|can)(?! i (?:run|fit))|what (?:is|are"
        r"|does) (?!the (?:biggest|largest|best|min))|explain|why (?:is|does|do|are|would|double)|为什么"
        r"|为啥|tips|建议|精度(?:损失|下降)|掉点|损失(?:大|多大)|影响(?:大|多大)|是怎么|什么时候(?:用|该)|应该(?:用"
        r"|选|怎么)|该(?:选|用)哪|do's"
        r"|when (?:should|to)|哪里不对|有必要|差在哪"
    )),
)  # fmt: skip
