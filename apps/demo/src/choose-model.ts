import type { LanguageModelV4 } from '@millrace/core'
import { embeddedModel, type Pace } from './embedded-model/embedded-model.ts'
import { firstListedModel } from './listed-models.ts'

export interface ChosenModel {
  model: LanguageModelV4
  /** A description for the line about the model. */
  label: string
  /** Environment variables to check when a call fails. */
  variables: { key?: string; address?: string }
}

/** The environment variables that select the model. An empty one counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The model of the first configured provider: a compatible server with `OPENAI_BASE_URL`, OpenAI, Anthropic; else the
 * embedded model. `MODEL` is the name of the model; the first two also read `OPENAI_MODEL`. Loads only the selected
 * provider.
 *
 * @throws Error if `OPENAI_BASE_URL` is not a URL, or no model was named and the server lists none
 */
export async function chooseModel(
  environment: Environment,
  { pace }: { pace?: Pace } = {},
): Promise<ChosenModel> {
  const { MODEL, OPENAI_MODEL, OPENAI_BASE_URL, OPENAI_API_KEY, ANTHROPIC_API_KEY } = environment
  if (OPENAI_BASE_URL) {
    const baseURL = OPENAI_BASE_URL.replace(/\/+$/, '')
    const shown = shownAddress(baseURL)
    const key = OPENAI_API_KEY ? { apiKey: OPENAI_API_KEY } : {}
    const modelId = MODEL || OPENAI_MODEL || (await firstListedModel({ baseURL, shown, ...key }))
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const provider = createOpenAICompatible({ name: 'compatible', baseURL, includeUsage: true, ...key })
    return {
      model: provider(modelId),
      label: `${modelId} at ${shown}`,
      variables: { key: 'OPENAI_API_KEY', address: 'OPENAI_BASE_URL' },
    }
  }
  if (OPENAI_API_KEY) {
    const modelId = MODEL || OPENAI_MODEL || 'gpt-5-mini'
    const { createOpenAI } = await import('@ai-sdk/openai')
    return {
      model: createOpenAI({ apiKey: OPENAI_API_KEY })(modelId),
      label: `${modelId} at OpenAI`,
      variables: { key: 'OPENAI_API_KEY' },
    }
  }
  if (ANTHROPIC_API_KEY) {
    const modelId = MODEL || 'claude-haiku-4-5'
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return {
      model: createAnthropic({ apiKey: ANTHROPIC_API_KEY })(modelId),
      label: `${modelId} at Anthropic`,
      variables: { key: 'ANTHROPIC_API_KEY' },
    }
  }
  return {
    model: embeddedModel(pace ? { pace } : {}),
    label: 'embedded demo model (set OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL for a real one)',
    variables: {},
  }
}

/** The URL without credentials. */
function shownAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:')
    return `${url.origin}${url.pathname.replace(/\/$/, '')}`
  throw new Error(
    'OPENAI_BASE_URL is not an http address. Set it to one such as http://localhost:11434/v1, or unset it.',
  )
}
