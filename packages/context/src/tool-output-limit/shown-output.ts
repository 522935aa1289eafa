import { isRecord } from '@millrace/core'

/** An output as the model is shown it: its text, and what makes an output again of another text. */
export interface ShownOutput {
  readonly text: string
  withText(text: string): unknown
}

/** A string is shown as it is, content as its texts beside its files, anything else as JSON. */
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

/** What a tool's `toModelOutput` has made. */
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
