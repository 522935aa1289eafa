import type {
  JSONValue,
  SharedV4FileDataReference,
  SharedV4FileDataText,
  SharedV4FileDataUrl,
  SharedV4ProviderReference,
} from '@ai-sdk/provider'
import type { ProviderMetadata } from '../messages/message.ts'

/** The output of a tool for the model: the AI SDK's `ToolResultOutput`, including its older content items. */
export type ToolModelOutput = WithProviderOptions &
  (
    | { type: 'text' | 'error-text'; value: string }
    | { type: 'json' | 'error-json'; value: JSONValue }
    | { type: 'execution-denied'; reason?: string | undefined }
    | { type: 'content'; value: ToolContentItem[] }
  )

export type ToolContentItem = WithProviderOptions &
  (
    | { type: 'text'; text: string }
    | { type: 'file'; data: ToolFileData; mediaType: string; filename?: string | undefined }
    | { type: 'file-data' | 'image-data'; data: string; mediaType: string; filename?: string | undefined }
    | { type: 'file-url' | 'image-url'; url: string; mediaType?: string | undefined }
    | { type: 'file-id' | 'image-file-id'; fileId: string | SharedV4ProviderReference }
    | { type: 'file-reference' | 'image-file-reference'; providerReference: SharedV4ProviderReference }
    | { type: 'custom' }
  )

export type ToolFileData =
  | { type: 'data'; data: string | Uint8Array | ArrayBuffer }
  | SharedV4FileDataUrl
  | SharedV4FileDataReference
  | SharedV4FileDataText

export interface WithProviderOptions {
  providerOptions?: ProviderMetadata | undefined
}
