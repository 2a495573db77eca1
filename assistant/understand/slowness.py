"""Words that complain of slowness without telling how slow."""

SLOWNESS = (
    r"(?:很|太|特别|好|这么|那么|超|巨|贼|非常|有点|极其)慢|慢(?:得|死|成|爆|到)|(?:速度|生成|推理|回答)慢|怎么慢"
    r"|(?<![a-z])(?:is|are|so|very|really|super|too|painfully|extremely|kinda|pretty|runs?|running)"
    r" (?:so |very |really )?slow(?![a-z])|(?<![a-z])slow(?:ly)? on my(?![a-z])|(?<![a-z])why [^.?!]{0,60}slow(?![a-z])"
)
"""A pattern for text in small letters."""
