import type { Chunk } from '@millrace/core'
import { GuardedText, rewriteJson } from '@millrace/guards/guard'
import { Scanner } from '@millrace/guards/scanner'
import { PLACEHOLDER, type TokenScope } from './token-vault.ts'

const placeholders = new Scanner([{ type: 'placeholder', pattern: PLACEHOLDER }])

/** A JSON value with all placeholders replaced by their originals; the same value if there are none. */
export function restored<T>(value: T, scope: TokenScope): T {
  return rewriteJson(value, (text) =>
    text.includes('[') ? placeholders.replace(text, (_, placeholder) => scope.original(placeholder)) : text,
  ) as T
}

/** The chunks of one run for the caller. A placeholder that is split over chunks is held until it is complete. */
export class RestoredStream {
  readonly #scope: TokenScope
  readonly #open = new Map<string, GuardedText>()

  constructor(scope: TokenScope) {
    this.#scope = scope
  }

  chunk(part: Chunk): Chunk | readonly Chunk[] | null {
    switch (part.type) {
      case 'step-start':
      case 'step-discarded':
        this.#open.clear()
        return part
      case 'text-delta':
      case 'reasoning-delta': {
        const textDelta = this.#opened(`${part.type} ${part.id}`, undefined).push(part.textDelta)
        if (textDelta === part.textDelta) return part
        if (textDelta === '' && !part.providerMetadata) return null
        return { ...part, textDelta }
      }
      case 'text-end':
      case 'reasoning-end': {
        const type = part.type === 'text-end' ? 'text-delta' : 'reasoning-delta'
        const textDelta = this.#taken(`${type} ${part.id}`)
        return textDelta === '' ? part : [{ type, id: part.id, textDelta }, part]
      }
      case 'tool-input-start':
        if (part.inputEncoding === 'text') this.#opened(`input ${part.toolCallId}`, false)
        return restored(part, this.#scope)
      case 'tool-input-delta': {
        const inputTextDelta = this.#opened(`input ${part.toolCallId}`, true).push(part.inputTextDelta)
        if (inputTextDelta === part.inputTextDelta) return part
        return inputTextDelta === '' ? null : { ...part, inputTextDelta }
      }
      case 'tool-input-end': {
        const { toolCallId } = part
        const inputTextDelta = this.#taken(`input ${toolCallId}`)
        return inputTextDelta === '' ? part : [{ type: 'tool-input-delta', toolCallId, inputTextDelta }, part]
      }
      default:
        return restored(part, this.#scope)
    }
  }

  #opened(key: string, json: boolean | undefined): GuardedText {
    const known = this.#open.get(key)
    if (known) return known
    const text = new GuardedText({
      scanner: placeholders,
      json,
      // Text such as `[1] Mail [EMAIL_…]` only begins like JSON.
      bare: true,
      replacement: (_, placeholder) => this.#scope.original(placeholder),
      onMatch: () => {},
    })
    this.#open.set(key, text)
    return text
  }

  #taken(key: string): string {
    const text = this.#open.get(key)
    this.#open.delete(key)
    return text?.end() ?? ''
  }
}
