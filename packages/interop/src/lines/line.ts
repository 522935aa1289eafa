/**
 * A message in the form that model APIs exchange: one for text and calls, and one for each tool result. All
 * adapters convert their own format from and to lines.
 */
export interface Line {
  role: 'system' | 'user' | 'assistant' | 'tool'
  /** No empty texts: these say nothing. */
  content: LineContent[]
  calls: LineCall[]
  /** Only in a tool line: the id of the call that it answers. */
  callId: string | undefined
}

/** A file is represented by its URL. For a file that the provider stores, see `file-reference.ts`. */
export type LineContent =
  | { type: 'text'; text: string }
  | { type: 'file'; url: string; mediaType: string | undefined; filename: string | undefined }

/** `args` is JSON, or the raw text of the model. */
export interface LineCall {
  id: string
  name: string
  args: string
}

export function textLine(role: Line['role'], text: string): Line {
  return { role, content: text === '' ? [] : [{ type: 'text', text }], calls: [], callId: undefined }
}

/** The text of a line. */
export function textOfLine({ content }: Line): string {
  let text = ''
  for (const item of content) if (item.type === 'text') text += item.text
  return text
}

export function isSameLine(left: Line, right: Line): boolean {
  return (
    left.role === right.role &&
    left.callId === right.callId &&
    isSameContent(left.content, right.content) &&
    left.calls.length === right.calls.length &&
    left.calls.every((call, index) => isSameCall(call, right.calls[index]))
  )
}

export function isSameContent(left: readonly LineContent[], right: readonly LineContent[]): boolean {
  return left.length === right.length && left.every((item, index) => isSameItem(item, right[index]))
}

function isSameItem(left: LineContent, right: LineContent | undefined): boolean {
  if (left.type === 'text') return right?.type === 'text' && left.text === right.text
  return right?.type === 'file' && left.url === right.url
}

export function isSameCall(left: LineCall, right: LineCall | undefined): boolean {
  return left.id === right?.id && left.name === right.name && left.args === right.args
}
