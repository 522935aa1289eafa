import { isRecord } from '@millrace/core'

/** The text of an output that the model sees, and a function that puts another text into the output. */
export interface ShownOutput {
  readonly text: string
  withText(text: string): unknown
}

/** A string is shown as it is, content by its text parts, anything else as JSON. */
export function shownOutput(output: unknown): ShownOutput {
  if (typeof output === 'string') return { text: output, withText: (text) => text }
  if (isContent(output)) {
    const isText = (item: unknown): item is { text: string } =>
      isRecord(item) && item.type === 'text' && typeof item.text === 'string'
    const files = output.value.filter((item) => !isText(item))
    return {
      text: output.value
        .filter(isText)
        .map(({ text }) => text)
        .join('\n'),
      withText: (text) => ({ ...output, value: [{ type: 'text', text }, ...files] }),
    }
  }
  return { text: JSON.stringify(output) ?? '', withText: (text) => text }
}

/** The same for the result of a tool's `toModelOutput`. */
export function shownView(view: unknown): ShownOutput | undefined {
  if (!isRecord(view)) return undefined
  const { type, value } = view
  if (type === 'content') return shownOutput(view)
  if (type === 'text' || type === 'error-text') {
    return { text: String(value), withText: (text) => ({ ...view, value: text }) }
  }
  if (type !== 'json' && type !== 'error-json') return undefined
  const shown = type === 'json' ? 'text' : 'error-text'
  return {
    text: JSON.stringify(value) ?? '',
    withText: (text) => ({ ...view, type: shown, value: text }),
  }
}

function isContent(output: unknown): output is { type: 'content'; value: unknown[] } {
  return isRecord(output) && output.type === 'content' && Array.isArray(output.value)
}
