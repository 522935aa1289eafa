import type { ChunkType, ProcessOutputStreamArgs, ProcessOutputStreamResult, Processor } from '@millrace/core'

const MASK = '[REDACTED]'

/**
 * Takes a secret, in upper or lower case, out of everything the model says while it says it: answer, reasoning, tool
 * calls and results. A stream cuts text anywhere, so the end of a chunk that could be the beginning of the secret is
 * held back until what follows decides; nothing else is.
 */
export class SecretRedactor implements Processor<'secret-redactor'> {
  readonly id = 'secret-redactor'
  readonly #secret: string
  readonly #pattern: RegExp

  constructor(secret: string) {
    this.#secret = secret.toLowerCase()
    this.#pattern = new RegExp(secret.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'gi')
  }

  processOutputStream({ part, state }: ProcessOutputStreamArgs): ProcessOutputStreamResult {
    switch (part.type) {
      case 'step-start':
        state.held = {} // A new attempt owes nothing to the last one.
        return part
      case 'text-delta':
      case 'reasoning-delta': {
        const held = heldIn(state)
        const key = `${part.type} ${part.id}`
        const text = this.#redact((held[key] ?? '') + part.textDelta)
        const tail = this.#openEnd(text)
        held[key] = tail
        const textDelta = text.slice(0, text.length - tail.length)
        if (textDelta === part.textDelta) return part
        return textDelta === '' ? undefined : { ...part, textDelta }
      }
      case 'text-end':
      case 'reasoning-end': {
        const type = part.type === 'text-end' ? 'text-delta' : 'reasoning-delta'
        const tail = heldIn(state)[`${type} ${part.id}`]
        return tail ? [{ type, id: part.id, textDelta: tail }, part] : part
      }
      case 'tool-input-delta':
        return undefined // The call itself follows, whole.
      case 'tool-call':
      case 'tool-result':
      case 'tool-error':
        return this.#redactChunk(part)
      default:
        return part
    }
  }

  #redact(text: string): string {
    return text.replace(this.#pattern, MASK)
  }

  /** The end of `text` that more text could complete to the secret. */
  #openEnd(text: string): string {
    const lower = text.toLowerCase()
    for (let length = Math.min(this.#secret.length - 1, text.length); length > 0; length--)
      if (lower.endsWith(this.#secret.slice(0, length))) return text.slice(-length)
    return ''
  }

  #redactChunk<CHUNK extends ChunkType>(chunk: CHUNK): CHUNK {
    const json = JSON.stringify(chunk)
    const redacted: CHUNK = JSON.parse(json, (_, value) =>
      typeof value === 'string' ? this.#redact(value) : value,
    )
    return JSON.stringify(redacted) === json ? chunk : redacted
  }
}

/** What is held back, by kind and id of the part. */
function heldIn(state: Record<string, unknown>): Record<string, string> {
  state.held ??= {}
  return state.held as Record<string, string>
}
