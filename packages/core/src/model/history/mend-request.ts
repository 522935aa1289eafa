import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { isThenable } from '../../schema.ts'
import type { ProviderHistoryOptions } from './history-rules.ts'
import type { MendedRequest, ResolvedRequest } from './mended-request.ts'

/**
 * Adapts the prompt of a request to its model. A single question is accepted by all providers, so it needs no rules.
 */
export function mendRequest(
  request: ResolvedRequest,
  changes: ProviderHistoryOptions | undefined,
): MendedRequest | Promise<MendedRequest> {
  if (isQuestion(request.prompt)) return { request, mended: [] }
  const loaded = kit ?? loadKit()
  return isThenable(loaded)
    ? loaded.then(({ mendForProvider }) => mendForProvider(request, changes))
    : loaded.mendForProvider(request, changes)
}

/** Whether a prompt consists of instructions and one text of the user, in valid Unicode. */
function isQuestion(prompt: LanguageModelV4Prompt): boolean {
  const last = prompt.length - 1
  return prompt.every(({ role, content }, index) => {
    if (index < last) return role === 'system' && content !== '' && content.isWellFormed()
    const [part] = role === 'user' && content.length === 1 ? content : []
    return part?.type === 'text' && /\S/.test(part.text) && part.text.isWellFormed()
  })
}

type HistoryKit = typeof import('./history-kit.ts')

/** Loaded on demand and cached: the first call of many conversations is a single question. */
let kit: HistoryKit | undefined

async function loadKit(): Promise<HistoryKit> {
  kit = await import('./history-kit.ts')
  return kit
}
