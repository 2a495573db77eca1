"""Text as the lexicon reads it: compatibility forms folded, lower case, simplified characters, single blanks."""

import re
import unicodedata

_COMMA = {"，": ", ", "；": "; ", "：": ": ", "？": "? ", "！": "! "}
"""Full-width punctuation ends a number; NFKC alone would glue 「3090，128」 into one."""
SIMPLIFIED = str.maketrans(
    "顯張塊個預訓練調參數萬億幾過這麼嗎還換買價錢雲後與對應該樣點電腦動機們務實並發單雙讓種類別誰說話請問"
    "會來記憶體為甚嚴兩獨筆報錯帶寬線貴選擇議論華騰國產陸內臺灣優勢遠連網絡擴載權設備環圖視頻語識範圍級強"
    "壓縮測試續開關檢結構項顆組從頭據條處長時間節創編輯軟擬滿餾蹤減無較題難"
    "夠僅區質賣額適裡讀寫聽鏈購費餘歷碼廠執準確簡週鐘員業專團隊資訊虛盤輸邊層遊戲壞幀"
    "亞佈佔併係倆偉傳儘兒冊凍則剋剛劃劇勁勸卻啓啟喫堅墊墻學審導屬峯師幣幫庫徑復態慮憑戶拋捨捲掛採損搶摺撐"
    "撥擁擔攝攢攤敎敗斷於暢曆書東査槓標橋檔檯櫃歐殘殺氣決沒沖況洩淩渦湊溫漲潛煉熱燒爲爾牆狀獻現産畫異畵當"
    "疊盃盜盡盧眞礦禮稱積競糾紀約紅純給統經綫綴緩總繞繪繫繼纍羅羣義習聯聲職腳臉舉舊薦號虧衝裏補裝製複覈見"
    "規覺訂計討託訪許訴註証詞詢詩誌認誒誤説課講謝證譜譯變負貨責貼賽車軸輔輪轉辦農迴進運達違遜遲邏郵醫釋鉅"
    "銷錄録錶鍊鍾鎊鎖鑰閉閘際隱隻雞離韓響頁頂順須領頸顧風飆飯館餵馬駁驅驗髮魚麵麽齊龍",
    "显张块个预训练调参数万亿几过这么吗还换买价钱云后与对应该样点电脑动机们务实并发单双让种类别谁说话请问"
    "会来记忆体为什严两独笔报错带宽线贵选择议论华腾国产陆内台湾优势远连网络扩载权设备环图视频语识范围级强"
    "压缩测试续开关检结构项颗组从头据条处长时间节创编辑软拟满馏踪减无较题难"
    "够仅区质卖额适里读写听链购费余历码厂执准确简周钟员业专团队资讯虚盘输边层游戏坏帧"
    "亚布占并系俩伟传尽儿册冻则克刚划剧劲劝却启启吃坚垫墙学审导属峰师币帮库径复态虑凭户抛舍卷挂采损抢折撑"
    "拨拥担摄攒摊教败断于畅历书东查杠标桥档台柜欧残杀气决没冲况泄凌涡凑温涨潜炼热烧为尔墙状献现产画异画当"
    "叠杯盗尽卢真矿礼称积竞纠纪约红纯给统经线缀缓总绕绘系继累罗群义习联声职脚脸举旧荐号亏冲里补装制复核见"
    "规觉订计讨托访许诉注证词询诗志认诶误说课讲谢证谱译变负货责贴赛车轴辅轮转办农回进运达违逊迟逻邮医释巨"
    "销录录表炼钟镑锁钥闭闸际隐只鸡离韩响页顶顺须领颈顾风飙饭馆喂马驳驱验发鱼面么齐龙",
)
"""Traditional characters of this trade, so that one grammar reads both ways of writing."""
_BLANKS = re.compile(r"\s+")
LONGEST = 400
"""Characters of a quotation that are read; a name or a quantity takes a few dozen."""


def grammar(expression: str) -> re.Pattern[str]:
    """A pattern for lower-case text; ASCII classes, so that Han characters are no part of a Latin word."""
    return re.compile(expression, re.ASCII)


def fold(character: str) -> str:
    """One character as it is read; full-width punctuation ends a number."""
    if character.isascii():
        return character.lower()
    if character in _COMMA:
        return _COMMA[character]
    return unicodedata.normalize("NFKC", character).lower().translate(SIMPLIFIED)


def plain(text: str) -> str:
    """A quotation as it is read."""
    folded = text[:LONGEST] if text.isascii() else "".join(map(fold, text[:LONGEST]))
    return _BLANKS.sub(" ", folded.lower()).strip()
