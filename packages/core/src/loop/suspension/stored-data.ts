import { messageOf } from '../../errors.ts'
import { isRecord } from '../../record.ts'

/** What a run is resumed with, as text. Errors, alone or by call id, stay errors: see `readResumeData`. */
export function encodeResumeData(data: unknown): string | undefined {
  if (data === undefined) return undefined
  if (data instanceof Error) return JSON.stringify({ error: messageOf(data) })
  if (!isRecord(data)) return JSON.stringify({ value: data })
  const entries = Object.entries(data)
  const errors = entries.filter(([, value]) => value instanceof Error)
  if (errors.length === 0) return JSON.stringify({ value: data })
  return JSON.stringify({
    value: Object.fromEntries(entries.filter(([, value]) => !(value instanceof Error))),
    errors: Object.fromEntries(errors.map(([key, error]) => [key, messageOf(error)])),
  })
}

export function decodeResumeData(text: string | undefined): unknown {
  if (text === undefined) return undefined
  const { value, error, errors } = JSON.parse(text) as StoredData
  if (error !== undefined) return new Error(error)
  if (errors === undefined) return value
  const failed = Object.entries(errors).map(([key, message]) => [key, new Error(message)])
  return { ...(value as object), ...Object.fromEntries(failed) }
}

interface StoredData {
  value?: unknown
  error?: string
  errors?: Record<string, string>
}
