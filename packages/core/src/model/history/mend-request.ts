import type { LanguageModelV4 } from '@ai-sdk/provider'
import { isRecord } from '../../record.ts'
import { isThenable } from '../../schema.ts'
import type { ModelRequest } from '../model-request.ts'
import { hasFaults } from './history-faults.ts'
import type { HistoryRuleName } from './history-rules.ts'
import type { Rulebook } from './rulebook.ts'

/** A request as its provider takes it, with the rules by which its prompt was mended, if any. */
export interface MendedRequest {
  request: ModelRequest & { model: LanguageModelV4 }
  mended: readonly HistoryRuleName[]
}

/** Mends the prompt of a request for its model. One that has no faults is passed on as it is. */
export function mendRequest(
  request: MendedRequest['request'],
  rulebook: Rulebook,
): MendedRequest | Promise<MendedRequest> {
  const rules = rulebook.for(request.model)
  const plain = rules?.noPrefill === 'plain' && isPlain(request)
  if (!rules || !hasFaults(request.prompt, rules, plain)) return { request, mended: [] }
  const kit = mending ?? loadMending()
  return isThenable(kit) ? kit.then(mend) : mend(kit)

  function mend({ mendPrompt }: MendingKit): MendedRequest {
    const { prompt, mended } = mendPrompt(request.prompt, rules as NonNullable<typeof rules>, plain)
    return { request: { ...request, prompt }, mended }
  }
}

type MendingKit = typeof import('./mend-prompt.ts')

/** Loaded when needed, since most prompts have no faults; and kept. */
let mending: MendingKit | undefined

async function loadMending(): Promise<MendingKit> {
  mending = await import('./mend-prompt.ts')
  return mending
}

/** Whether a request asks for text alone: for no structured answer and for no reasoning. */
function isPlain({ structuredOutput, modelSettings, providerOptions = {} }: ModelRequest): boolean {
  const { reasoning = 'none' } = modelSettings
  if (structuredOutput || (reasoning !== 'none' && reasoning !== 'provider-default')) return false
  return !Object.values(providerOptions).some(
    (options) => reasons(options?.thinking) || reasons(options?.reasoningConfig),
  )
}

/** Whether the settings of Anthropic's thinking, which Bedrock has too, switch it on. */
function reasons(settings: unknown): boolean {
  return isRecord(settings) && settings.type !== 'disabled'
}
