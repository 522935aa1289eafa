import type { LanguageModel } from './language-model.ts'
import type { ModelSettings } from './model-settings.ts'

/** The limits of a model in tokens. `undefined` if neither the agent nor the model has them. */
export interface ModelLimits {
  /** Of prompt and answer together. */
  contextWindow: number | undefined
  /** Of an answer. */
  maxOutputTokens: number | undefined
}

/**
 * The limits of a model call: the agent's options, otherwise the properties of the model object with these names. The
 * AI SDK's interface has neither; some providers do.
 */
export function modelLimits(
  model: LanguageModel | undefined,
  told: { contextWindow: number | undefined; modelSettings: ModelSettings },
): ModelLimits {
  return {
    contextWindow: told.contextWindow ?? limitOf(model, 'contextWindow'),
    maxOutputTokens: told.modelSettings.maxOutputTokens ?? limitOf(model, 'maxOutputTokens'),
  }
}

/** Maximum number of tokens that are reserved for an answer of unknown length. */
const ANSWER_TOKENS = 4_096

/**
 * Maximum number of tokens in a prompt: the context window minus `maxOutputTokens`. If that is unknown, 4,096 tokens
 * are reserved, or a quarter of windows below 16,384. `undefined` if the context window is unknown.
 */
export function promptLimit({ contextWindow, maxOutputTokens }: ModelLimits): number | undefined {
  if (contextWindow === undefined) return undefined
  const answer = maxOutputTokens ?? Math.min(ANSWER_TOKENS, Math.floor(contextWindow / 4))
  return Math.max(0, contextWindow - answer)
}

function limitOf(model: LanguageModel | undefined, name: keyof ModelLimits): number | undefined {
  if (typeof model !== 'object') return undefined
  const limit = (model as Partial<Record<keyof ModelLimits, unknown>>)[name]
  return typeof limit === 'number' && Number.isInteger(limit) && limit > 0 ? limit : undefined
}
