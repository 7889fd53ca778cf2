"""From a seed to a folder that transformers can load: config, weights, tokenizer, chat template; under 1 MB.

Equal seeds and lessons give equal files on equal machines. Left out: being good at anything but its lessons.
"""

import random
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import tokenizers
import torch
import transformers

from evals.policies.tiny.lessons import Lesson, corpus

ROLES: Final = ("system", "user", "assistant", "tool")
END: Final = "<|end|>"
TEMPLATE: Final = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
VOCABULARY = 512
LEARNING_RATE = 4e-3
BATCH = 16
NOT_TAUGHT = -100
"""The label of a token that isn't to be learned."""


def make_tiny_llama(
    folder: Path, seed: int = 0, lessons: Sequence[Lesson] = (), steps: int = 120, *, longest: int = 2048
) -> Path:
    """Make `folder`: a Llama of some 100,000 random weights, then taught `lessons` for `steps` of up to 16 each.

    It takes conversations of up to `longest` tokens. Taught nothing, it repeats itself until it is cut off.
    """
    libraries: Any = transformers
    with _still(seed):
        tokenizer = _tokenizer()
        model = libraries.LlamaForCausalLM(
            libraries.LlamaConfig(
                vocab_size=len(tokenizer), hidden_size=64, intermediate_size=160, num_hidden_layers=2,
                num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=longest,
                tie_word_embeddings=True, bos_token_id=None, eos_token_id=tokenizer.eos_token_id,
                pad_token_id=tokenizer.pad_token_id,
            )
        )  # fmt: skip
        if lessons:
            _teach(model, tokenizer, lessons, steps, seed)
        folder.mkdir(parents=True, exist_ok=True)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


def _tokenizer() -> Any:
    """Byte pairs learned from the lessons' words; every text can be written in it, since bytes can."""
    parts: Any = tokenizers
    made = parts.Tokenizer(parts.models.BPE())
    made.pre_tokenizer = parts.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = parts.decoders.ByteLevel()
    trainer = parts.trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[END, *(f"<|{role}|>" for role in ROLES)],
        initial_alphabet=sorted(parts.pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    made.train_from_iterator(corpus(), trainer)
    libraries: Any = transformers
    tokenizer = libraries.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=END, pad_token=END, padding_side="left", clean_up_tokenization_spaces=False
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def _teach(model: Any, tokenizer: Any, lessons: Sequence[Lesson], steps: int, seed: int) -> None:
    """Next-token loss on the answers alone, AdamW, a learning rate that falls to nothing."""
    rows = [_row(tokenizer, lesson) for lesson in lessons]
    order, size = random.Random(seed), min(BATCH, len(rows))
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=0.0)
    model.train()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * (1 - step / steps)
        batch = [rows[order.randrange(len(rows))] for _ in range(size)]
        longest = max(len(ids) for ids, _ in batch)
        ids = torch.zeros((size, longest), dtype=torch.long)  # (B, T), padded on the right: nothing attends to it
        labels = torch.full((size, longest), NOT_TAUGHT)
        for place, (tokens, taught) in enumerate(batch):
            ids[place, : len(tokens)] = torch.tensor(tokens)
            labels[place, taught : len(tokens)] = torch.tensor(tokens[taught:])
        loss = model(input_ids=ids, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()  # pyright: ignore[reportUnknownMemberType]
    model.eval()


def _row(tokenizer: Any, lesson: Lesson) -> tuple[list[int], int]:
    """The tokens of a conversation, and from which on they are the answer's."""
    system = [{"role": "system", "content": lesson.system}] if lesson.system else []
    asked: str = tokenizer.apply_chat_template(
        [*system, {"role": "user", "content": lesson.prompt}], tokenize=False, add_generation_prompt=True
    )
    before: list[int] = tokenizer(asked, add_special_tokens=False)["input_ids"]
    after: list[int] = tokenizer(lesson.answer + END, add_special_tokens=False)["input_ids"]
    return before + after, len(before)


@contextmanager
def _still(seed: int) -> Generator[None]:
    """Torch with this seed and one thread, so that sums have one order; afterwards as it was."""
    threads = torch.get_num_threads()
    bars: bool = transformers.utils.logging.is_progress_bar_enabled()
    transformers.utils.logging.disable_progress_bar()
    randomness: Any = torch.random
    with randomness.fork_rng(devices=[]):
        randomness.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
            if bars:
                transformers.utils.logging.enable_progress_bar()
