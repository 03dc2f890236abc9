"""Makes a chat model that needs no download, and a LoRA adapter for it.

    make_model.py MODEL_DIRECTORY ADAPTER_DIRECTORY [HIDDEN_SIZE INTERMEDIATE_SIZE LAYERS]

A Llama with random weights, four million of them by default, and a byte-level BPE tokenizer that is trained on the
prose of Python's own manual. What it writes means nothing. What matters is that greedy decoding gives the same text
each time, and a text that varies: an answer that was resumed at the wrong token would else look like the right one.
"""

import pydoc_data.topics
import sys

import peft
import tokenizers
import torch
import transformers

CONTEXT_TOKENS = 2048
# Answers without a limit of their own end here, by generation_config.json.
DEFAULT_OUTPUT_TOKENS = 200
END = "<|end|>"
ROLES = ("system", "user", "assistant", "tool")
TEMPLATE = (
    "{%- for message in messages -%}"
    "<|{{ message.role }}|>{{ message.content }}"
    "{%- if not loop.last or not continue_final_message %}<|end|>{% endif -%}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt %}<|assistant|>{% endif -%}"
)


def make_tokenizer():
    bytes_of = tokenizers.pre_tokenizers.ByteLevel
    bpe = tokenizers.Tokenizer(tokenizers.models.BPE())
    bpe.pre_tokenizer = bytes_of(add_prefix_space=False)
    bpe.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=1200,
        initial_alphabet=bytes_of.alphabet(),
        special_tokens=[END, *(f"<|{role}|>" for role in ROLES)],
        show_progress=False,
    )
    manual = pydoc_data.topics.topics
    bpe.train_from_iterator((manual[topic] for topic in sorted(manual)), trainer)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token=END, pad_token=END, model_max_length=CONTEXT_TOKENS
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def greedy(model, tokenizer, tokens):
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": "Why is the sky blue?"}],
        add_generation_prompt=True,
        return_tensors="pt",
        return_dict=True,
    )
    answer = model.generate(**prompt, min_new_tokens=tokens, max_new_tokens=tokens, do_sample=False)
    return answer[0, prompt["input_ids"].shape[1] :].tolist()


def fill(model, spread, seed):
    """Draws all weights again; the wider they spread, the less a greedy text repeats itself."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1:
                weight.normal_(std=0.05 if name.startswith("lm_head") else spread)


def make_model(tokenizer, hidden_size, intermediate_size, layers):
    model = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=hidden_size,
            intermediate_size=intermediate_size,
            num_hidden_layers=layers,
            num_attention_heads=8,
            num_key_value_heads=4,
            max_position_embeddings=CONTEXT_TOKENS,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    for spread in (0.08, 0.12, 0.16):
        for seed in range(5):
            fill(model, spread, seed)
            if len(set(greedy(model, tokenizer, 240)[-60:])) > 25:
                model.generation_config.max_new_tokens = DEFAULT_OUTPUT_TOKENS
                return model
    sys.exit("No weights were found whose greedy text varies.")


def make_adapter(model):
    adapter = peft.get_peft_model(
        model,
        peft.LoraConfig(r=8, lora_alpha=32, target_modules=["q_proj", "v_proj", "o_proj"], task_type="CAUSAL_LM"),
    )
    torch.manual_seed(7)
    for name, weight in adapter.named_parameters():
        # Zero in a new adapter, which then changes nothing.
        if "lora_B" in name:
            torch.nn.init.normal_(weight, std=0.3)
    return adapter


def main(model_directory, adapter_directory, hidden_size=256, intermediate_size=512, layers=6):
    tokenizer = make_tokenizer()
    model = make_model(tokenizer, int(hidden_size), int(intermediate_size), int(layers))
    tokenizer.save_pretrained(model_directory)
    model.save_pretrained(model_directory)
    make_adapter(model).save_pretrained(adapter_directory)


if __name__ == "__main__":
    main(*sys.argv[1:])
