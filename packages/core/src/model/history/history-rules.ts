/**
 * What a provider refuses in a prompt, or accepts only in one form. Before each call the prompt is adapted by these
 * rules; the transcript and what is stored of it are not changed. `false` disables a rule.
 */
export interface HistoryRules {
  /**
   * Removes text without content, and messages that contain nothing else. `empty`: no characters; `blank`: also only
   * white space. A user message is not removed: its text is replaced by a note that it was empty.
   */
  emptyContent: 'empty' | 'blank' | false
  /**
   * Ensures that every tool call has one result directly after it: a call without a result gets an error result, and
   * a result without a call is removed. The value says which call ids are accepted: `any` but an empty one, unique
   * `word`s (letters, digits, `_` and `-`, at most 64), or unique ids of `nine` letters and digits. Other ids are
   * replaced, in the call and its result, and so are names that no tool can have and no tool of the request has.
   */
  toolCalls: 'any' | 'word' | 'nine' | false
  /** Joins all texts of a tool result with several parts to exactly one text. */
  oneResultText: boolean
  /**
   * The keys of this provider in `providerOptions`. Reasoning, custom parts and provider-executed tools that have
   * only keys of other providers are removed; tool calls are sent without these keys.
   */
  foreignParts: readonly string[] | false
  /**
   * Removes tool calls that a provider has executed, and their results. `unmarked`: only those without options of this
   * provider, but for `code_execution`.
   */
  noExecutedTools: boolean | 'unmarked'
  /** Removes reasoning at the end of a turn. */
  trailingReasoning: boolean
  /**
   * The accepted media types, such as `image/png` or `image/*`; an empty list for none. Other files, also in tool
   * results, are replaced by a text that says so. With a list, all files of the assistant are replaced.
   */
  files: readonly string[] | false
  /** Inserts a user message at the start of the conversation if it does not start with one. */
  userFirst: boolean
  /** Inserts an assistant message between a tool result and a user message. */
  answerAfterTool: boolean
  /** Merges consecutive messages of the user, and of the assistant. */
  alternate: boolean
  /**
   * Appends a user message if the conversation ends with text of the assistant. `plain`: only if the call requests a
   * structured answer or reasoning.
   */
  noPrefill: boolean | 'plain'
  /**
   * Sends JSON that all providers read: a tool input that is no object, such as the truncated arguments of a call, is
   * sent as `{}`; a lone surrogate as U+FFFD; what is nested too deeply as JSON text. Text inputs of a call remain
   * where the request has its tool, `openai.custom`.
   */
  validJson: boolean
}

export type HistoryRuleName = keyof HistoryRules

/** The providers with known rules. */
export const PROVIDER_NAMES = [
  'openai',
  'openai.chat',
  'azure',
  'anthropic',
  'amazon-bedrock',
  'google',
  'mistral',
  'groq',
  'deepseek',
  'perplexity',
] as const

export type KnownProvider = (typeof PROVIDER_NAMES)[number]

/** The rules of a provider or model: those of a known provider, if `like` names one, with changes. */
export type HistoryRuleChanges = Partial<HistoryRules> & {
  /** A provider in the table, such as `anthropic`. Default: the provider itself, if it is in the table. */
  like?: KnownProvider
}

/**
 * Rules by provider (`acme`) or model (`acme/acme-1`). The provider is the model's `provider` up to the first dot.
 * `false` disables all rules but `validJson` for it; `providerHistory: false` disables them for all providers.
 */
export type ProviderHistoryOptions = Record<string, HistoryRuleChanges | false> | false
