import type { FilePart, ReasoningFilePart } from '@millrace/core'

const PREFIX = 'provider-file:'

/** What tells a file: its URL, or, of one that a provider stores, its reference in the form of one. */
export function fileUrl(part: FilePart | ReasoningFilePart): string {
  const reference = part.type === 'file' ? part.providerReference : undefined
  return reference ? `${PREFIX}${JSON.stringify(reference)}` : part.url
}

/** Whether a {@link fileUrl} is one of a file that a provider stores. */
export function isFileReference(url: string): boolean {
  return url.startsWith(PREFIX)
}

/** A file that was not in the transcript before. The media type is what is known of it: a data URL says its own. */
export function newFilePart(file: {
  url: string
  mediaType: string | undefined
  filename: string | undefined
}): FilePart {
  const { url, filename } = file
  const mediaType = /^data:([^;,]+)/.exec(url)?.[1] ?? file.mediaType ?? 'application/octet-stream'
  const name = filename === undefined ? {} : { filename }
  if (!isFileReference(url)) return { type: 'file', mediaType, url, ...name }
  return {
    type: 'file',
    mediaType,
    url: '',
    providerReference: JSON.parse(url.slice(PREFIX.length)),
    ...name,
  }
}
