/**
 * What of a conversation a provider refuses, or takes in one form only. Before each call the prompt is mended by these
 * rules; the transcript, and what is stored of it, stay as they are. `false` switches a rule off.
 */
export interface HistoryRules {
  /**
   * Leaves out text without content, and messages that have nothing else. `empty`: no characters; `blank`: nothing but
   * white space either. A user's message is never left out: it says that it was empty.
   */
  emptyContent: 'empty' | 'blank' | false
  /**
   * Gives every tool call its one result, directly behind it: a call without one gets an error result, a result without a
   * call is left out. The value says which call ids are taken: any, unique `word`s (letters, digits, `_` and `-`, at most
   * 64), or unique ids of `nine` letters and digits. Other ids are exchanged, in the call and its result.
   */
  toolCalls: 'any' | 'word' | 'nine' | false
  /** Gives a tool's result of several parts exactly one text: all of its texts, joined. */
  oneResultText: boolean
  /**
   * The names of the `providerOptions` that are this provider's own. Reasoning, custom parts and provider-executed tools
   * that carry those of another provider only are left out, and tool calls are sent without them.
   */
  foreignParts: readonly string[] | false
  /** Leaves out tools that a provider has executed itself, and their results. */
  noExecutedTools: boolean
  /** Leaves out reasoning that nothing follows in its turn. */
  trailingReasoning: boolean
  /**
   * The media types that are taken, such as `image/png` or `image/*`; an empty list for none. In the place of other files
   * a note in text says that one was left out, also in tool results. With a list, none of the assistant's files is taken.
   */
  files: readonly string[] | false
  /** Begins the conversation with a message of the user. */
  userFirst: boolean
  /** Puts an answer between a tool's result and a message of the user. */
  answerAfterTool: boolean
  /** Joins messages of the user, and of the assistant, that follow each other. */
  alternate: boolean
  /**
   * Ends the conversation with a message of the user where it ends with text of the assistant. `plain`: only where the
   * call asks for a structured answer or for reasoning.
   */
  noPrefill: boolean | 'plain'
}

export type HistoryRuleName = keyof HistoryRules

/** The providers whose rules are known. */
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

/** The rules for one provider or model: those of a known provider, if it is `like` one, with changes. */
export type HistoryRuleChanges = Partial<HistoryRules> & {
  /** A provider in the table, such as `anthropic`. Default: the provider itself, if it is in the table. */
  like?: KnownProvider
}

/**
 * Changes by provider (`acme`) or by model (`acme/acme-1`), as the model's `provider` says up to the first dot; `false`
 * switches all rules off for it. `providerHistory: false` does so for all providers.
 */
export type ProviderHistoryOptions = Record<string, HistoryRuleChanges | false> | false
