import {
  fromDataUrl,
  isRecord,
  type ProcessToolResultArgs,
  type ProcessToolResultResult,
} from '@millrace/core'
import { outputText } from '../lines/lines-of-messages.ts'
import { restoreOutput } from '../lines/parts-of-line.ts'
import { attachmentUrl, type OasisAttachment, type OasisToolResult } from './oasis-message.ts'

/** A result in Oasis' format. Output in the AI SDK's content format is split into text and files. */
export function openResult({ status, output, error = '' }: ProcessToolResultArgs): OasisToolResult {
  if (status !== 'success') return { Content: '', Error: error || 'The call was denied.', Attachments: [] }
  const items = contentItems(output)
  if (!items) return { Content: outputText(output), Error: '', Attachments: [] }
  const texts = items.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
  return { Content: texts.join('\n'), Error: '', Attachments: items.flatMap(attachmentOf) }
}

/**
 * Applies the changes to the result. Setting an error turns it into an error, and removing the error turns it
 * into a success.
 */
export function resultChanges(
  { output }: ProcessToolResultArgs,
  before: OasisToolResult,
  { Content, Error: error, Attachments = [] }: OasisToolResult,
): ProcessToolResultResult {
  if (error !== '' && error !== before.Error) return { error }
  if (error !== '') return undefined
  const sameFiles = JSON.stringify(Attachments) === JSON.stringify(before.Attachments)
  if (before.Error === '' && Content === before.Content && sameFiles) return undefined
  if (Attachments.length === 0 && !contentItems(output)) return { output: restoreOutput(output, Content) }
  const text = Content === '' ? [] : [{ type: 'text', text: Content }]
  return { output: { type: 'content', value: [...text, ...Attachments.map(contentItem)] } }
}

type Item = Record<string, unknown>

function contentItems(output: unknown): Item[] | undefined {
  if (!isRecord(output) || output.type !== 'content' || !Array.isArray(output.value)) return undefined
  return output.value.every(isRecord) ? output.value : undefined
}

function attachmentOf(item: Item): OasisAttachment[] {
  const { mediaType, data, url } = item
  const MimeType = typeof mediaType === 'string' ? mediaType : 'application/octet-stream'
  if (typeof url === 'string') return [{ MimeType, URL: url }]
  const bytes = isRecord(data) ? (data.data ?? data.url) : data
  if (bytes instanceof URL) return [{ MimeType, URL: bytes.href }]
  return typeof bytes === 'string' || bytes instanceof Uint8Array
    ? [
        {
          MimeType,
          URL: attachmentUrl({
            MimeType,
            ...(typeof bytes === 'string' ? { Base64: bytes } : { Data: bytes }),
          }),
        },
      ]
    : []
}

function contentItem(file: OasisAttachment): Item {
  const url = attachmentUrl(file)
  const inline = fromDataUrl(url)
  return inline
    ? { type: 'file-data', mediaType: inline.mediaType, data: inline.base64 }
    : { type: 'file-url', mediaType: file.MimeType, url }
}
