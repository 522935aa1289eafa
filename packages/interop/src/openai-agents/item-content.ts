import { isRecord } from '@millrace/core'
import type { AgentsContent, MessageItem, ReasoningItem } from './agents-types.ts'

/** An item that says something in pieces. */
export type SaidItem = MessageItem | ReasoningItem

/** All pieces of it, in order. A string is one piece, and reasoning without any is an empty one. */
export function contentsOf(item: SaidItem): readonly AgentsContent[] {
  if (item.type === 'reasoning') {
    const contents = [...item.content, ...(item.rawContent ?? [])]
    return contents.length > 0 ? contents : [{ type: 'input_text', text: '' }]
  }
  if (typeof item.content !== 'string') return item.content
  return [stringContent(item)]
}

const OF_STRINGS = new WeakMap<MessageItem, AgentsContent>()

function stringContent(item: MessageItem): AgentsContent {
  const known = OF_STRINGS.get(item)
  if (known) return known
  const type = item.role === 'assistant' ? 'output_text' : 'input_text'
  const content: AgentsContent = { type, text: item.content as string }
  OF_STRINGS.set(item, content)
  return content
}

/** The item with these pieces: the same where they are its own. */
export function withContents(item: SaidItem, contents: readonly AgentsContent[]): SaidItem {
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

/** The text of a piece that is one. */
export function textOf(content: AgentsContent): string {
  if ('text' in content) return content.text
  return 'refusal' in content ? content.refusal : ''
}

/** A piece with another text, and without what its provider said about the text before. */
export function withText(content: AgentsContent, text: string): AgentsContent {
  const { providerData: _, ...rest } = content
  return 'refusal' in rest ? { ...rest, refusal: text } : ({ ...rest, text } as AgentsContent)
}

/** Under this key a part has what an item has besides its text, for processors to see too. */
const KEY = 'openai-agents'

/** What is shown of an item besides its text. */
interface Shown {
  /** Its place and the place of the piece, by which it is known again. */
  at?: readonly number[]
  /** What the provider says of it. */
  data?: readonly unknown[]
}

/** As metadata or options of a provider; nothing where there is nothing to show. */
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

/** What is left of what was shown. */
export function leftOf(metadata: unknown): Shown {
  const left = isRecord(metadata) ? metadata[KEY] : undefined
  return isRecord(left) ? left : {}
}

/** Whether nothing of it was changed. */
export function isLeft(metadata: unknown, before: unknown): boolean {
  return JSON.stringify(leftOf(metadata)) === JSON.stringify(leftOf(before))
}
