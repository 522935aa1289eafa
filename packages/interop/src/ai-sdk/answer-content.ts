import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { type Chunk, toStreamPart } from '@millrace/core'

type Prose = Extract<LanguageModelV4Content, { type: 'text' | 'reasoning' }>

/** Collects the chunks of an answer into the content of a result. */
export class AnswerContent {
  #content: LanguageModelV4Content[] = []
  /** The index at which the current step begins. A discarded step is removed from there. */
  #stepAt = 0
  readonly #open = new Map<string, Prose>()
  readonly #ids = new WeakMap<LanguageModelV4Content, string>()

  add(chunk: Chunk): undefined {
    if (chunk.type === 'step-start') this.#stepAt = this.#content.length
    else if (chunk.type === 'step-discarded') this.#content.length = this.#stepAt
    else {
      const part = toStreamPart(chunk)
      if (part) this.addPart(part)
    }
  }

  /** The id of a streamed part of text or reasoning. */
  idOf(part: LanguageModelV4Content): string | undefined {
    return this.#ids.get(part)
  }

  /** Returns the content. Replaced text becomes one part, at the position of the first. */
  settle(replacedText: string | undefined): LanguageModelV4Content[] {
    const content = this.#content.filter(
      (part) => !isProse(part) || part.text !== '' || part.providerMetadata,
    )
    if (replacedText === undefined) return content
    const first = content.findIndex(({ type }) => type === 'text')
    const others = content.filter((part) => !isProse(part))
    const place = content.slice(0, Math.max(first, 0)).filter((part) => !isProse(part)).length
    return [...others.slice(0, place), { type: 'text', text: replacedText }, ...others.slice(place)]
  }

  addPart(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#openPart(part.type === 'text-start' ? 'text' : 'reasoning', part)
        return
      case 'text-delta':
      case 'reasoning-delta': {
        const type = part.type === 'text-delta' ? 'text' : 'reasoning'
        const open = this.#open.get(`${type} ${part.id}`) ?? this.#openPart(type, part)
        open.text += part.delta
        addMetadata(open, part)
        return
      }
      case 'text-end':
      case 'reasoning-end': {
        const key = `${part.type === 'text-end' ? 'text' : 'reasoning'} ${part.id}`
        const open = this.#open.get(key)
        if (open) addMetadata(open, part)
        this.#open.delete(key)
        return
      }
      case 'tool-call':
      case 'tool-result':
      case 'file':
      case 'reasoning-file':
      case 'source':
      case 'custom':
        this.#content.push(part)
        return
    }
  }

  #openPart(
    type: Prose['type'],
    { id, providerMetadata }: { id: string } & Pick<Prose, 'providerMetadata'>,
  ): Prose {
    const part: Prose = { type, text: '', ...(providerMetadata && { providerMetadata }) }
    this.#content.push(part)
    this.#ids.set(part, id)
    this.#open.set(`${type} ${id}`, part)
    return part
  }
}

function addMetadata(part: Prose, { providerMetadata }: Pick<Prose, 'providerMetadata'>): void {
  if (providerMetadata) part.providerMetadata = { ...part.providerMetadata, ...providerMetadata }
}

function isProse(part: LanguageModelV4Content): part is Prose {
  return part.type === 'text' || part.type === 'reasoning'
}
