import type { FilePart, ReasoningFilePart } from '@millrace/core'

const PREFIX = 'provider-file:'

/** The URL of a file. For a file that the provider stores, a URL made from its reference. */
export function fileUrl(part: FilePart | ReasoningFilePart): string {
  const reference = part.type === 'file' ? part.providerReference : undefined
  return reference ? `${PREFIX}${JSON.stringify(reference)}` : part.url
}

/** Whether a {@link fileUrl} refers to a file that the provider stores. */
export function isFileReference(url: string): boolean {
  return url.startsWith(PREFIX)
}

/** A file that is new in the transcript. The media type is the known one; a data URL has its own. */
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
