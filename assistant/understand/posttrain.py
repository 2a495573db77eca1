"""Post-training that holds more than the policy: preference training, reinforcement learning, a teacher."""

from assistant.understand.numbers import number
from assistant.understand.text import Found, grammar
from kb.projects import project_in

_METHODS: tuple[tuple[str, str], ...] = (
    ("ppo", r"ppo|rlhf"),
    ("grpo", r"d?r?\.?grpo|gspo|dapo|rloo|reinforce(?:\+\+|-?plus-?plus)|r1[- ]?zero|rlvr"),
    ("dpo", r"i?dpo|kto|ipo"),
)
_BY_WORD = tuple(
    (name, grammar(rf"(?<![a-z0-9])(?:{words})(?:trainer|config)?(?![a-z0-9])")) for name, words in _METHODS
)
_LEARNS = grammar(
    r"强化学习|(?<![a-z])(?:reinforcement learning|rl (?:fine-?tun\w{0,4}|post-?train\w{0,4}|training))(?![a-z])"
)
_FRAMEWORK = grammar(r"(?<![a-z0-9])(?:verl|openrlhf|open-?rlhf|r1-v|nemo-?rl|trlx)(?![a-z])")
_GENERATIONS = grammar(
    r"(?:num[-_ ]?generations?|group[-_ ]?size|rollout[._]n|n[-_]samples[-_]per[-_]prompt|组大小|采样数)"
    r"\s{0,3}[:=为是]?\s{0,3}(\d{1,4})"
    r"|(?<![\d.])(\d{1,3})\s?(?:generations|rollouts|completions)(?: per| a|/)? ?(?:prompt|question)?"
    r"|每(?:题|个问题|条|个? ?prompt)\s?(?:采样|生成)?\s?(\d{1,3})(?!\d|\s?(?:k|千|万|个?(?:tokens?|字|词元)))"
    r"(?:\s?个(?:回答|答案|样本|采样))?"
)
_TEACHER = grammar(
    r"(?:teacher|教师(?:模型)?|老师模型)\D{0,16}?(\d{1,4}(?:\.\d{1,2})?)\s?b(?![a-z])"
    r"|(\d{1,4}(?:\.\d{1,2})?)\s?b(?![a-z])\s?(?:的)?\s?(?:as (?:the |a )?)?(?:teacher|教师|老师)"
)
_STUDENT = grammar(
    r"(?:student|学生(?:模型)?)\D{0,16}?(\d{1,4}(?:\.\d{1,2})?)\s?b(?![a-z])"
    r"|(\d{1,4}(?:\.\d{1,2})?)\s?b(?![a-z])\s?(?:的)?\s?(?:student|学生)"
)
BILLION = 10**9

_PLAIN = ("sft", "pretrain")
"""Methods that hold nothing beside the model."""


def find_method(text: str) -> Found[str] | None:
    """What is held beside the policy: dpo a reference, grpo an engine too, ppo a critic and a reward model as well.

    A framework that does nothing but reinforcement learning, or a project that repeats it, says it without the word.
    """
    for name, rule in _BY_WORD:
        if match := rule.search(text):
            return Found(name, match.start(), match.end())
    for rule in (_LEARNS, _FRAMEWORK):
        if match := rule.search(text):
            return Found("grpo", match.start(), match.end())
    project = project_in(text)
    return Found(project.method, 0, 0) if project and project.method not in _PLAIN else None


def find_generations(text: str) -> Found[int] | None:
    """Answers sampled for a prompt."""
    match = _GENERATIONS.search(text)
    return Found(int(match[1] or match[2] or match[3]), match.start(), match.end()) if match else None


def find_teacher(text: str) -> tuple[Found[int] | None, Found[int] | None]:
    """Parameters of a teacher held beside the student, and of the student where both sizes are said."""
    teacher, student = _TEACHER.search(text), _STUDENT.search(text)
    if teacher is None:
        return None, None
    size = number(teacher[1] or teacher[2])
    found = Found(round(size * BILLION), teacher.start(), teacher.end()) if size else None
    learner = number(student[1] or student[2]) if student else None
    return found, Found(round(learner * BILLION), student.start(), student.end()) if student and learner else None
