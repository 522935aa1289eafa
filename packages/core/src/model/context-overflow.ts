/**
 * Error messages and codes of providers for a prompt that exceeds the context window. Each line names the providers
 * that use it. Patterns are short and bounded, because error bodies may be long.
 */
const OVERFLOWS: readonly RegExp[] = [
  /context_length_exceeded/i, //                              OpenAI, Azure, Groq, Together, OpenRouter: the code
  /context_window_exceeded|max_tokens_exceeded/i, //          OpenAI-compatible gateways: the code
  /maximum context length/i, //                               OpenAI, DeepSeek, vLLM, OpenRouter, Mistral
  /exceeds? (?:the|this model's|the model's) (?:available )?context (?:window|size|length)/i, // OpenAI Responses, llama.cpp
  /prompt is too long/i, //                                   Anthropic, also on Bedrock and Vertex
  /exceed context limit/i, //                                 Anthropic: input and max_tokens together
  /input is too long for requested model/i, //                Amazon Bedrock
  /too many (?:input )?tokens: (?:size limit|the total number of tokens)/i, // Cohere
  /input token count.{0,60}exceeds the maximum/i, //          Google
  /too large for model with \d{1,12} maximum context/i, //    Mistral
  /reduce the length of (?:the messages|your prompt|either)/i, // Groq, older OpenAI models, Cerebras
  /maximum prompt length is \d/i, //                          xAI
  /input length \d{1,12} exceeds the maximum/i, //            Poolside, Alibaba
  /exceeded model token limit/i, //                           Moonshot
  /inputs? tokens? \+ max_new_tokens.{0,20}must be/i, //      Hugging Face
  /total length of all messages is too long/i, //             Perplexity
  /greater than the context length/i, //                      LM Studio
]

/** A rate limit counts tokens too. Such a call fits into the context window, and is retried later. */
const RATE_LIMITS = /per (?:minute|hour|day)|rate.?limit|throttl|quota|please wait/i

/** Statuses with another meaning, whatever the message. */
const OTHER_STATUSES: ReadonlySet<number | undefined> = new Set([401, 403, 404, 408, 429, 502, 503, 504, 529])

/** Maximum number of characters that are read. */
const MAX_TEXT = 4_000
const MAX_CAUSES = 8

/**
 * Whether a model call failed because its prompt exceeds the model's context window: an error of an AI SDK provider,
 * or one that has it as its cause, such as `MODEL_CALL_FAILED`. Recognized by the messages and codes of common
 * providers. A provider that truncates a prompt without an error is not recognized.
 */
export function isContextOverflow(error: unknown): boolean {
  let current = error
  for (let depth = 0; depth < MAX_CAUSES && typeof current === 'object' && current !== null; depth++) {
    const { statusCode, cause } = current as { statusCode?: number; cause?: unknown }
    if (OTHER_STATUSES.has(statusCode)) return false
    const text = textOf(current)
    if (RATE_LIMITS.test(text)) return false
    if (OVERFLOWS.some((pattern) => pattern.test(text))) return true
    current = cause
  }
  return false
}

/** Message, code and body of an error; for an error event in a stream, which is a plain object, all of it. */
function textOf(error: object): string {
  const { message, responseBody } = error as { message?: unknown; responseBody?: unknown }
  const texts = [message, responseBody, error instanceof Error ? undefined : json(error)]
  return texts.map((text) => (typeof text === 'string' ? text.slice(0, MAX_TEXT) : '')).join('\n')
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}
