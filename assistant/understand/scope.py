"""Whether a question is the advisor's business."""

from assistant.understand.text import grammar

_DOMAIN = grammar(
    r"显存|显卡|[张块款种台几多单双]卡|买卡|选卡|配卡|用卡|算力|硬件|内存|服务器|主机|工作站|机器学习|深度学习|大模型"
    r"|模型|推理|训练|微调|部署"
    r"|量化|集群|机房|机架|云(?:服务|主机|厂商|平台|上|端)|租卡|租到?[^,，。?!]{0,8}?(?:什么|啥|哪|几)[个款张]?(?:显)?卡|租(?:个|一|台|用|云|还是)|缓存|延迟|检查点|[水液风]冷|散热|电源|功耗|显示核心"
    r"|带宽|多卡|单卡|双卡|加速卡|国产卡|智算|并发|上下文|吞吐|驱动|配置|矿卡|二手卡|卡机|卡温|信创|超算|备机|直通|炼丹|等?下一代"
    r"|(?:买|配|选|上|装|换)(?:什么|啥|哪[种张款])(?:样的)?卡(?!车|包|通|片机)|(?:代码|编程)(?:助手|补全)"
    r"|(?:推测|投机)解码|向量(?:维度|模型|库)|录音转|会议录音|转文字|(?:机器|硬件|自建)还是(?:用|上|租)?云|可用性|服务商"
    r"|(?<![a-z])(?:gpus?|vram|cuda|rocm|npus?|tpus?|graphics cards?|video cards?|llms?|models?"
    r"|infer\w{1,6}|train\w{0,4}|fine[- ]?tun\w{0,4}|deploy\w{0,4}|quanti\w{1,8}|servers?|clusters?"
    r"|cloud|nvlink|infiniband|pytorch|torch|tensorflow|vllm|sglang|ollama|llama|transformers?"
    r"|deepspeed|fsdp|zero-?[123]|lora|qlora|nccl|fp16|bf16|fp8|int[48]|[48]-?bit|awq|gptq|gguf|tokens?"
    r"|tok/s|kv[- ]?cache|power suppl\w{1,3}|cooling|kubernetes|k8s|xid|dcgm|batch|context|checkpoints?|hardware|cpu"
    r"|ram|ddr\d|workstation|psu|watts?|tdp"
    r"|pcie|hbm|gddr\d?|nvidia|nvidia-smi|amd|intel|ascend|oom|out of memory|memory|bandwidth|flops"
    r"|tflops|rent\w{0,4}|runpod|autodl|aws|gcp|azure|lambda|spot|instances?|mig|flash[- ]?attention"
    r"|tensor parallel\w{0,5}|stable diffusion|comfyui|whisper|embedding\w?|rag|ai|laptop|cards?|computer"
    r"|vgpu|grpo|ppo|dpo|rlhf|sft|epochs?|loss curve|q[2-8](?:_k\w*)?|init_process_group|dataloaders?|slurm"
    r"|speculative decoding|voice ?bots?|latency|data ?cent(?:er|re)s?|kw|\d+ users|next[- ]gen(?:eration)?"
    r"|pc|rig|build|chat-?gpt|copilot|chat ?bots?)(?![a-z])"
    r"|聊天机器人|智能(?:客服|问答|助手)|知识库|智能体|私有化|问答(?:系统|机器人|助手)|语音(?:识别|合成|转)|ocr|文档解析"
    r"|昇腾|英伟达|华为|摩尔线程|寒武纪|海光|人工智能|placa|gráfica|grafikkarte|carte graphique|scheda video"
)
_SERVICE = grammar(
    r"(?:想要?|打算|准备|计划|要|需要|帮我们?)?(?:部署|搭建?|上线|上(?=一?[个套]|内部)|做|建|搞|开发)一?[个套]?[^,。;?!\n]{0,8}"
    r"(?:助手|机器人|客服|问答|知识库|智能体|大模型|助理)"
    r"|(?:每天|日均)[^,。;?!\n]{0,10}\d[^,。;?!\n]{0,6}(?:会话|对话|请求|提问|问答|咨询|调用)"
    r"|(?<![a-z])(?:set(?:ting)? up|deploy|build|host|roll out|stand up|launch|run|need|want|offer)(?:ing)?"
    r"(?: up)?(?: \w{1,12}){0,3} "
    r"(?:assistants?|chat ?bots?|copilots?|help ?desk|knowledge base|q&a bot|agents?)(?![a-z])"
)
"""A service that somebody sets up: hardware for it is what is asked of this advisor, whatever it talks about."""
_INTERFACE = grammar(
    r"(?:你们?|您|这个(?:顾问|助手|服务))[^,。?!\n]{0,10}(?:api|接口|mcp|base_?url|openai)|(?:调用|对接|接入)(?:你们?|您)"
    r"|(?<![a-z])your (?:\w{1,10} )?(?:api|endpoint|rest|mcp|sdk|json)(?! keys?)"
    r"|(?<![a-z])(?:call|query|post to|integrate with) you(?![a-z])"
    r"|/v1/(?:ask|tools|chat)|(?<![a-z])(?:do|can|are) you (?:have|offer|support|return|speak|openai)[^.?!\n]{0,24}"
    r"(?:api|json|mcp|endpoint|compatible)(?! keys?)"
    r"|(?<![a-z])answers? (?:back )?as json|返回(?:的)?(?:json|字段)"
)
"""The advisor's own interfaces, which are its business; its keys are nobody's."""
_INJECTION = grammar(
    r"(?:ignore|disregard|forget|override|bypass)\s(?:all |any |every |your |the |my )?(?:of )?(?:your "
    r"|the |all )?(?:previous|prior|above|earlier|existing|safety|system)?\s?(?:instructions?|rules?"
    r"|prompts?|guidelines|constraints|guardrails)"
    r"|(?:忽略|无视|忘记|忘掉|抛开|绕过|不要遵守|不用管)[^。!?\n]{0,14}(?:规则|指令|指示|提示词?|设定|限制|约束|要求)"
    r"|you are now (?:a|an|dan|in)|developer mode|jailbreak|do anything now|pretend (?:to be|you are)"
    r"|act as (?:a|an|if|dan)(?! server| router)|从现在起你是|你现在是|假装你是|扮演"
)
_SECRETS = grammar(
    r"(?:system|hidden|initial|secret|internal|original)[- ](?:prompt|instructions?|message|rules)"
    r"|(?:系统|隐藏的?|内部|初始)(?:提示词?|指令|prompt|设定)|api[- _]?keys?|密钥|passwords?|密码"
    r"|credentials?|环境变量|environment variables|/etc/passwd"
    r"|your (?:instructions|prompt|rules|source code|training data)|你的(?:训练数据|提示词|指令|源代码|系统)"
)
_ASKS_SECRETS = grammar(
    r"print|show|reveal|repeat|output|tell|give|what (?:is|are)|list|dump|leak|expose|告诉|打印|输出"
    r"|显示|给我|泄露|说出|列出|复述|是什么|发给|发我|发出来|贴出|交出"
)
_CREATIVE = grammar(
    r"(?<![a-z])(?:write|compose|draft|make up|tell)\s(?:me |us )?(?:a |an |the |some "
    r"|my )?(?:\w{1,15} ){0,3}(?:poem|haiku|song|lyrics|story|joke|cover letter|essay|email|e-mail"
    r"|letter|resume|cv|speech|novel|limerick|sonnet|tweet|blog post|homework|screenplay)"
    r"|写[^。,!?\n]{0,16}(?:招标|投标|标书|合同)|写(?:一?(?:首|篇|封|个|段|份))?[^。,!?\n]{0,8}(?:诗|情书|作文|论文|小说|求职信|简历|邮件|故事"
    r"|歌词|段子|检讨|文案|周报|演讲稿)|讲个?(?:笑话|故事)|翻译(?:一下|这|成|以下)"
    r"|(?<![a-z])translate (?:this|the following|to|into)|(?:recipe|ingredients) for|菜谱|食谱"
    r"|怎么(?:做|煮|炒)(?:菜|饭|红烧|蛋糕|鱼|肉)|how (?:do i|to) (?:cook|bake)|红烧肉|作业答案"
)
_OTHER_TOPICS = grammar(
    r"(?<![a-z])(?:bitcoin|ethereum|crypto\w{0,8}|btc|eth|dogecoin|stock (?:price|market)|share price"
    r"|horoscope|weather|president|election|football|soccer|world cup|movie|dating|girlfriend|boyfriend"
    r"|medical advice|diagnose my|lawsuit|religion|capital of|population of|restaurant|hotel|flight"
    r"|vacation)(?![a-z])"
    r"|(?<![a-z])(?:nvda|(?:nvidia|amd|intel|tsmc)(?:'s)? (?:stocks?|shares)|stocks? to buy"
    r"|invest(?:ing)? in (?:nvidia|amd))(?![a-z])|(?<![a-z])a股|[港美]股(?!份)|概念股|股市|股民|大盘|涨停|理财"
    r"|比特币|以太坊|股价|股票|炒股|基金|天气|总统|选举|足球|世界杯|电影|星座|算命|女朋友|男朋友|看病"
    r"|法律|宗教|旅游|酒店|机票|减肥|感冒|政治|彩票"
)
_GAMING = grammar(
    r"打(?:游戏|黑神话|lol|吃鸡|cs|原神|永劫)|黑神话|玩(?:游戏|原神|赛博朋克|黑神话|吃鸡|lol|cs|3a)"
    r"|(?:for|in|at) (?:4k |1440p |1080p |2k )?gaming(?! (?:card|gpu|laptop|pc|rig|desktop))"
    r"|3a ?(?:大作|游戏)|(?:多少|几)帧|帧数|吃鸡|原神|赛博朋克|艾尔登|永劫|网游|电竞|光追游戏"
    r"|(?<![a-z])(?:cyberpunk|gta ?\w|elden ring|fortnite|valorant|csgo|cs2|counter-?strike"
    r"|call of duty|warzone|minecraft|starfield|baldur'?s gate|gaming (?:fps|performance|benchmark)"
    r"|fps in|ray[- ]traced games?|video games?|play(?:ing)? (?:games|\w{2,20} (?:at|in) (?:4k|1440p"
    r"|1080p)))(?![a-z])"
    r"|\d{2,3} ?(?:帧|fps)(?![a-z])|开光追|光追(?:全开|性能)|2077|(?<![a-z])(?:excel|powerpoint|spreadsheets?"
    r"|video calls?|zoom calls?|web browsing|office work)(?![a-z])"
    r"|办公(?!室|楼|区|桌|网|主机|电脑|机|场|环境)|上网课|追剧|刷剧|挖矿|矿卡收益|算力收益"
    r"|(?<![a-z])(?:(?:for|to start) mining"
    r"|mining (?:profit\w{0,7}|bitcoin|crypto|eth|rig)|hash ?rate"
    r"|(?:bitcoin|btc|crypto|ethereum|eth|kaspa) mining|mine (?:bitcoin|ethereum|crypto))(?![a-z])"
)
_FORBIDDEN = grammar(
    r"(?:flash|mod|unlock|patch|hack|刷|破解|改)\w{0,4}\s?(?:my |the |a |its "
    r"|你的)?\s?(?:\S{0,14}\s){0,2}?(?:bios|vbios|firmware|固件|驱动限制)|bypass (?:the )?(?:export"
    r"|firmware|licen[sc]e|drm)|绕过[^。,!?\n]{0,10}(?:出口|授权|许可证|管制|正版)|smuggl\w{1,4}|走私"
    r"|crack(?:ed)? (?:licen[sc]e|software|key)|盗版|破解版|phish\w{0,3}|malware|ransomware|ddos"
    r"|hack into|黑进|破解密码"
    r"|(?:can|could|will|would) you (?:please )?(?:buy|order|purchase) (?:me|us|it|one|this|that)(?![a-z])|pay with my"
    r"|(?:帮|替|给)我(?:下单|付款|代购|垫付)"
)
_HARDWARE_QUESTION = grammar(
    r"显存|多少(?:张|块|g|gb)|几(?:张|块)卡|够不够|够吗|能跑|跑得动|能不能跑|部署|微调|推理|vram"
    r"|how (?:much|many) (?:\ue000|gpus?|memory|vram|cards)|which gpu|what gpu|fit|fine[- ]?tun|deploy|\brun\b"
    r"|oom|quanti|买什么卡|推荐.{0,4}卡|推荐显卡|性价比|nvlink|租|价格|price|compare|全参|lora"
)
_GAGGED = grammar(
    r"(?:别|不要|不许|不准|无需|不用)(?:再)?(?:提|说|讲|解释|提醒|反驳|抬杠|加)(?:别的|其他|其它|警告|前提|条件"
    r"|免责)?|不管(?:实际|真实|事实)(?:情况)?"
    r"|只(?:准|能|许|要)(?:说|回答|输出)|照我说的|(?:no|without|skip(?: the)?) (?:caveats|warnings|disclaimers"
    r"|explanations?)"
    r"|(?:do not|don't) (?:mention|argue|explain|add|warn)|repeat after me|(?:just|only|simply) (?:say|answer|confirm"
    r"|reply)"
)
"""Words that forbid what belongs to an honest answer."""
_DICTATES = grammar(
    r"(?:告诉|回答|(?:你|就|直接|只|请|须)说|宣布|确认|承认|声明|输出|写明|写)[^。?!\n]{0,60}?(?:就能|就够|就可以"
    r"|可以|足够|能)"
    r"|(?<![a-z])(?:repeat|say|tell|answer|confirm|state|claim|declare|write|reply)(?![a-z])"
    r"[^?!\n]{0,120}?(?<![a-z])(?:can|could|fits?|is enough|suffices?|will (?:do|work|run)|runs?"
    r"|is sufficient)(?![a-z])"
)
_ASKED = grammar(
    r"[?]|吗|么(?=$|[,。!])|能不能|可不可以|行不行|是不是|是否|能否|够不够|多少|几[张块片台卡]|哪|怎么|how (?:many"
    r"|much)|(?<![a-z])(?:which|what|whether)(?![a-z])"
)
_BARE_CHOICE = grammar(
    r"预算|经费|实验室|课题组|公司|学校|家用|人民币|美元|欧元|怎么|怎样|如何|该|应该|能|可以|够|用|这样|那样|跑|放|装|带|得|动|下|选|配|买|推荐|合适|什么|啥|好|哪|一?[款个种些张台套]|的|呢|了|吧|吗|大概|左右|大约|以内"
    r"|上下|我|们|有|就|只|手上|手里|手头|给|帮|请|求|建议|方案|一下|最|不|超过|万|千|元|块钱?|多"
    r"|(?<![a-z])(?:how|what|which|it|this|that|enough|one|ones|should|would|do|can|could|i|we|you|get|got|buy|choose"
    r"|pick|go|for|with|my|our|is|are|to|spend|best|good|the|an?|of|under|around|about|on|in|recommend"
    r"|recommendations?|suggest|suggestions?|budget|will|does|fit|work"
    r"|lab|team|home|office|school|something|anything|run|use|it|money|quid|bucks|pounds?|euros?|dollars?|usd|eur|gbp"
    r"|rmb|cny|yuan|grand|total|all|together|have|ve|ll|d|s|want|need|only|max|maximum|limit|up|at|most|please|any"
    r"|some|now|right|buying|thing|option|options)(?![a-z])"
    r"|[\d\s,.?!;:、。~$€£¥_'\"-]|(?<![a-z])[kw](?![a-z])"
)
"""Words of choosing and spending: a question of nothing else, asked of this advisor, is about what it advises on."""
_FITTED_OUT = grammar(
    r"(?:怎么|如何|该|应该)\s?(?:配|搭|选型)|配(?:什么|啥|哪|一?(?:台|套))|问答|助手|本地化?|内网|数据不(?:能|可以|出)|不(?:能|可以)(?:出|上)(?:院|网|云|内网|公网)"
    r"|(?<![a-z])(?:on-?prem\w*|self-?host\w*|in-?house|assistant|q&a)(?![a-z])"
)
"""Words of fitting out a system of one's own: with a budget, that is a question about hardware."""
_BARE_CUE = grammar(
    r"够(?:吗|不|么|用)|(?:跑得动|放得下|装得下|带得动|能跑)(?:吗|么|不)"
    r"|(?<![a-z])(?:can i run it|(?:will|does|would) (?:it|this|that) (?:fit|run|work))(?![a-z])"
    r"|怎么选|选哪|选什么|推荐|买(?:哪|什么|啥)"
    r"|(?<![a-z])(?:enough|recommend\w{0,6}|which one|what (?:should|do) i (?:buy|get))"
)
"""What makes words of choosing alone a question that is asked back, not turned away."""
_WORK_TOO = grammar(
    r"(?<![a-z])(?:llms?|ai|(?:local|language) models?|inference|comfyui|stable diffusion|(?:deep|machine) learning"
    r"|ollama)(?![a-z])|大模型|跑模型|炼丹|跑图|出图|深度学习|机器学习|推理"
)
"""Work that games stand beside: "4K gaming and local LLMs" is a question about a card for both."""
_FIELD = grammar(
    r"(?<![a-z])(?:llms?|(?:language|forecast\w{0,4}) models?|fine-?tun\w{0,4}|gpus?|graphics cards?|v?ram)(?![a-z])"
    r"|大模型|模型|微调|部署|显卡|显存|训练"
)
"""Words of models and cards: a field they are for ("a legal assistant", 「法律大模型」) is no other topic."""
_WANTED = grammar(r"什么|啥|推荐|如何|预算|(?<![a-z])(?:recommend\w{0,6}|need|budget)(?![a-z])")
_GREETING = grammar(
    r"(?:hi|hello|hey|help|thanks?(?: you)?|thx|ok(?:ay)?|你好|您好|在吗|谢谢|多谢|帮忙|嗨)(?: there"
    r"| all| everyone)?[\s!.,?。~]*"
)
_CLAUSE_END = grammar(r"(?<=[。,;!?\n])|(?<=\.)(?= )")


def out_of_scope(text: str, *, names: bool, sized: bool, work: bool, priced: bool = False) -> bool:
    """Whether `text` (masked) asks for something else; `names`: GPUs or models are named; `sized`: a size is stated.

    `priced`: a budget is; a question of that and of choosing alone is about hardware.

    `work`: what to run is said, so that games beside it ("drawing and a bit of gaming") do not matter.

    An instruction planted in a real question is passed over: the question is answered.
    """
    if _GREETING.fullmatch(text.strip()):
        return False
    rest = without_instructions(text)
    if (
        rest == text
        and (_SERVICE.search(text) or _INTERFACE.search(text))
        and not (_FORBIDDEN.search(text) or _CREATIVE.search(text))
    ):
        return False
    work = work or _WORK_TOO.search(rest) is not None
    question = bool(_HARDWARE_QUESTION.search(rest))
    if _FORBIDDEN.search(text):
        return True
    if _SECRETS.search(text) and _ASKS_SECRETS.search(text) and not (question and (names or sized)):
        return True
    if (
        _CREATIVE.search(text)
        or (_GAMING.search(text) and not work)
        or (_OTHER_TOPICS.search(text) and not _of_a_field(rest, names=names, question=question))
    ):
        return not (question and (names or sized) and (work or not _GAMING.search(text)))
    if rest != text and not (question or names or sized):
        return True
    return not (
        names
        or sized
        or _DOMAIN.search(rest)
        or ((priced or _BARE_CUE.search(rest)) and not _BARE_CHOICE.sub("", rest))
        or (priced and _FITTED_OUT.search(rest))
    )


def sets_up(text: str) -> bool:
    """Whether a service is set up, or so many come to it a day: hardware for it is what is asked."""
    return _SERVICE.search(text.lower()) is not None


def _of_a_field(text: str, *, names: bool, question: bool) -> bool:
    """Whether a topic is only what hardware is asked for: a model for lawyers, a card to forecast the weather."""
    return (question and names) or bool(
        _FIELD.search(text) and (question or _ASKED.search(text) or _WANTED.search(text))
    )


def asks_something_else(text: str) -> bool:
    """Whether the text asks for what the advisor never does, whatever came before."""
    topic = _OTHER_TOPICS.search(text) and not _of_a_field(text, names=False, question=False)
    return (
        bool(topic)
        or any(rule.search(text) for rule in (_FORBIDDEN, _CREATIVE, _GAMING, _INJECTION))
        or bool(_SECRETS.search(text) and _ASKS_SECRETS.search(text))
    )


def dictated(text: str) -> bool:
    """Whether the text orders a claim to be stated instead of asking whether it holds."""
    ordered = bool(_INJECTION.search(text) or _GAGGED.search(text))
    return ordered and bool(_DICTATES.search(text)) and not _ASKED.search(text)


def is_injected(text: str) -> bool:
    """Whether the text tries to instruct the advisor."""
    return bool(_INJECTION.search(text))


def without_instructions(text: str) -> str:
    """`text` less every clause that tries to instruct the advisor."""
    if not _INJECTION.search(text):
        return text
    return "".join(part for part in _CLAUSE_END.split(text) if not _INJECTION.search(part))
