import type { SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { type OptionNames, requireOptions } from '@millrace/core'
import type { ScriptPart } from '../script-part.ts'

export interface FileOptions {
  providerMetadata?: SharedV4ProviderMetadata
}

const FILE_OPTIONS: OptionNames<FileOptions> = { providerMetadata: 'optional' }

/** A file that the model generates. A string is base64; a `URL` is sent as a reference. */
export function file(
  mediaType: string,
  content: Uint8Array | string | URL,
  given: FileOptions = {},
): ScriptPart {
  const options = requireOptions('file()', given, FILE_OPTIONS)
  const data =
    content instanceof URL ? { type: 'url' as const, url: content } : { type: 'data' as const, data: content }
  return { writeTo: (turn) => turn.emit({ type: 'file', mediaType, data, ...options }) }
}

export type SourceFields =
  | { url: string; title?: string; id?: string; providerMetadata?: SharedV4ProviderMetadata }
  | {
      mediaType: string
      title: string
      filename?: string
      id?: string
      providerMetadata?: SharedV4ProviderMetadata
    }

const SOURCE_FIELDS: OptionNames<SourceFields> = {
  url: 'optional',
  mediaType: 'optional',
  title: 'optional',
  filename: 'optional',
  id: 'optional',
  providerMetadata: 'optional',
}

/** A web page or document that the model cites. Default of `id`: `source-1`, `source-2`, … within the turn. */
export function source(given: SourceFields): ScriptPart {
  const fields = requireOptions('source()', given, SOURCE_FIELDS)
  return {
    writeTo(turn) {
      const id = fields.id ?? turn.nextBlockId('source')
      if ('url' in fields) turn.emit({ type: 'source', sourceType: 'url', ...fields, id })
      else turn.emit({ type: 'source', sourceType: 'document', ...fields, id })
    },
  }
}
