"""What is asked in languages other than Chinese and English: enough to know the question, not the grammar."""

from tools.need import Intent

TONGUES: tuple[tuple[Intent, float, str], ...] = (
    ("speed", 5, (
        r"(?:qué|que|cu[aá]l es la) velocidad|velocidad (?:de|debo|puedo|tendr)|(?:qual a |que )velocidade"
        r"|quelle vitesse|[àa] quelle vitesse|quel d[eé]bit|combien de tok\w*"
        r"|wie schnell|welche geschwindigkeit|wie ?viele tok\w*|che velocit[àa]|quanti tok\w*"
        r"|как быстро|какая скорость|какую скорость|сколько ток\w*"
        r"|どのくらいの速|どれくらい速|何 ?(?:トークン|tok\w*)|速度は|얼마나 빠|속도(?:는|가|가 얼마)?"
        r"|몇 ?(?:토큰|tok\w*)"
    )),
    ("training_time", 5.5, (
        r"cu[aá]nto (?:tiempo )?(?:tarda|tardar[ií]a|demora|llev)\w{0,3}|quanto tempo|combien de temps|wie lange"
        r"|quanto (?:ci mette|dura)|сколько (?:времени|часов|дней)|как долго"
        r"|(?:何|どの(?:くらい|ぐらい)の?)(?:時間|日)|얼마나 걸|몇 ?(?:시간|일)"
    )),
    ("min_vram", 5, (
        r"(?:cu[aá]nta|quanta) (?:vram|memoria|mem[oó]ria)|(?:wie ?viel|wieviel) (?:vram|speicher|grafikspeicher)"
        r"|сколько (?:видеопамяти|памяти|vram)|(?:vram|メモリ)は?(?:どれ|どの|何)|(?:vram"
        r"|메모리)[이가는은]? ?(?:얼마|몇)"
    )),
    ("can_it_run", 4, (
        r"[¿]?(?:puedo|podr[ií]a|se puede|funciona|alcanza|basta)(?![a-z])|(?:consigo|posso|d[aá] (?:pra|para)"
        r"|serve (?:pr[ao]|para|p/))(?![a-z])"
        r"|(?:puis-je|peut-on|est-ce que (?:je peux|[çc]a)|suffit)(?![a-z])"
        r"|(?:kann ich|l[äa]uft|reicht|passt)(?![a-z])|(?:posso|basta|riesco)(?![a-z])"
        r"|(?:можно ли|хватит ли|потянет|запустить ли|влезет)|(?:動き|動か|足り|走り)ます?か|돌릴 수|돌아가|충분"
    )),
    ("compare", 4.5, (
        r"どちら|どっち|(?:어느|어떤) (?:것|쪽|게)|뭐가 (?:더 )?(?:나|좋)|cu[aá]l (?:es mejor|conviene|me conviene)"
        r"|(?:was|welche[rs]?) (?:ist|w[äa]re) (?:besser|schneller)|oder doch|qual (?:[ée] melhor|compensa)"
        r"|lohnt sich|oder (?:lieber|eher|besser)|o (?:mejor|bien) un|ou (?:plut[ôo]t|melhor)"
        r"|или (?:лучше|взять)|それとも"
        r"|laquelle|lequel|(?:что|какая|какой) (?:лучше|быстрее|выбрать)"
    )),
    ("which_to_buy", 4.5, (
        r"(?:qué|que|cu[aá]l) (?:gpu|tarjeta|gr[aá]fica|placa)|(?:quelle|quel) (?:carte|gpu)|welche (?:gpu|karte"
        r"|grafikkarte)"
        r"|quale (?:gpu|scheda)|qual (?:gpu|placa)|какую (?:видеокарту|карту|gpu)|どの(?:gpu|グラボ|カード)"
        r"|어떤 (?:gpu|그래픽)"
    )),
)  # fmt: skip
"""Intent, weight and words; read like the shapes of English and Chinese."""
