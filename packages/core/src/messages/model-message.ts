import type {
  JSONValue,
  LanguageModelV4Prompt,
  SharedV4FileData,
  SharedV4ProviderMetadata,
  SharedV4ProviderReference,
} from '@ai-sdk/provider'

/**
 * The parts of the AI SDK's `ModelMessage` that a transcript can contain. Structural, so that core has no runtime
 * dependency on `ai`.
 */
export type ModelMessage = { providerOptions?: SharedV4ProviderMetadata | undefined } & (
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | ModelUserPart[] }
  | { role: 'assistant'; content: string | ModelAssistantPart[] }
  | { role: 'tool'; content: ModelToolPart[] }
)

/** A model prompt without system messages, as tools receive it. */
export type PromptMessages = LanguageModelV4Prompt

/** Bytes, base64, or a URL. */
type ModelFileData = string | Uint8Array | ArrayBuffer | URL | SharedV4ProviderReference | SharedV4FileData

interface WithProviderOptions {
  providerOptions?: SharedV4ProviderMetadata | undefined
}

export type ModelUserPart = WithProviderOptions &
  (
    | { type: 'text'; text: string }
    | { type: 'image'; image: ModelFileData; mediaType?: string | undefined }
    | { type: 'file'; data: ModelFileDataInput; mediaType: string; filename?: string | undefined }
  )

/** File data as the AI SDK accepts it. Its tagged form may contain an `ArrayBuffer`. */
export type ModelFileDataInput = ModelFileData | { type: 'data'; data: string | Uint8Array | ArrayBuffer }

export type ModelAssistantPart = WithProviderOptions &
  (
    | { type: 'text'; text: string }
    | { type: 'reasoning'; text: string }
    | { type: 'file'; data: ModelFileDataInput; mediaType: string; filename?: string | undefined }
    | { type: 'reasoning-file'; data: ModelFileDataInput; mediaType: string }
    | { type: 'custom'; kind: `${string}.${string}` }
    | {
        type: 'tool-call'
        toolCallId: string
        toolName: string
        input: unknown
        providerExecuted?: boolean | undefined
      }
    | ModelToolResultPart
    | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  )

export type ModelToolPart = WithProviderOptions &
  (
    | ModelToolResultPart
    | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string | undefined }
  )

export interface ModelToolResultPart {
  type: 'tool-result'
  providerOptions?: SharedV4ProviderMetadata | undefined
  toolCallId: string
  toolName: string
  output:
    | { type: 'text' | 'error-text'; value: string }
    | { type: 'json' | 'error-json'; value: JSONValue }
    | { type: 'execution-denied'; reason?: string | undefined }
    | { type: 'content'; value: readonly unknown[] }
}
