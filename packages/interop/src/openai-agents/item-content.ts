import { isRecord } from '@millrace/core'
import type { AgentsContent, MessageItem, ReasoningItem } from './agents-types.ts'

/** An item whose content has pieces. */
export type ContentItem = MessageItem | ReasoningItem

/** All pieces of an item, in order. A string is one piece, and reasoning without pieces has an empty one. */
export function contentsOf(item: ContentItem): readonly AgentsContent[] {
  if (item.type === 'reasoning') {
    const contents = [...item.content, ...(item.rawContent ?? [])]
    return contents.length > 0 ? contents : [{ type: 'input_text', text: '' }]
  }
  if (typeof item.content !== 'string') return item.content
  return [stringContent(item)]
}

const STRING_CONTENT = new WeakMap<MessageItem, AgentsContent>()

function stringContent(item: MessageItem): AgentsContent {
  const known = STRING_CONTENT.get(item)
  if (known) return known
  const type = item.role === 'assistant' ? 'output_text' : 'input_text'
  const content: AgentsContent = { type, text: item.content as string }
  STRING_CONTENT.set(item, content)
  return content
}

/** The item with these pieces. Returns the same item if they are unchanged. */
export function withContents(item: ContentItem, contents: readonly AgentsContent[]): ContentItem {
  const before = contentsOf(item)
  if (
    contents.length === before.length &&
    contents.every((content, index) => isSameContent(content, before[index]))
  )
    return item
  if (item.type === 'reasoning') {
    const isRaw = ({ type }: AgentsContent): boolean => type === 'reasoning_text'
    return {
      ...item,
      content: contents.filter((content) => !isRaw(content)),
      ...(item.rawContent && { rawContent: contents.filter(isRaw) }),
    }
  }
  const [first] = contents
  const isString = typeof item.content === 'string' && contents.length === 1 && first !== undefined
  return { ...item, content: isString && isText(first) ? textOf(first) : contents }
}

function isSameContent(one: AgentsContent, other: AgentsContent | undefined): boolean {
  return one === other || (isText(one) && textOf(one) === '' && JSON.stringify(one) === JSON.stringify(other))
}

export function isText(content: AgentsContent): boolean {
  return 'text' in content || 'refusal' in content
}

/** The text of a piece. */
export function textOf(content: AgentsContent): string {
  if ('text' in content) return content.text
  return 'refusal' in content ? content.refusal : ''
}

/** A piece with another text, without the provider data of its original text. */
export function withText(content: AgentsContent, text: string): AgentsContent {
  const { providerData: _, ...rest } = content
  return 'refusal' in rest ? { ...rest, refusal: text } : ({ ...rest, text } as AgentsContent)
}

/**
 * The metadata key under which a part carries the other fields of its item, so that processors see them too.
 */
const KEY = 'openai-agents'

/** The fields of an item other than its text. */
interface Shown {
  /** The position of the item and of the piece, by which they are found again. */
  at?: readonly number[]
  /** The provider data. */
  data?: readonly unknown[]
}

/** As provider metadata or options. `undefined` if there is nothing to show. */
export function shown({
  at,
  data,
}: {
  at?: readonly number[]
  data: readonly unknown[]
}): Record<string, Record<string, never>> | undefined {
  const said = data.filter((each) => each !== undefined && each !== null)
  if (!at && said.length === 0) return undefined
  const all: Shown = { ...(at && { at }), ...(said.length > 0 && { data: said }) }
  return { [KEY]: all as Record<string, never> }
}

/** What the processors left of the metadata. */
export function remainingMetadata(metadata: unknown): Shown {
  const left = isRecord(metadata) ? metadata[KEY] : undefined
  return isRecord(left) ? left : {}
}

/** Whether the metadata is unchanged. */
export function isUnchanged(metadata: unknown, before: unknown): boolean {
  return JSON.stringify(remainingMetadata(metadata)) === JSON.stringify(remainingMetadata(before))
}
