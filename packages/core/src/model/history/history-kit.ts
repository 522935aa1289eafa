import { isRecord } from '../../record.ts'
import { isThenable } from '../../schema.ts'
import type { ModelRequest } from '../model-request.ts'
import { hasFaults } from './history-faults.ts'
import type { ProviderHistoryOptions } from './history-rules.ts'
import type { MendedRequest, ResolvedRequest } from './mended-request.ts'
import { NO_RULES } from './provider-table.ts'
import { Rulebook } from './rulebook.ts'

const defaults = new Rulebook()
/** Rulebooks by an agent's option. */
const rulebooks = new WeakMap<object, Rulebook>()

/** Adapts the prompt of a request to its model. A prompt that follows the rules is returned unchanged. */
export function mendForProvider(
  request: ResolvedRequest,
  changes: ProviderHistoryOptions | undefined,
): MendedRequest | Promise<MendedRequest> {
  const rules = changes === false ? NO_RULES : rulebookOf(changes).for(request.model)
  const call = { plain: rules.noPrefill === 'plain' && isPlain(request), tools: request.tools }
  if (!hasFaults(request.prompt, rules, call)) return { request, mended: [] }
  const kit = mending ?? loadMending()
  return isThenable(kit) ? kit.then(mend) : mend(kit)

  function mend({ mendPrompt }: MendingKit): MendedRequest {
    const { prompt, mended } = mendPrompt(request.prompt, rules, call)
    return { request: { ...request, prompt }, mended }
  }
}

function rulebookOf(changes: Exclude<ProviderHistoryOptions, false> | undefined): Rulebook {
  if (changes === undefined) return defaults
  let rulebook = rulebooks.get(changes)
  if (!rulebook) {
    rulebook = new Rulebook(changes)
    rulebooks.set(changes, rulebook)
  }
  return rulebook
}

type MendingKit = typeof import('./mend-prompt.ts')

/** Loaded on demand and cached: most prompts follow the rules. */
let mending: MendingKit | undefined

async function loadMending(): Promise<MendingKit> {
  mending = await import('./mend-prompt.ts')
  return mending
}

/** Whether a request asks for text only, with neither a structured answer nor reasoning. */
function isPlain({ structuredOutput, modelSettings, providerOptions = {} }: ModelRequest): boolean {
  const { reasoning = 'none' } = modelSettings
  if (structuredOutput || (reasoning !== 'none' && reasoning !== 'provider-default')) return false
  return !Object.values(providerOptions).some(
    (options) => enablesReasoning(options?.thinking) || enablesReasoning(options?.reasoningConfig),
  )
}

/** Whether the thinking settings of Anthropic, which Bedrock has too, enable reasoning. */
function enablesReasoning(settings: unknown): boolean {
  return isRecord(settings) && settings.type !== 'disabled'
}
