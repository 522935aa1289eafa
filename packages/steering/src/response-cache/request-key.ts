import { callOptions, type ModelRequest } from '@millrace/core'

/**
 * A key for everything that determines a model's answer: provider and model, prompt, tools, settings, schema, provider
 * options, and `salt`. Ids of tool calls, which are new in every run, are replaced by their position.
 */
export async function requestKey(request: ModelRequest, salt: readonly string[]): Promise<string> {
  const { abortSignal: _, prompt, ...options } = await callOptions(request, new AbortController().signal)
  const { model } = request
  const identity = typeof model === 'string' ? [model] : [model.provider, model.modelId]
  const text = canonical([salt, identity, options, withoutCallIds(prompt)])
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function withoutCallIds(prompt: ModelRequest['prompt']): unknown[] {
  const numbers = new Map<string, number>()
  const numberOf = (id: string): number => {
    const number = numbers.get(id) ?? numbers.size
    numbers.set(id, number)
    return number
  }
  return prompt.map((message) =>
    typeof message.content === 'string'
      ? message
      : {
          ...message,
          content: message.content.map((part: object) => {
            const { toolCallId, approvalId } = part as { toolCallId?: unknown; approvalId?: unknown }
            return {
              ...part,
              ...(typeof toolCallId === 'string' && { toolCallId: numberOf(toolCallId) }),
              ...(typeof approvalId === 'string' && { approvalId: numberOf(approvalId) }),
            }
          }),
        },
  )
}

/** A value as JSON with sorted fields. Bytes and URLs are distinguished from strings. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (ArrayBuffer.isView(value)) return `bytes(${base64(value)})`
  if (value instanceof URL) return `url(${JSON.stringify(value.href)})`
  if (value instanceof Date) return `date(${value.getTime()})`
  if (typeof value === 'bigint') return `bigint(${value})`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`
}

function base64(view: ArrayBufferView): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  let binary = ''
  for (let start = 0; start < bytes.length; start += 8_192) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 8_192))
  }
  return btoa(binary)
}
