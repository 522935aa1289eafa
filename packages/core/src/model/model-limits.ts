import type { LanguageModel } from './language-model.ts'
import type { ModelSettings } from './model-settings.ts'

/** How much a model takes and gives, in tokens. `undefined` where neither the agent nor the model says. */
export interface ModelLimits {
  /** Of prompt and answer together. */
  contextWindow: number | undefined
  /** Of an answer. */
  maxOutputTokens: number | undefined
}

/**
 * The limits of a model call: what the agent was told, else what the model object says in properties of these names. The AI
 * SDK's contract has neither; some providers have.
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

/** What is kept free for an answer of unknown length, at most. */
const ANSWER_TOKENS = 4_096

/**
 * The most tokens of a prompt: the context window less `maxOutputTokens`. Where that is unknown, 4,096 tokens are kept free,
 * and of windows below 16,384 a quarter. `undefined` where the window is unknown.
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
