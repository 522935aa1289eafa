import type { JSONValue } from '@ai-sdk/provider'
import { isRecord } from '../record.ts'
import type { ToolModelOutput } from './tool-model-output.ts'

/**
 * The view of an MCP result with its structured content. MCP clients show only the result's `content`, which may be
 * empty, or say less. A view that does not show the content one by one is the application's own, and is not changed.
 */
export function withStructuredContent(view: ToolModelOutput, output: unknown): ToolModelOutput {
  const structured = structuredContentOf(output)
  if (structured === undefined) return view
  const { content } = output as { content?: unknown }
  // Without content, clients show the whole result. The rest of it is for the client.
  if (!Array.isArray(content))
    return view.type === 'json' && view.value === output ? { ...view, value: structured } : view
  if (view.type !== 'content' || view.value.length !== content.length || says(content, structured))
    return view
  return { ...view, value: [...view.value, { type: 'text', text: JSON.stringify(structured) }] }
}

/** All text of an MCP result: of its content, of resources in it, and its structured content. */
export function textOfResult(result: Record<string, unknown>): string {
  const content: unknown[] = Array.isArray(result.content) ? result.content : []
  const texts = content.map(textOf)
  const structured = structuredContentOf(result)
  if (structured !== undefined && !says(content, structured)) texts.push(JSON.stringify(structured))
  return texts.filter((text) => text !== '').join('\n')
}

function structuredContentOf(result: unknown): JSONValue | undefined {
  if (!isRecord(result)) return undefined
  return (result.structuredContent ?? undefined) as JSONValue | undefined
}

/** Whether a text is the structured content as JSON, or the only value in it: servers wrap a single value. */
function says(content: readonly unknown[], structured: JSONValue): boolean {
  const fields = isRecord(structured) ? Object.values(structured) : []
  const values = [structured, ...(fields.length === 1 ? fields : [])]
  const forms = new Set(values.map((value) => JSON.stringify(value)))
  return content.some((item) => {
    const text = isRecord(item) && item.type === 'text' ? String(item.text) : undefined
    if (text === undefined) return false
    return values.includes(text) || forms.has(text) || forms.has(compact(text))
  })
}

function textOf(item: unknown): string {
  if (!isRecord(item)) return ''
  const { text, uri } = isRecord(item.resource) ? item.resource : item
  return typeof text === 'string' ? text : typeof uri === 'string' ? uri : ''
}

function compact(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json))
  } catch {
    return ''
  }
}
